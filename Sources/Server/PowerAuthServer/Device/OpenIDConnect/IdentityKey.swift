import Foundation
import PowerAuthProtocol

/// A key of an OpenID Connect provider as its key set shows it (RFC 7517, section 4).
struct IdentityKey: Decodable {
    let kty: String
    let kid: String?
    let use: String?
    // A point of P-256.
    let crv: String?
    let x: String?
    let y: String?
    // An RSA key.
    let n: String?
    let e: String?

    /// Whether a token may be signed with this key: it names this key, or no key.
    func isNamed(by token: JWT) -> Bool {
        (use ?? "sig") == "sig" && (token.keyId == nil || kid == nil || token.keyId == kid)
    }

    /// Whether a token was signed with the private half.
    func isKeyOf(_ token: JWT) -> Bool {
        switch token.algorithm {
        case .es256:
            guard kty == "EC", crv == "P-256", let x = Self.bytes(x), let y = Self.bytes(y),
                let key = try? PublicKey(encoded: Data([4]) + x + y)
            else { return false }
            return token.isAuthentic(key: key)
        case .rs256:
            guard kty == "RSA", let n = Self.bytes(n), let e = Self.bytes(e),
                let key = try? RSAPublicKey(modulus: n, exponent: e)
            else { return false }
            return token.isAuthentic(key: key)
        case .hs256:
            // Its key would be the client's secret, which never is in a key set.
            return false
        }
    }

    private static func bytes(_ text: String?) -> Data? { text.flatMap(Base64URL.decode) }
}

extension IdentityProvider {
    /// What its tokens may be signed with.
    var algorithms: Set<JWT.Algorithm> {
        switch signatureAlgorithm {
        case .es256: [.es256]
        case .rs256: [.rs256]
        case nil: [.es256, .rs256]
        }
    }
}
