import Foundation
import PowerAuthProtocol

/// `/activation/**` (server.md, section 7).
struct ActivationEndpoints: Sendable {
    let activations: ActivationService
    let keyExchange: KeyExchangeService
    let statuses: StatusService
    let policy: ServerPolicy

    private struct InitRequest: Decodable {
        var userId: String?
        var applicationId: String?
        var timestampActivationExpire: BackOfficeDate?
        var maxFailureCount: LenientInteger?
        var activationOtpValidation: EnumName<OtpValidationMode>?
        var commitPhase: EnumName<CommitPhase>?
        var activationOtp: String?
        var flags: [String]?
    }

    private struct InitView: Encodable {
        let activationId: String
        let activationCode: String
        let activationSignature: String
        let userId: String
        let applicationId: String
    }

    private struct PrepareRequest: Decodable {
        var activationCode: String?
        var applicationKey: String?
        var protocolVersion: String?
    }

    private struct PrepareView: Encodable {
        let activationId: String
        let userId: String
        let applicationId: String
        let encryptedData: String
        let mac: String
        @ExplicitNull var nonce: String?
        @ExplicitNull var timestamp: UInt64?
        let activationStatus: String

        init(_ exchanged: KeyExchangeService.Exchanged) {
            activationId = exchanged.activation.id
            userId = exchanged.activation.userId
            applicationId = exchanged.activation.application.id
            encryptedData = StrictBase64.encode(exchanged.response.encryptedData)
            mac = StrictBase64.encode(exchanged.response.mac)
            nonce = exchanged.response.nonce.map { StrictBase64.encode($0) }
            timestamp = exchanged.response.timestamp
            activationStatus = exchanged.activation.status.name
        }
    }

    private struct ChangeRequest: Decodable {
        var activationId: String?
        var externalUserId: String?
        var activationOtp: String?
        var reason: String?
    }

    private struct CommitView: Encodable {
        let activationId: String
        let activated: Bool
    }

    private struct BlockView: Encodable {
        let activationId: String
        let activationStatus: String
        @ExplicitNull var blockedReason: String?
    }

    private struct UnblockView: Encodable {
        let activationId: String
        let activationStatus: String
    }

    private struct RemoveView: Encodable {
        let activationId: String
        let removed: Bool
    }

    private struct StatusRequest: Decodable {
        var activationId: String?
        var challenge: String?
    }

    private struct ListRequest: Decodable {
        var userId: String?
        var applicationId: String?
        var pageNumber: LenientInteger?
        var pageSize: LenientInteger?
        var activationStatuses: [EnumName<ActivationState>]?
    }

    private struct ListView: Encodable {
        let userId: String
        let activations: [ActivationView]
    }

    private struct HistoryRequest: Decodable {
        var activationId: String?
        var timestampFrom: BackOfficeDate?
        var timestampTo: BackOfficeDate?
    }

    private struct HistoryView: Encodable {
        struct Item: Encodable {
            let id: Int64
            let activationId: String
            let activationStatus: String
            @ExplicitNull var eventReason: String?
            @ExplicitNull var externalUserId: String?
            @ExplicitNull var activationName: String?
            let timestampCreated: BackOfficeDate
            @ExplicitNull var version: Int?
        }
        let items: [Item]
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/activation/init", initiate),
            prepare,
            .backOffice("/activation/commit") { (request: ChangeRequest) in
                let activation = try activations.commit(
                    activationId: request.activationId, otp: request.activationOtp,
                    externalUserId: request.externalUserId)
                return CommitView(activationId: activation.id, activated: true)
            },
            .backOffice("/activation/status") { (request: StatusRequest) in
                ActivationStatusView(
                    id: try ActivationService.required(request.activationId),
                    detail: try statuses.detail(activationId: request.activationId, challenge: request.challenge),
                    maxFailedAttempts: policy.maxFailedAttempts)
            },
            .backOffice("/activation/block") { (request: ChangeRequest) in
                let activation = try activations.block(
                    activationId: request.activationId, reason: request.reason, externalUserId: request.externalUserId)
                return BlockView(
                    activationId: activation.id, activationStatus: activation.status.name,
                    blockedReason: activation.lifecycle.blockedReason)
            },
            .backOffice("/activation/unblock") { (request: ChangeRequest) in
                let activation = try activations.unblock(
                    activationId: request.activationId, externalUserId: request.externalUserId)
                return UnblockView(activationId: activation.id, activationStatus: activation.status.name)
            },
            .backOffice("/activation/remove") { (request: ChangeRequest) in
                let activation = try activations.remove(
                    activationId: request.activationId, externalUserId: request.externalUserId)
                return RemoveView(activationId: activation.id, removed: true)
            },
            .backOffice("/activation/list") { (request: ListRequest) in
                let found = try activations.list(
                    userId: request.userId, applicationId: request.applicationId,
                    statuses: (request.activationStatuses ?? []).map(\.value),
                    page: request.pageNumber.map { Int($0.value) }, pageSize: request.pageSize.map { Int($0.value) })
                return ListView(userId: request.userId ?? "", activations: found.map(ActivationView.init))
            },
            .backOffice("/activation/history", history),
        ]
    }

    @Sendable private func initiate(_ request: InitRequest) throws -> InitView {
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

    /// The envelope's fields stand beside the others in the request object, so the object is read twice.
    private var prepare: Endpoint {
        Endpoint(face: .backOffice, path: "/rest/v3/activation/prepare", methods: ["POST"], fallback: .unexpected) {
            let request = try JSONBody.decode(RequestEnvelope<PrepareRequest>.self, from: $0.body).requestObject
            let exchanged = try keyExchange.exchange(
                activationCode: request.activationCode,
                sealed: try SealedRequest(
                    backOfficeBody: $0.body, version: request.protocolVersion, applicationKey: request.applicationKey,
                    activationId: nil))
            return try .ok(ResponseEnvelope(responseObject: PrepareView(exchanged)))
        }
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

extension SealedRequest {
    /// Reads an envelope out of a back-office request object, for whoever decrypts on behalf of a device.
    /// - Throws: ERR0018 for a version that is not one of the four, ERR0024 for a missing or unreadable field.
    init(backOfficeBody body: Data, version: String?, applicationKey: String?, activationId: String?) throws {
        guard let version = version.flatMap(ProtocolVersion.init(rawValue:)) else {
            throw ServiceError(.decryptionFailed, "protocolVersion \(version ?? "is missing")")
        }
        guard let applicationKey else { throw ServiceError(.invalidRequest, "applicationKey is missing") }
        do {
            let envelope = try JSONBody.decode(RequestEnvelope<EciesRequest>.self, from: body).requestObject
            self.init(
                version: version, applicationKey: applicationKey, activationId: activationId, envelope: envelope)
        } catch {
            throw ServiceError(.invalidRequest, "envelope: \(error)")
        }
    }
}
