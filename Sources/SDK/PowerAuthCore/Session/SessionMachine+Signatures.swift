// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// A snapshot of the caller's ``PowerAuthCoreHTTPRequestData``.
struct UnsignedRequest: Sendable {
    let method: String
    let uri: String
    let body: Data
    let offlineNonce: String?
    let offlineSignatureSize: UInt

    init(_ request: PowerAuthCoreHTTPRequestData) {
        method = request.method
        uri = request.uri
        body = request.body ?? Data()
        offlineNonce = request.offlineNonce
        offlineSignatureSize = request.offlineSignatureSize
    }

    var isOffline: Bool { offlineNonce != nil }

    /// Length of the nonce's Base64 text.
    private static let nonceTextLength = 24

    var isValid: Bool {
        guard (try? SymmetricSignature.validateRequest(method: method, uriId: uri)) != nil else { return false }
        guard let offlineNonce else { return true }
        return offlineNonce.utf8.count == Self.nonceTextLength && (4...8).contains(offlineSignatureSize)
    }
}

/// Versions of signatures that are not versions of the rest of the protocol.
enum SignatureVersion {
    /// Header version of V2 activations; the server accepts it from old clients only.
    static let v2Header = "2.1"
}

/// Signatures of requests (protocol.md, section 9).
extension SessionMachine {
    mutating func sign(
        _ request: UnsignedRequest, keys: UnlockKeys, factor: PowerAuthCoreSignatureFactor
    ) throws(PowerAuthCoreErrorCode) -> PowerAuthCoreHTTPRequestDataSignature {
        var record = try activated()
        guard request.isValid, let type = SignatureType(SignatureFactors(rawValue: Int(factor.rawValue))) else {
            throw .wrongParam
        }
        guard !request.isOffline || record.pendingUpgradeVersion == .NA else { throw .wrongState }

        let nonce = request.offlineNonce ?? SymmetricSignature.randomNonce()
        let factorKeys = try unlockFactorKeys(type.factors, keys: keys, record: record)
        let configuration = configuration
        let form: SignatureForm =
            if request.isOffline {
                .decimal(length: Int(request.offlineSignatureSize))
            } else {
                record.protocolVersion == .V2 ? .decimal(length: 8) : .base64
            }
        let usedCounter = record.counterData
        let signature = try encryptionFailure {
            if request.isOffline { try SymmetricSignature.validateNonce(nonce) }
            return try SymmetricSignature.signature(
                form: form, keys: factorKeys, counter: usedCounter,
                request: SignedRequest(
                    method: request.method, uriId: request.uri, nonce: nonce, body: request.body,
                    applicationSecretText: request.isOffline
                        ? SymmetricSignature.offlineSecretText : configuration.applicationSecretText))
        }
        record.advanceCounter()
        update(record)
        return PowerAuthCoreHTTPRequestDataSignature(
            version: PowerAuthCoreSession.maxSupportedHttpProtocolVersion(record.protocolVersion),
            activationId: record.activationId,
            applicationKey: request.isOffline ? "offline" : configuration.applicationKeyText, nonce: nonce,
            factor: type.rawValue, signature: signature, usedCounter: usedCounter)
    }

    private func unlockFactorKeys(
        _ factors: SignatureFactors, keys: UnlockKeys, record: ActivationRecord
    ) throws(PowerAuthCoreErrorCode) -> SignatureKeys {
        if !factors.isDisjoint(with: [.knowledge, .biometry]) { try requireMatchingExternalKey(record) }
        let eek = externalEncryptionKey
        return try encryptionFailure {
            var possession: PossessionKey?
            var knowledge: KnowledgeKey?
            var biometry: BiometryKey?
            if factors.contains(.possession) {
                possession = try FactorKeyProtection.recover(
                    record.possessionKey, unlockKey: try keys.possession.required())
            }
            if factors.contains(.knowledge) {
                let unlock = keys.knowledge(salt: record.passwordSalt, iterations: record.passwordIterations)
                knowledge = try FactorKeyProtection.recover(
                    record.knowledgeKey, unlockKey: try unlock.required(), externalKey: eek)
            }
            if factors.contains(.biometry) {
                biometry = try FactorKeyProtection.recover(
                    try record.biometryKey.required(), unlockKey: try keys.biometry.required(), externalKey: eek)
            }
            return SignatureKeys(possession: possession, knowledge: knowledge, biometry: biometry)
        }
    }

    /// The external key must be set exactly when the activation uses one. Possession is never protected by it.
    func requireMatchingExternalKey(_ record: ActivationRecord) throws(PowerAuthCoreErrorCode) {
        guard record.usesExternalEncryptionKey == (externalEncryptionKey != nil) else { throw .encryption }
    }

    // MARK: Signatures of data

    /// Verifies an ECDSA signature of the server (protocol.md, section 10).
    func verify(
        signature: Data, of data: Data, key: PowerAuthCoreSigningDataKey, format: PowerAuthCoreSignatureFormat
    ) throws(PowerAuthCoreErrorCode) {
        guard !isInvalid else { throw .wrongState }
        let encodedKey: Data
        switch key {
        case .ecdsa_MasterServerKey: encodedKey = configuration.masterServerPublicKey
        case .ecdsa_PersonalizedKey: encodedKey = try activated().serverPublicKey
        case .hmac_Application, .hmac_Activation: throw .wrongParam
        }
        guard !signature.isEmpty else { throw .wrongParam }
        let publicKey = try encryptionFailure { try PublicKey(encoded: encodedKey) }
        guard publicKey.verify(signature: signature, of: data, format: format == .ECDSA_JOSE ? .jose : .der) else {
            throw .encryption
        }
    }

    /// HMAC-SHA256 with a key shared with the server (protocol.md, sections 8.1 and 10).
    func hmac(
        of data: Data, key: PowerAuthCoreSigningDataKey, keys: UnlockKeys?
    ) throws(PowerAuthCoreErrorCode) -> Data {
        guard !isInvalid else { throw .wrongState }
        let secret = configuration.applicationSecret
        switch key {
        case .hmac_Application: return Digest.hmacSHA256(key: secret, data: data)
        case .hmac_Activation:
            _ = try activated()
            guard let keys else { throw .wrongParam }
            let transportKey = try transportKey(keys)
            let derived = try encryptionFailure {
                try KDF.internalDerive(transportKey, data: secret, as: KeyPurpose.TemporaryKeyRequest.self)
            }
            return Digest.hmacSHA256(key: derived, data: data)
        case .ecdsa_MasterServerKey, .ecdsa_PersonalizedKey: throw .wrongParam
        }
    }
}

extension Optional {
    /// The value, or an error that the caller reports as an encryption failure.
    fileprivate func required() throws -> Wrapped {
        guard let self else { throw PowerAuthCoreErrorCode.encryption }
        return self
    }
}
