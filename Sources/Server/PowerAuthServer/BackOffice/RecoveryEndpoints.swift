// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// `/recovery/**` (server.md, section 14).
struct RecoveryEndpoints: Sendable {
    let service: RecoveryService

    private struct ConfigRequest: Decodable {
        var applicationId: Identifier?
        var activationRecoveryEnabled: Bool?
        var recoveryPostcardEnabled: Bool?
        var allowMultipleRecoveryCodes: Bool?
        var remotePostcardPublicKey: String?
    }

    private struct ConfigView: Codable {
        let applicationId: Identifier
        let activationRecoveryEnabled: Bool
        let recoveryPostcardEnabled: Bool
        let allowMultipleRecoveryCodes: Bool
        @ExplicitNull var postcardPublicKey: String?
        @ExplicitNull var remotePostcardPublicKey: String?
    }

    private struct UpdatedView: Codable { let updated: Bool }

    private struct CreateRequest: Decodable {
        var applicationId: Identifier?
        var userId: Identifier?
        var pukCount: LenientInteger?
    }

    private struct PukView: Codable {
        let pukIndex: Int
        /// 64 bits, as a signed number: the vendor's clients have no other.
        let pukDerivationIndex: Int64
        let status: String
    }

    private struct PostcardView: Codable {
        let nonce: String
        let userId: Identifier
        let recoveryCodeId: Int64
        let recoveryCodeMasked: String
        let status: String
        let puks: [PukView]
    }

    private struct ConfirmView: Codable {
        let activationId: Identifier
        let userId: Identifier
        let encryptedData: String
        let mac: String
        @ExplicitNull var nonce: String?
        @ExplicitNull var timestamp: UInt64?
    }

    private struct LookupRequest: Decodable {
        var userId: Identifier?
        var activationId: Identifier?
        var applicationId: Identifier?
        var recoveryCodeStatus: EnumName<RecoveryCodeStatus>?
        var recoveryPukStatus: EnumName<RecoveryPukStatus>?
    }

    private struct LookupView: Codable {
        struct Code: Codable {
            let recoveryCodeId: Int64
            let recoveryCodeMasked: String
            let userId: Identifier
            let applicationId: Identifier
            @ExplicitNull var activationId: Identifier?
            let status: String
            let puks: [PukView]

            init(_ record: RecoveryCodeRecord) {
                recoveryCodeId = record.row
                recoveryCodeMasked = record.masked
                userId = record.userId
                applicationId = record.applicationId
                activationId = record.activationId
                status = record.status.name
                // The index of the derivation is the printer's secret; it is not stored.
                puks = record.puks.map { PukView(pukIndex: $0.index, pukDerivationIndex: 0, status: $0.status.name) }
            }
        }
        let recoveryCodes: [Code]
    }

    private struct RevokeRequest: Decodable { var recoveryCodeIds: [LenientInteger]? }
    private struct RevokedView: Codable { let revoked: Bool }

    var endpoints: [Endpoint] {
        [
            .backOffice("/recovery/config/detail") { (request: ApplicationField) in
                let (application, configuration) = try service.configuration(applicationId: request.applicationId)
                return ConfigView(
                    applicationId: application.id, activationRecoveryEnabled: configuration.isActivationRecoveryEnabled,
                    recoveryPostcardEnabled: configuration.isPostcardEnabled,
                    allowMultipleRecoveryCodes: configuration.allowsMultipleCodes,
                    postcardPublicKey: configuration.postcardPublicKey.map { StrictBase64.encode($0) },
                    remotePostcardPublicKey: configuration.remotePublicKey.map { StrictBase64.encode($0) })
            },
            .backOffice("/recovery/config/update") { (request: ConfigRequest) in
                try service.configure(
                    applicationId: request.applicationId,
                    .init(
                        isActivationRecoveryEnabled: request.activationRecoveryEnabled,
                        isPostcardEnabled: request.recoveryPostcardEnabled,
                        allowsMultipleCodes: request.allowMultipleRecoveryCodes,
                        remotePublicKey: request.remotePostcardPublicKey))
                return UpdatedView(updated: true)
            },
            .backOffice("/recovery/create", create),
            .backOffice("/recovery/confirm") { (request: BackOfficeEnvelope<ActivationField>) in
                let (activation, response) = try service.confirm(request.activation(request.fields.activationId))
                let sealed = SealedView(response)
                return ConfirmView(
                    activationId: activation.id, userId: activation.userId, encryptedData: sealed.encryptedData,
                    mac: sealed.mac, nonce: sealed.nonce, timestamp: sealed.timestamp)
            },
            .backOffice("/recovery/lookup") { (request: LookupRequest) in
                let found = try service.lookup(
                    .init(
                        userId: request.userId, activationId: request.activationId,
                        applicationId: request.applicationId, status: request.recoveryCodeStatus?.value,
                        pukStatus: request.recoveryPukStatus?.value))
                return LookupView(recoveryCodes: found.map(LookupView.Code.init))
            },
            .backOffice("/recovery/revoke") { (request: RevokeRequest) in
                RevokedView(revoked: try service.revoke(request.recoveryCodeIds?.map(\.value)))
            },
        ]
    }

    @Sendable private func create(_ request: CreateRequest) throws -> PostcardView {
        let postcard = try service.createPostcard(
            applicationId: request.applicationId, userId: request.userId,
            pukCount: request.pukCount.map { Int($0.value) })
        return PostcardView(
            nonce: StrictBase64.encode(postcard.nonce), userId: postcard.record.userId,
            recoveryCodeId: postcard.record.row, recoveryCodeMasked: postcard.record.masked,
            status: postcard.record.status.name,
            puks: zip(postcard.record.puks, postcard.pukDerivationIndexes).map { puk, index in
                PukView(
                    pukIndex: puk.index, pukDerivationIndex: index.reduce(0) { $0 << 8 | Int64($1) },
                    status: puk.status.name)
            })
    }
}

extension RecoveryCodeStatus: NamedChoice {
    var name: String {
        switch self {
        case .created: "CREATED"
        case .active: "ACTIVE"
        case .blocked: "BLOCKED"
        case .revoked: "REVOKED"
        }
    }
}

extension RecoveryPukStatus: NamedChoice {
    var name: String {
        switch self {
        case .valid: "VALID"
        case .used: "USED"
        case .invalid: "INVALID"
        }
    }
}
