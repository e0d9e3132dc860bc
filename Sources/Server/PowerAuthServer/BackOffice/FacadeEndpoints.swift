// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol

/// `/v2/**`: the back end that the vendor's own integration tests of the Mobile Token SDK talk to
/// (mobile-token.md, section 22). JSON without envelope, moments as milliseconds.
struct FacadeEndpoints: Sendable {
    let context: ServiceContext

    private struct RegistrationRequest: Decodable {
        var userId: Identifier?
        var flags: [Identifier]?
        var appId: Identifier?
    }

    private struct CommitRequest: Decodable { var externalUserId: Identifier? }

    private struct OperationRequest: Decodable {
        var userId: Identifier?
        var template: Identifier?
        var proximityCheckEnabled: Bool?
        var parameters: [String: String]?
    }

    private struct FacadeOperation: Encodable {
        let operationId: Identifier
        let userId: Identifier?
        let status: String
        let operationType: Identifier
        let failureCount: Int
        let maxFailureCount: Int
        let timestampCreated: Int64
        let timestampExpires: Int64
        let proximityOtp: String?
    }

    private struct OtpRequest: Decodable {
        var otp: String?
        var nonce: String?
        var registrationId: Identifier?
    }

    private struct OtpAnswer: Encodable {
        let otpValid: Bool
        let userId: Identifier?
        let registrationId: Identifier?
        let registrationStatus: String
        let signatureType: String
        let remainingAttempts: Int
    }

    private struct MessageRequest: Decodable {
        var userId: Identifier?
        var subject: String?
        var summary: String?
        var body: String?
        var type: InboxMessage.Format?
        var silent: Bool?
    }

    private struct Message: Encodable {
        let id: Identifier
        let subject: String
        let summary: String
        let body: String?
        let type: InboxMessage.Format
        let timestamp: Int64
        let read: Bool
    }

    private var operations: OperationService { OperationService(context: context) }
    private var activations: ActivationService { ActivationService(context: context) }
    private var offline: OfflineOperationService { OfflineOperationService(context: context) }

    var endpoints: [Endpoint] {
        [
            .lab(
                "/v2/registrations", methods: ["POST"], takes: RegistrationRequest.self,
                limits: ["": .having(["userId"]), "userId": .notBlank(upTo: 255)], answer: register),
            .lab("/v2/registrations/{id}/commit", methods: ["POST"], takes: CommitRequest.self, answer: commit),
            .lab(
                "/v2/operations", methods: ["POST"], takes: OperationRequest.self,
                limits: ["": .having(["template"]), "template": .notBlank, "userId": .notEmpty],
                answer: createOperation),
            .lab("/v2/operations/{id}", methods: ["GET", "DELETE"], answer: operation),
            .lab("/v2/operations/{id}/offline/qr", methods: ["GET"]) { request in
                let code = try offline.code(
                    operationId: request.identifier("id"),
                    activationId: try QueryParameters(request.query).identifier("registrationId"))
                return try .ok(["operationQrCodeData": code.text, "nonce": code.nonce])
            },
            .lab(
                "/v2/operations/{id}/offline/otp", methods: ["POST"], takes: OtpRequest.self,
                limits: [
                    "": .having(["registrationId", "nonce", "otp"]), "otp": ["pattern": "^[0-9]{4,8}-[0-9]{4,8}$"],
                ], answer: verify),
            .lab(
                "/v2/inbox/messages", methods: ["POST"], takes: MessageRequest.self, limits: InboxService.limits,
                answer: createMessage),
        ]
    }

    @Sendable private func register(_ request: ServerRequest) throws -> ServerResponse {
        let wanted = try request.content(RegistrationRequest.self)
        let initiated = try activations.initiate(
            .init(
                userId: wanted.userId, applicationId: try wanted.appId ?? context.read(ApplicationStore.all).first?.id,
                flags: wanted.flags ?? []))
        let signature = StrictBase64.encode(initiated.codeSignature)
        return try .ok([
            "registrationId": initiated.activation.id.text,
            "activationQrCodeData": "\(initiated.activation.code)#\(signature)",
        ])
    }

    @Sendable private func commit(_ request: ServerRequest) throws -> ServerResponse {
        let externalUserId =
            try request.body.isEmpty ? nil : request.content(CommitRequest.self).externalUserId
        let activation = try activations.commit(
            activationId: request.identifier("id"), otp: nil, externalUserId: externalUserId)
        return try .ok(["status": activation.status.name])
    }

    @Sendable private func createOperation(_ request: ServerRequest) throws -> ServerResponse {
        let wanted = try request.content(OperationRequest.self)
        let operation = try LabShortcuts(context: context).createOperation(
            .init(
                userId: wanted.userId, templateName: wanted.template,
                parameters: wanted.parameters ?? [:], isProximityCheckEnabled: wanted.proximityCheckEnabled))
        return try answer(with: operation)
    }

    @Sendable private func operation(_ request: ServerRequest) throws -> ServerResponse {
        let id = try request.identifier("id")
        if request.method == "DELETE" {
            let canceled = try OperationDecisionService(context: context).cancel(
                operationId: id, additionalData: nil, statusReason: try QueryParameters(request.query)["statusReason"])
            return try .ok(["status": canceled.status.name])
        }
        return try answer(with: operations.detail(id: id, userId: nil))
    }

    private func answer(with operation: OperationRecord) throws -> ServerResponse {
        try .ok(
            FacadeOperation(
                operationId: operation.id, userId: operation.userId, status: operation.status.name,
                operationType: operation.operationType, failureCount: operation.failureCount,
                maxFailureCount: operation.maxFailureCount, timestampCreated: operation.created.milliseconds,
                timestampExpires: operation.expires.milliseconds, proximityOtp: context.proximityCode(of: operation)))
    }

    @Sendable private func verify(_ request: ServerRequest) throws -> ServerResponse {
        let wanted = try request.content(OtpRequest.self)
        let outcome = try offline.verify(
            .init(
                operationId: request.identifier("id"), activationId: wanted.registrationId, nonce: wanted.nonce,
                digits: wanted.otp))
        return try .ok(
            OtpAnswer(
                otpValid: outcome.isValid, userId: outcome.activation?.userId, registrationId: wanted.registrationId,
                registrationStatus: (outcome.activation?.status ?? .removed).name,
                signatureType: outcome.signatureType.name, remainingAttempts: outcome.remainingAttempts))
    }

    @Sendable private func createMessage(_ request: ServerRequest) throws -> ServerResponse {
        let wanted = try request.content(MessageRequest.self)
        let message = try InboxService(context: context).create(
            .init(
                userId: wanted.userId, format: wanted.type ?? .text, subject: wanted.subject,
                summary: wanted.summary, body: wanted.body, isSilent: wanted.silent ?? false))
        return try .ok(
            Message(
                id: message.id, subject: message.subject, summary: message.summary, body: message.body,
                type: message.format, timestamp: message.created.milliseconds, read: false))
    }
}
