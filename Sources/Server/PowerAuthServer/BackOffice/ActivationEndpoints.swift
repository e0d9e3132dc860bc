// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// `/activation/**` (server.md, section 7).
struct ActivationEndpoints: Sendable {
    let activations: ActivationService
    let statuses: StatusService
    let policy: ServerPolicy

    private struct InitRequest: Decodable {
        var `protocol`: EnumName<ActivationProtocol>?
        var userId: Identifier?
        var applicationId: Identifier?
        var timestampActivationExpire: RequestedDate?
        var maxFailureCount: LenientInteger?
        var activationOtpValidation: EnumName<OtpValidationMode>?
        var commitPhase: EnumName<CommitPhase>?
        var activationOtp: String?
        var flags: [Identifier]?
    }

    private struct InitView: Codable {
        let activationId: Identifier
        let activationCode: String
        let activationSignature: String
        let userId: Identifier
        let applicationId: Identifier
    }

    private struct CommitRequest: Decodable {
        var activationId: Identifier?
        var externalUserId: Identifier?
        var activationOtp: String?
    }

    private struct BlockRequest: Decodable {
        var activationId: Identifier?
        var externalUserId: Identifier?
        var reason: String?
    }

    private struct UnblockRequest: Decodable {
        var activationId: Identifier?
        var externalUserId: Identifier?
    }

    private struct RemoveRequest: Decodable {
        var activationId: Identifier?
        var externalUserId: Identifier?
        var revokeRecoveryCodes: Bool?
    }

    private struct CommitView: Codable {
        let activationId: Identifier
        let activated: Bool
    }

    private struct BlockView: Codable {
        let activationId: Identifier
        let activationStatus: String
        @ExplicitNull var blockedReason: String?
    }

    private struct UnblockView: Codable {
        let activationId: Identifier
        let activationStatus: String
    }

    private struct RemoveView: Codable {
        let activationId: Identifier
        let removed: Bool
    }

    private struct StatusRequest: Decodable {
        var activationId: Identifier?
        var challenge: String?
    }

    private struct ListRequest: Decodable {
        var userId: Identifier?
        var applicationId: Identifier?
        var protocols: [EnumName<ActivationProtocol>]?
        var pageNumber: LenientInteger?
        var pageSize: LenientInteger?
        var activationStatuses: [EnumName<ActivationState>]?
    }

    private struct ListView: Codable {
        let userId: Identifier
        let activations: [ActivationView]
    }

    private struct HistoryRequest: Decodable {
        var activationId: Identifier?
        var timestampFrom: RequestedDate?
        var timestampTo: RequestedDate?
    }

    private struct HistoryView: Codable {
        struct Item: Codable {
            let id: Int64
            let activationId: Identifier
            let activationStatus: String
            @ExplicitNull var eventReason: String?
            @ExplicitNull var externalUserId: Identifier?
            @ExplicitNull var activationName: String?
            let timestampCreated: BackOfficeDate
            @ExplicitNull var version: Int?
        }
        let items: [Item]
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/activation/init", initiate),
            .backOffice("/activation/commit") { (request: CommitRequest) in
                let activation = try activations.commit(
                    activationId: request.activationId, otp: request.activationOtp,
                    externalUserId: request.externalUserId)
                return CommitView(activationId: activation.id, activated: true)
            },
            .backOffice(
                "/activation/status",
                quickly: { (request: StatusRequest) in
                    try statuses.cachedDetail(activationId: request.activationId, challenge: request.challenge)
                        .map { try view($0, request) }
                }
            ) { (request: StatusRequest) in
                try view(statuses.detail(activationId: request.activationId, challenge: request.challenge), request)
            },
            .backOffice("/activation/block") { (request: BlockRequest) in
                let activation = try activations.block(
                    activationId: request.activationId, reason: request.reason, externalUserId: request.externalUserId)
                return BlockView(
                    activationId: activation.id, activationStatus: activation.status.name,
                    blockedReason: activation.lifecycle.blockedReason)
            },
            .backOffice("/activation/unblock") { (request: UnblockRequest) in
                let activation = try activations.unblock(
                    activationId: request.activationId, externalUserId: request.externalUserId)
                return UnblockView(activationId: activation.id, activationStatus: activation.status.name)
            },
            .backOffice("/activation/remove") { (request: RemoveRequest) in
                let activation = try activations.remove(
                    activationId: request.activationId, externalUserId: request.externalUserId,
                    revokeRecoveryCodes: request.revokeRecoveryCodes ?? false)
                return RemoveView(activationId: activation.id, removed: true)
            },
            .backOffice("/activation/list") { (request: ListRequest) in
                let found = try activations.list(
                    userId: request.userId, applicationId: request.applicationId,
                    protocols: (request.protocols ?? []).map(\.value),
                    statuses: (request.activationStatuses ?? []).map(\.value),
                    page: request.pageNumber.map { Int($0.value) }, pageSize: request.pageSize.map { Int($0.value) })
                return ListView(userId: request.userId ?? .none, activations: found.map(ActivationView.init))
            },
            .backOffice("/activation/history", history),
        ]
    }

    private func view(_ detail: StatusService.Detail, _ request: StatusRequest) throws -> ActivationStatusView {
        ActivationStatusView(
            id: try ActivationService.required(request.activationId), detail: detail,
            maxFailedAttempts: policy.maxFailedAttempts)
    }

    @Sendable private func initiate(_ request: InitRequest) throws -> InitView {
        guard request.protocol?.value ?? .powerauth == .powerauth else {
            throw ServiceError.invalid("this server supports activations of the protocol powerauth only")
        }
        let initiated = try activations.initiate(
            .init(
                userId: request.userId, applicationId: request.applicationId,
                expires: request.timestampActivationExpire?.time,
                maxFailureCount: request.maxFailureCount.map { Int($0.value) },
                otpValidation: request.activationOtpValidation?.value, commitPhase: request.commitPhase?.value,
                otp: request.activationOtp, flags: request.flags ?? []))
        return InitView(
            activationId: initiated.activation.id, activationCode: initiated.activation.code,
            activationSignature: StrictBase64.encode(initiated.codeSignature), userId: initiated.activation.userId,
            applicationId: initiated.activation.application.id)
    }

    @Sendable private func history(_ request: HistoryRequest) throws -> HistoryView {
        let items = try activations.history(
            activationId: request.activationId, from: request.timestampFrom?.time, to: request.timestampTo?.time)
        return HistoryView(
            items: items.map { item in
                HistoryView.Item(
                    id: item.id, activationId: item.activationId, activationStatus: item.status.name,
                    eventReason: item.reason, externalUserId: item.externalUserId, activationName: item.name,
                    timestampCreated: BackOfficeDate(item.created), version: item.version)
            })
    }
}

/// The answer of `/activation/status` (server.md, section 7.7). All fields are always present.
struct ActivationStatusView: Codable {
    let activationId: Identifier
    let activationStatus: String
    let activationOtpValidation: String
    let commitPhase: String
    @ExplicitNull var blockedReason: String?
    @ExplicitNull var activationName: String?
    let userId: Identifier
    @ExplicitNull var extras: String?
    var `protocol` = "powerauth"
    @ExplicitNull var externalId: Identifier?
    @ExplicitNull var platform: String?
    @ExplicitNull var deviceInfo: String?
    @ExplicitNull var applicationId: Identifier?
    let failedAttempts: Int
    let maxFailedAttempts: Int
    let timestampCreated: BackOfficeDate
    let timestampLastUsed: BackOfficeDate
    @ExplicitNull var timestampLastChange: BackOfficeDate?
    let encryptedStatusBlob: String
    @ExplicitNull var encryptedStatusBlobNonce: String?
    @ExplicitNull var activationCode: String?
    @ExplicitNull var activationSignature: String?
    @ExplicitNull var devicePublicKeyFingerprint: String?
    let version: Int
    let activationFlags: [Identifier]
    let applicationRoles: [Identifier]
}

extension ActivationStatusView {
    /// - Parameter maxFailedAttempts: reported for an unknown activation.
    init(id: Identifier, detail: StatusService.Detail, maxFailedAttempts: Int) {
        let activation = detail.activation
        let binding = activation?.status == .created ? nil : activation?.lifecycle.binding
        let epoch = ServerTime(milliseconds: 0)
        self.init(
            activationId: id, activationStatus: (activation?.status ?? .removed).name,
            activationOtpValidation: (activation?.otp.mode ?? .none).name,
            commitPhase: (activation?.otp.commitPhase ?? .onCommit).name,
            blockedReason: activation?.lifecycle.blockedReason,
            activationName: activation == nil ? "unknown" : activation?.name,
            userId: activation?.userId ?? Identifier(known: "unknown"), extras: activation?.extras,
            externalId: activation?.externalId, platform: activation?.platform, deviceInfo: activation?.deviceInfo,
            applicationId: activation?.application.id, failedAttempts: activation?.failedAttempts ?? 0,
            maxFailedAttempts: activation?.maxFailedAttempts ?? maxFailedAttempts,
            timestampCreated: BackOfficeDate(activation?.created ?? epoch),
            timestampLastUsed: BackOfficeDate(activation?.lastUsed ?? epoch),
            timestampLastChange: activation?.lastChange.map(BackOfficeDate.init),
            encryptedStatusBlob: StrictBase64.encode(detail.encryptedBlob),
            encryptedStatusBlobNonce: detail.blobNonce.map { StrictBase64.encode($0) },
            activationCode: detail.code?.text,
            activationSignature: detail.code.map { StrictBase64.encode($0.signature) },
            devicePublicKeyFingerprint: detail.fingerprint, version: binding?.version ?? 0,
            activationFlags: activation?.flags ?? [], applicationRoles: activation?.application.roles ?? [])
    }
}

/// One activation in a list (server.md, section 7.9).
struct ActivationView: Codable {
    let activationId: Identifier
    let activationStatus: String
    @ExplicitNull var blockedReason: String?
    @ExplicitNull var activationName: String?
    @ExplicitNull var externalId: Identifier?
    @ExplicitNull var extras: String?
    var `protocol` = "powerauth"
    @ExplicitNull var platform: String?
    @ExplicitNull var deviceInfo: String?
    let activationFlags: [Identifier]
    let timestampCreated: BackOfficeDate
    let timestampLastUsed: BackOfficeDate
    @ExplicitNull var timestampLastChange: BackOfficeDate?
    let userId: Identifier
    let applicationId: Identifier
    @ExplicitNull var applicationName: String?
    let failedAttempts: Int
    let maxFailedAttempts: Int
    @ExplicitNull var devicePublicKeyBase64: String?
    let version: Int
}

extension ActivationView {
    init(_ activation: Activation) {
        let binding = activation.lifecycle.binding
        self.init(
            activationId: activation.id, activationStatus: activation.status.name,
            blockedReason: activation.lifecycle.blockedReason, activationName: activation.name,
            externalId: activation.externalId, extras: activation.extras, platform: activation.platform,
            deviceInfo: activation.deviceInfo, activationFlags: activation.flags,
            timestampCreated: BackOfficeDate(activation.created),
            timestampLastUsed: BackOfficeDate(activation.lastUsed),
            timestampLastChange: activation.lastChange.map(BackOfficeDate.init), userId: activation.userId,
            applicationId: activation.application.id, applicationName: nil, failedAttempts: activation.failedAttempts,
            maxFailedAttempts: activation.maxFailedAttempts,
            devicePublicKeyBase64: binding.map { StrictBase64.encode($0.devicePublicKey) },
            version: binding?.version ?? 0)
    }
}
