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
                try view(
                    statuses.detail(activationId: request.activationId, challenge: request.challenge), request)
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
