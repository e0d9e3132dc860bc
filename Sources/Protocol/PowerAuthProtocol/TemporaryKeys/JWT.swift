// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The two kinds of JSON web tokens of the protocol (protocol.md, sections 8 and 10), and those of identity providers.
public struct JWT: Sendable, Equatable {
    /// Signature algorithms in use.
    public enum Algorithm: String, Sendable {
        /// HMAC-SHA256 with a key of 16 bytes.
        case hs256 = "HS256"
        /// ECDSA over P-256 with SHA-256, signature as `r ‖ s`.
        case es256 = "ES256"
        /// RSASSA-PKCS1-v1_5 with SHA-256; only identity providers sign with it.
        case rs256 = "RS256"
    }

    /// The signature algorithm named in the header.
    public let algorithm: Algorithm
    /// How the header names the key; nil when it does not.
    public let keyId: String?
    /// ASCII `header.payload`, the signed bytes.
    public let signingInput: Data
    /// Decoded signature.
    public let signature: Data
    private let payloadText: String

    /// Splits a token, checks its header and decodes its signature. Nothing is verified yet.
    /// - Parameters:
    ///   - algorithm: the only one that the header may name.
    ///   - mustSayType: whether a header without `typ` is refused. A `typ` other than JWT always is; letter case makes
    ///     no difference (RFC 7515, section 4.1.9).
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` or ``ProtocolError/invalidEncoding(field:)``.
    public init(_ text: String, algorithm: Algorithm, mustSayType: Bool = true) throws {
        try self.init(text, algorithms: [algorithm], mustSayType: mustSayType)
    }

    /// Reads an identity token, which need not say its type (OpenID Connect Core 1.0, section 2).
    /// - Parameter algorithms: those that its issuer signs with.
    /// - Throws: as ``init(_:algorithm:)``.
    public init(identityToken text: String, algorithms: Set<Algorithm>) throws {
        try self.init(text, algorithms: algorithms, mustSayType: false)
    }

    private init(_ text: String, algorithms: Set<Algorithm>, mustSayType: Bool) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else {
            throw ProtocolError.invalidFormat(field: "jwt", reason: "it must have three parts")
        }
        guard let headerData = Base64URL.decode(String(parts[0])),
            let header = try? JSONDecoder().decode(Header.self, from: headerData)
        else { throw ProtocolError.invalidEncoding(field: "jwt header") }
        let isTyped = header.typ.map { $0.uppercased() == "JWT" } ?? !mustSayType
        guard isTyped, let algorithm = Algorithm(rawValue: header.alg), algorithms.contains(algorithm) else {
            let accepted = algorithms.map(\.rawValue).sorted().joined(separator: " or ")
            throw ProtocolError.invalidFormat(field: "jwt header", reason: "it must have typ JWT and alg \(accepted)")
        }
        self.algorithm = algorithm
        keyId = header.kid
        guard let signature = Base64URL.decode(String(parts[2])) else {
            throw ProtocolError.invalidEncoding(field: "jwt signature")
        }
        self.signature = signature
        signingInput = Data("\(parts[0]).\(parts[1])".utf8)
        payloadText = String(parts[1])
    }

    /// The decoded claims.
    /// - Throws: ``ProtocolError/invalidEncoding(field:)``.
    public func payload() throws -> Data {
        guard let payload = Base64URL.decode(payloadText) else {
            throw ProtocolError.invalidEncoding(field: "jwt payload")
        }
        return payload
    }

    /// Decodes the claims.
    /// - Throws: ``ProtocolError/invalidEncoding(field:)``.
    public func claims<Claims: Decodable>(_ type: Claims.Type = Claims.self) throws -> Claims {
        guard let claims = try? JSONDecoder().decode(Claims.self, from: payload()) else {
            throw ProtocolError.invalidEncoding(field: "jwt payload")
        }
        return claims
    }

    /// Whether an HS256 token was made with `key`; compared in constant time.
    public func isAuthentic<Purpose>(key: SymmetricKey<Purpose>) -> Bool {
        constantTimeEquals(Digest.hmacSHA256(key: key, data: signingInput), signature)
    }

    /// Whether an ES256 token was made with the private part of `key`.
    public func isAuthentic(key: PublicKey) -> Bool {
        key.verify(signature: signature, of: signingInput, format: .jose)
    }

    /// Whether an RS256 token was made with the private part of `key`.
    public func isAuthentic(key: RSAPublicKey) -> Bool { key.verify(signature: signature, of: signingInput) }

    /// Makes an HS256 token of claims in JSON.
    public static func signed<Purpose>(claims: Data, key: SymmetricKey<Purpose>) -> String {
        let input = signingInput(claims: claims, algorithm: .hs256)
        return "\(input).\(Base64URL.encode(Digest.hmacSHA256(key: key, data: Data(input.utf8))))"
    }

    /// Makes an ES256 token of claims in JSON.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public static func signed(claims: Data, key: PrivateKey) throws -> String {
        let input = signingInput(claims: claims, algorithm: .es256)
        return "\(input).\(Base64URL.encode(try key.sign(Data(input.utf8), format: .jose)))"
    }

    /// The text of header and claims that is signed, for signers that live elsewhere.
    public static func signingInput(claims: Data, algorithm: Algorithm) -> String {
        let header = "{\"alg\":\"\(algorithm.rawValue)\",\"typ\":\"JWT\"}"
        return "\(Base64URL.encode(Data(header.utf8))).\(Base64URL.encode(claims))"
    }

    /// JSON as claims are written: compact, members in alphabetical order, slashes as they are.
    static func encode(_ claims: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(claims)
    }

    private struct Header: Decodable {
        let alg: String
        let typ: String?
        let kid: String?
    }
}
