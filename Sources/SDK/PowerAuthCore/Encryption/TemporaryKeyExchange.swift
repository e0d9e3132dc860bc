// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// One request for the server's temporary key of a scope (protocol.md, section 8). Immutable. Thread rule: any thread.
package struct TemporaryKeyExchange: Sendable {
    /// The request's token, to be sent to the server.
    package let jwt: String
    let request: TemporaryKeyRequest
    /// Scope of the key.
    package let scope: PowerAuthCoreEciesEncryptorScope
}

/// What the SDK has to know about a temporary key that the session accepted.
package struct TemporaryKeyValidity: Sendable {
    /// Identifier of the key.
    package let keyId: String
    /// Server's time when it made the key, in seconds since 1970.
    package let issuedAt: Double
    /// End of validity in seconds since 1970. Stop using the key ten seconds earlier.
    package let expiresAt: Double
}

/// Why an answer to a request for a temporary key is refused.
package enum TemporaryKeyRefusal: Error, Sendable {
    /// The session has no activation, or not the one the key was requested for.
    case missingActivation
    /// The answer has not the form of a token.
    case malformed(String)
    /// The answer was not made by this server, or not for this request.
    case untrusted(String)
}

extension PowerAuthCoreSession {
    /// Prepares a request for a temporary key.
    /// - Parameters:
    ///   - scope: Scope of the key.
    ///   - keys: Possession unlock key; needed for the activation scope only.
    package func temporaryKeyExchange(
        for scope: PowerAuthCoreEciesEncryptorScope, keys: PowerAuthCoreSignatureUnlockKeys?
    ) throws(PowerAuthCoreErrorCode) -> TemporaryKeyExchange {
        let keys = keys.map(UnlockKeys.init)
        return try read { machine throws(PowerAuthCoreErrorCode) in
            try machine.temporaryKeyExchange(for: scope, keys: keys)
        }
    }

    /// Verifies the server's answer and stores its key.
    /// - Parameters:
    ///   - jwt: Token of the response.
    ///   - exchange: The request it answers.
    package func acceptTemporaryKey(
        _ jwt: String, answering exchange: TemporaryKeyExchange
    ) throws(TemporaryKeyRefusal) -> TemporaryKeyValidity {
        let result = try? readMutating { machine throws(PowerAuthCoreErrorCode) in
            Result { () throws(TemporaryKeyRefusal) in try machine.acceptTemporaryKey(jwt, answering: exchange) }
        }
        guard let result else { throw .missingActivation }
        return try result.get()
    }
}

extension SessionMachine {
    func temporaryKeyExchange(
        for scope: PowerAuthCoreEciesEncryptorScope, keys: UnlockKeys?
    ) throws(PowerAuthCoreErrorCode) -> TemporaryKeyExchange {
        guard !isInvalid else { throw .wrongState }
        let configuration = configuration
        let activationId: String?
        let transport: TransportKey?
        switch scope {
        case .application: (activationId, transport) = (nil, nil)
        case .activation:
            activationId = try activated().activationId
            guard let keys else { throw .wrongParam }
            transport = try transportKey(keys)
        }
        return try encryptionFailure {
            let secret = try ApplicationSecretKey(configuration.applicationSecret)
            let signingKey =
                if let transport {
                    try TemporaryKeyRequest.signingKey(secret, transportKey: transport)
                } else {
                    TemporaryKeyRequest.signingKey(secret)
                }
            let request = TemporaryKeyRequest(
                applicationKey: configuration.applicationKeyText, activationId: activationId)
            return TemporaryKeyExchange(jwt: try request.jwt(key: signingKey), request: request, scope: scope)
        }
    }

    mutating func acceptTemporaryKey(
        _ jwt: String, answering exchange: TemporaryKeyExchange
    ) throws(TemporaryKeyRefusal) -> TemporaryKeyValidity {
        let encodedKey: Data
        switch exchange.scope {
        case .application: encodedKey = configuration.masterServerPublicKey
        case .activation:
            guard let record = try? activated(), record.activationId == exchange.request.activationId else {
                throw .missingActivation
            }
            encodedKey = record.serverPublicKey
        }
        guard let serverKey = try? PublicKey(encoded: encodedKey) else {
            throw .untrusted("the server's own public key is not a point of the curve")
        }
        let response: TemporaryKeyResponse
        do {
            response = try TemporaryKeyResponse(verifying: jwt, key: serverKey, request: exchange.request)
        } catch {
            switch error {
            case .malformed(let reason): throw .malformed(reason)
            case .untrusted(let reason): throw .untrusted(reason)
            }
        }
        temporaryKeys[exchange.scope] = TemporaryKey(publicKey: response.publicKey.uncompressed, id: response.keyId)
        return TemporaryKeyValidity(
            keyId: response.keyId, issuedAt: Double(response.issuedAt) / 1000,
            expiresAt: Double(response.expiresAt) / 1000)
    }
}
