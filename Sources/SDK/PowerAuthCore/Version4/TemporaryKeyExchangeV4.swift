// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol

/// The server's temporary key of one scope in protocol 4. Kept in memory only.
struct TemporaryKeyV4: Sendable {
    let id: String
    let secret: TemporaryKeySecret
}

/// One request for a temporary key of protocol 4 (protocol-4.md, section 6). Immutable. Thread rule: any thread.
package struct TemporaryKeyExchangeV4: Sendable {
    /// The request's token, to be sent to the server.
    package let jwt: String
    /// Scope of the key.
    package let scope: PowerAuthCoreEciesEncryptorScope
    let request: TemporaryKeyRequestV4
    let secret: SharedSecretClient
}

/// Temporary keys, and what is encrypted under them (protocol-4.md, sections 6 and 7).
extension SessionMachine {
    func temporaryKeyExchangeV4(
        for scope: PowerAuthCoreEciesEncryptorScope, keys: UnlockKeys?
    ) throws(PowerAuthCoreErrorCode) -> TemporaryKeyExchangeV4 {
        let version4 = try configurationV4()
        let suite: CryptographySuite
        let activationId: String?
        let signingKey: TemporaryKeyRequestV4.Key
        switch scope {
        case .application:
            suite = version4.suite
            activationId = nil
            signingKey = TemporaryKeyRequestV4.key(version4.applicationSecret)
        case .activation:
            let record = try recordV4()
            guard let keys else { throw .wrongParam }
            suite = record.suite
            activationId = record.activationId
            signingKey = try record.utilityKeys(keys).temporaryKeyRequest
        }
        let applicationKey = configuration.applicationKeyText
        return try encryptionFailure {
            let secret = try SharedSecretClient(suite: suite)
            let request = TemporaryKeyRequestV4(
                applicationKey: applicationKey, activationId: activationId, sharedSecretRequest: secret.request)
            return TemporaryKeyExchangeV4(
                jwt: try request.jwt(key: signingKey), scope: scope, request: request, secret: secret)
        }
    }

    mutating func acceptTemporaryKeyV4(
        _ jws: JWS, answering exchange: TemporaryKeyExchangeV4
    ) throws(TemporaryKeyRefusal) -> TemporaryKeyValidity {
        let serverKeys: SuitePublicKeys
        switch exchange.scope {
        case .application:
            guard let version4 else { throw .missingActivation }
            serverKeys = version4.masterKeys
        case .activation:
            guard let record = try? recordV4(), record.activationId == exchange.request.activationId else {
                throw .missingActivation
            }
            guard let keys = try? SuitePublicKeys(record.serverPublicKeys, suite: record.suite) else {
                throw .untrusted("the server's own public keys are not those of \(record.suite)")
            }
            serverKeys = keys
        }
        let response: TemporaryKeyResponseV4
        do {
            response = try TemporaryKeyResponseV4(verifying: jws, keys: serverKeys, request: exchange.request)
        } catch {
            switch error {
            case .malformed(let reason): throw .malformed(reason)
            case .untrusted(let reason): throw .untrusted(reason)
            }
        }
        let secret: TemporaryKeySecret
        do {
            secret = try exchange.secret.secret(of: response.sharedSecretResponse)
                .converted(to: KeyPurpose.TemporaryKey.self)
        } catch {
            throw .malformed("\(error)")
        }
        temporaryKeysV4[exchange.scope] = TemporaryKeyV4(id: response.keyId, secret: secret)
        return TemporaryKeyValidity(
            keyId: response.keyId, issuedAt: Double(response.issuedAt) / 1000,
            expiresAt: Double(response.expiresAt) / 1000)
    }

    mutating func removeTemporaryKeyV4(for scope: PowerAuthCoreEciesEncryptorScope) { temporaryKeysV4[scope] = nil }

    /// - Parameter keys: possession unlock key; needed for purposes in activation scope only.
    func aeadParameters(
        for purpose: AeadPurpose, keys: UnlockKeys?
    ) throws(PowerAuthCoreErrorCode) -> AeadParameters {
        let version4 = try configurationV4()
        let scope = purpose.scope
        switch scope {
        case .application:
            guard let key = temporaryKeysV4[scope] else { throw .wrongState }
            return AeadParameters(
                purpose: purpose, applicationKey: configuration.applicationKeyText,
                applicationSecret: version4.applicationSecret, temporaryKeyId: key.id, secret: key.secret)
        case .activation:
            let record = try recordV4()
            guard let key = temporaryKeysV4[scope] else { throw .wrongState }
            guard let keys else { throw .wrongParam }
            return AeadParameters(
                purpose: purpose, applicationKey: configuration.applicationKeyText,
                applicationSecret: version4.applicationSecret, activationId: record.activationId,
                key: try record.utilityKeys(keys).sharedInfo2, temporaryKeyId: key.id, secret: key.secret)
        }
    }
}
