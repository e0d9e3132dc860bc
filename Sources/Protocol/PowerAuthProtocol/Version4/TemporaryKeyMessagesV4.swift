// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The claims of a request for a temporary key of protocol 4 (protocol-4.md, section 6).
public struct TemporaryKeyRequestV4: Sendable, Equatable, Codable {
    /// The key of the request's code: of the application, or of the activation.
    public typealias Key = Key256<KeyPurpose.TemporaryKeyRequest>

    /// Algorithms of the code. The vendor's document says HS384, and stored states of its client and its test data
    /// HS256 (protocol-4.md, section 17, item 1). A server accepts both.
    public enum Algorithm: String, Sendable, CaseIterable {
        /// HMAC-SHA256.
        case hs256 = "HS256"
        /// HMAC-SHA384.
        case hs384 = "HS384"

        func code(key: Key, _ data: Data) -> Data {
            var output = Data(count: self == .hs256 ? 32 : 48)
            output.withUnsafeMutableBytes { output in
                key.withUnsafeBytes { key in
                    data.withUnsafeBytes { data in
                        switch self {
                        case .hs256: HMACSHA256().compute(key: key, data, into: output)
                        case .hs384: HMACSHA384.code(key: key, data, into: output)
                        }
                    }
                }
            }
            return output
        }
    }

    /// Base64 text of the application key.
    public let applicationKey: String
    /// Activation id, in activation scope only.
    public let activationId: String?
    /// Base64 text of 18 random bytes.
    public let challenge: String
    /// The client's half of the key exchange.
    public let sharedSecretRequest: SharedSecretRequest

    /// Takes the claims.
    public init(
        applicationKey: String, activationId: String? = nil, challenge: String = Random.nonZeroText(18),
        sharedSecretRequest: SharedSecretRequest
    ) {
        self.applicationKey = applicationKey
        self.activationId = activationId
        self.challenge = challenge
        self.sharedSecretRequest = sharedSecretRequest
    }

    /// The key in application scope. In activation scope it is ``UtilityKeys/temporaryKeyRequest``.
    public static func key(_ applicationSecret: ApplicationSecretKey) -> Key {
        applicationSecret.derived256(.applicationKeyRequest)
    }

    /// The request's JWT, in compact serialization.
    /// - Throws: never in practice; texts can always be encoded.
    public func jwt(key: Key, algorithm: Algorithm = .hs384) throws -> String {
        let header = Base64URL.encode(Data("{\"alg\":\"\(algorithm.rawValue)\"}".utf8))
        let input = "\(header).\(Base64URL.encode(try JWT.encode(self)))"
        return "\(input).\(Base64URL.encode(algorithm.code(key: key, Data(input.utf8))))"
    }

    /// A JWT that was read and not verified: the server learns from the claims which key to verify with.
    public struct Received: Sendable {
        /// The claims, which must not be trusted before ``isAuthentic(key:)``.
        public let request: TemporaryKeyRequestV4
        private let algorithm: Algorithm
        private let input: Data
        private let code: Data

        /// Reads a JWT.
        /// - Parameter text: the compact serialization.
        /// - Throws: ``ProtocolError`` naming the part that is wrong.
        public init(jwt text: String) throws {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3 else {
                throw ProtocolError.invalidFormat(field: "jwt", reason: "it must have three parts")
            }
            guard let data = Base64URL.decode(parts[0]), let header = try? JSONDecoder().decode(Header.self, from: data)
            else { throw ProtocolError.invalidEncoding(field: "jwt header") }
            guard let algorithm = Algorithm(rawValue: header.alg), header.crit == nil else {
                let names = Algorithm.allCases.map(\.rawValue).joined(separator: " or ")
                throw ProtocolError.invalidFormat(field: "jwt header", reason: "it must have alg \(names)")
            }
            guard let code = Base64URL.decode(parts[2]) else {
                throw ProtocolError.invalidEncoding(field: "jwt signature")
            }
            guard let claims = Base64URL.decode(parts[1]),
                let request = try? JSONDecoder().decode(TemporaryKeyRequestV4.self, from: claims)
            else { throw ProtocolError.invalidEncoding(field: "jwt payload") }
            guard !request.applicationKey.isEmpty else { throw ProtocolError.missing(field: "applicationKey") }
            guard !request.challenge.isEmpty else { throw ProtocolError.missing(field: "challenge") }
            self.request = request
            self.algorithm = algorithm
            self.code = code
            input = Data("\(parts[0]).\(parts[1])".utf8)
        }

        /// Whether the JWT was made with `key`; compared in constant time.
        public func isAuthentic(key: Key) -> Bool { constantTimeEquals(algorithm.code(key: key, input), code) }

        private struct Header: Decodable {
            let alg: String
            let crit: [String]?
        }
    }
}

/// A temporary key of protocol 4, and the server's data about it (protocol-4.md, section 6).
public struct TemporaryKeyResponseV4: Sendable, Equatable {
    /// Id of the key, `sub`.
    public let keyId: String
    /// Echo of the request.
    public let applicationKey: String
    /// Echo of the request, in activation scope only.
    public let activationId: String?
    /// Echo of the request.
    public let challenge: String
    /// The server's half of the key exchange.
    public let sharedSecretResponse: SharedSecretResponse
    /// Server time at creation, in milliseconds since 1970; serves time synchronisation.
    public let issuedAt: UInt64
    /// End of validity, in milliseconds since 1970.
    public let expiresAt: UInt64

    /// Answers a request, as the server does.
    public init(
        to request: TemporaryKeyRequestV4, keyId: String, sharedSecretResponse: SharedSecretResponse,
        issuedAt: UInt64, expiresAt: UInt64
    ) {
        self.keyId = keyId
        applicationKey = request.applicationKey
        activationId = request.activationId
        challenge = request.challenge
        self.sharedSecretResponse = sharedSecretResponse
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// The signed response.
    /// - Parameter keys: the master keys in application scope, the activation's server keys in activation scope.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public func jws(keys: SuitePrivateKeys) throws -> JWS {
        try JWS(payload: JWT.encode(Claims(self)), keys: keys)
    }

    /// Verifies a response: signatures, challenge, scope, validity.
    /// - Parameters:
    ///   - keys: public part of the keys named at ``jws(keys:)``.
    ///   - request: what was asked.
    ///   - currentTime: synchronised time in milliseconds; nil skips the check that the key has not expired, for a client
    ///     that learns the time from this very response.
    /// - Throws: ``TemporaryKeyResponseError``.
    public init(
        verifying jws: JWS, keys: SuitePublicKeys, request: TemporaryKeyRequestV4, currentTime: UInt64? = nil
    ) throws(TemporaryKeyResponseError) {
        let payload: Data
        do { payload = try jws.verified(by: keys) } catch ProtocolError.signatureMismatch {
            throw .untrusted("a signature does not verify")
        } catch { throw .malformed("\(error)") }
        let claims: Claims
        do { claims = try JSONDecoder().decode(Claims.self, from: payload) } catch { throw .malformed("\(error)") }
        guard constantTimeEquals(claims.challenge, request.challenge) else {
            throw .untrusted("the challenge is not the one that was sent")
        }
        guard claims.applicationKey == request.applicationKey else {
            throw .untrusted("the key belongs to another application")
        }
        guard claims.activationId == request.activationId else {
            throw .untrusted("the key belongs to another activation")
        }
        guard !claims.sub.isEmpty else { throw .malformed("the key has no id") }
        guard claims.expiresAt > claims.issuedAt, currentTime.map({ $0 < claims.expiresAt }) ?? true else {
            throw .untrusted("the key has expired")
        }
        keyId = claims.sub
        applicationKey = claims.applicationKey
        activationId = claims.activationId
        challenge = claims.challenge
        sharedSecretResponse = claims.sharedSecretResponse
        issuedAt = claims.issuedAt
        expiresAt = claims.expiresAt
    }

    private struct Claims: Codable {
        let sub: String
        let applicationKey: String
        let activationId: String?
        let challenge: String
        let sharedSecretResponse: SharedSecretResponse
        let issuedAtSeconds: UInt64
        let expiresAtSeconds: UInt64
        let issuedAt: UInt64
        let expiresAt: UInt64

        enum CodingKeys: String, CodingKey {
            case sub, applicationKey, activationId, challenge, sharedSecretResponse
            case issuedAtSeconds = "iat"
            case expiresAtSeconds = "exp"
            case issuedAt = "iat_ms"
            case expiresAt = "exp_ms"
        }

        init(_ response: TemporaryKeyResponseV4) {
            sub = response.keyId
            applicationKey = response.applicationKey
            activationId = response.activationId
            challenge = response.challenge
            sharedSecretResponse = response.sharedSecretResponse
            issuedAtSeconds = response.issuedAt / 1000
            expiresAtSeconds = response.expiresAt / 1000
            issuedAt = response.issuedAt
            expiresAt = response.expiresAt
        }
    }
}
