// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Decryption on behalf of a mobile-facing server: key exchanges, tokens, the vault, upgrades, temporary keys and the keys
/// of generic messages (server.md, sections 7.2 to 7.4, 9.1 and 10 to 13).
struct CryptographyEndpoints: Sendable {
    let context: ServiceContext

    private struct TokenFields: Decodable, Sendable {
        var activationId: Identifier?
        var signatureType: EnumName<SignatureType>?
    }

    private struct VaultFields: Decodable, Sendable {
        var activationId: Identifier?
        var applicationKey: Identifier?
        var signedData: String?
        var signature: String?
        var signatureType: EnumName<SignatureType>?
        var signatureVersion: String?
    }

    private struct VaultView: Codable {
        let signatureValid: Bool
        @ExplicitNull var encryptedData: String?
        @ExplicitNull var mac: String?
        @ExplicitNull var nonce: String?
        @ExplicitNull var timestamp: UInt64?

        init(isValid: Bool, _ response: EciesResponse?) {
            let sealed = response.map(SealedView.init)
            signatureValid = isValid
            encryptedData = sealed?.encryptedData
            mac = sealed?.mac
            nonce = sealed?.nonce
            timestamp = sealed?.timestamp
        }
    }

    private struct DecryptorRequest: Decodable {
        var activationId: Identifier?
        var applicationKey: Identifier?
        var temporaryKeyId: Identifier?
        var ephemeralPublicKey: Base64Field?
        var nonce: Base64Field?
        var protocolVersion: String?
        var timestamp: LenientInteger?
    }

    private struct DecryptorView: Codable {
        let secretKey: String
        let sharedInfo2: String
    }

    private struct KeyRequest: Decodable { var jwt: String? }
    private struct KeyView: Codable { let jwt: String }

    private struct UpgradeReference: Decodable {
        var activationId: Identifier?
        var applicationKey: Identifier?
    }

    private struct CommittedView: Codable { let committed: Bool }

    private struct PrepareFields: Decodable, Sendable {
        var activationCode: Identifier?
        var generateRecoveryCodes: Bool?
    }

    private struct CreateFields: Decodable, Sendable {
        var userId: Identifier?
        var timestampActivationExpire: RequestedDate?
        var maxFailureCount: LenientInteger?
        var activationOtp: String?
        var generateRecoveryCodes: Bool?
    }

    private struct RecoveryFields: Decodable, Sendable {
        var recoveryCode: Identifier?
        var puk: String?
        var maxFailureCount: LenientInteger?
        var activationOtp: String?
        var generateRecoveryCodes: Bool?
    }

    private struct ExchangedView: Codable {
        let activationId: Identifier
        let userId: Identifier
        let applicationId: Identifier
        let encryptedData: String
        let mac: String
        @ExplicitNull var nonce: String?
        @ExplicitNull var timestamp: UInt64?
        let activationStatus: String

        init(_ exchanged: KeyExchangeService.Exchanged<EciesResponse>) {
            let sealed = SealedView(exchanged.response)
            activationId = exchanged.activation.id
            userId = exchanged.activation.userId
            applicationId = exchanged.activation.application.id
            encryptedData = sealed.encryptedData
            mac = sealed.mac
            nonce = sealed.nonce
            timestamp = sealed.timestamp
            activationStatus = exchanged.activation.status.name
        }
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/activation/prepare") { (request: BackOfficeEnvelope<PrepareFields>) in
                ExchangedView(
                    try KeyExchangeService(context: context).exchange(
                        activationCode: request.fields.activationCode,
                        generatesRecoveryCode: request.fields.generateRecoveryCodes ?? false,
                        sealed: request.application(infersVersion: true)))
            },
            .backOffice("/activation/create") { (request: BackOfficeEnvelope<CreateFields>) in
                let fields = request.fields
                return ExchangedView(
                    try ActivationCreationService(context: context).create(
                        .init(
                            userId: fields.userId, expires: fields.timestampActivationExpire?.time,
                            maxFailureCount: fields.maxFailureCount.map { Int($0.value) }, otp: fields.activationOtp),
                        generatesRecoveryCode: fields.generateRecoveryCodes ?? true, sealed: request.application()))
            },
            .backOffice("/activation/recovery/create") { (request: BackOfficeEnvelope<RecoveryFields>) in
                let fields = request.fields
                return ExchangedView(
                    try RecoveryActivationService(context: context).recover(
                        .init(
                            code: fields.recoveryCode, puk: fields.puk,
                            maxFailureCount: fields.maxFailureCount.map { Int($0.value) }, otp: fields.activationOtp,
                            generatesRecoveryCode: fields.generateRecoveryCodes ?? true),
                        sealed: request.application()))
            },
            .backOffice("/token/create") { (request: BackOfficeEnvelope<TokenFields>) in
                guard let type = request.fields.signatureType?.value else {
                    throw ServiceError(.invalidRequest, "signatureType is missing")
                }
                return SealedView(
                    try TokenService(context: context).create(
                        request.activation(request.fields.activationId), signatureType: type))
            },
            .backOffice("/vault/unlock", unlock),
            .backOffice("/ecies/decryptor", decryptor),
            .backOffice("/keystore/create") { (request: KeyRequest) in
                guard let jwt = request.jwt else { throw ServiceError(.invalidRequest, "jwt is missing") }
                return KeyView(jwt: try TemporaryKeyService(context: context).create(jwt: jwt))
            },
            .backOffice("/keystore/remove") { (request: IdentifierField) in
                guard let id = request.id else { throw ServiceError(.invalidRequest, "id is missing") }
                try context.change { try TemporaryKeyPairStore.delete($0.database, id: id) }
                return RemovedView(id: id, removed: true)
            },
            .backOffice("/upgrade/start") { (request: BackOfficeEnvelope<ActivationField>) in
                SealedView(
                    try ProtocolUpgradeService(context: context).start(request.activation(request.fields.activationId)))
            },
            .backOffice("/upgrade/commit") { (request: UpgradeReference) in
                guard let activationId = request.activationId, let applicationKey = request.applicationKey else {
                    throw ServiceError(.decryptionFailed, "activationId and applicationKey are required")
                }
                try ProtocolUpgradeService(context: context).commit(
                    activationId: activationId, applicationKey: applicationKey)
                return CommittedView(committed: true)
            },
        ]
    }

    @Sendable private func unlock(_ request: BackOfficeEnvelope<VaultFields>) throws -> VaultView {
        let fields = request.fields
        guard let activationId = fields.activationId, let applicationKey = fields.applicationKey,
            let data = fields.signedData, let signature = fields.signature, let type = fields.signatureType?.value,
            let versionText = fields.signatureVersion
        else {
            throw ServiceError(
                .invalidRequest,
                "activationId, applicationKey, signedData, signature, signatureType and signatureVersion are required")
        }
        let vault = VaultService(context: context)
        try vault.checkFactors(type)
        let sealed = try request.activation(activationId, version: versionText)
        do {
            let outcome = try vault.unlock(
                sealed,
                signed: SignatureQuestion(
                    activationId: activationId, applicationKey: applicationKey, data: .normalized(data),
                    signature: signature, type: type, version: .v3(sealed.version)))
            return switch outcome {
            case .unlocked(let response): VaultView(isValid: true, response)
            case .invalidSignature(_, let response): VaultView(isValid: false, response)
            }
        } catch is DecodingError {
            return VaultView(isValid: false, nil)
        } catch let error as ServiceError where VaultService.unauthenticated.contains(error.code) {
            return VaultView(isValid: false, nil)
        }
    }

    @Sendable private func decryptor(_ request: DecryptorRequest) throws -> DecryptorView {
        guard let applicationKey = request.applicationKey, let ephemeralPublicKey = request.ephemeralPublicKey else {
            throw ServiceError(.invalidRequest, "applicationKey and ephemeralPublicKey are required")
        }
        guard let version = request.protocolVersion.flatMap(ProtocolVersion.init(rawValue:)) else {
            throw ServiceError(.decryptionFailed, "protocolVersion \(request.protocolVersion ?? "is missing")")
        }
        let keys = try EciesDecryptorService(context: context).keys(
            for: SealedRequest(
                version: version, applicationKey: applicationKey, activationId: request.activationId,
                envelope: EciesRequest(
                    temporaryKeyId: request.temporaryKeyId?.text, ephemeralPublicKey: ephemeralPublicKey.data,
                    encryptedData: Data(), mac: Data(), nonce: request.nonce?.data,
                    timestamp: request.timestamp.map { UInt64(clamping: $0.value) })))
        return DecryptorView(
            secretKey: StrictBase64.encode(keys.envelope.rawData), sharedInfo2: StrictBase64.encode(keys.sharedInfo2))
    }
}
