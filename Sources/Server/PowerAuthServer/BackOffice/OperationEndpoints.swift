// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol

/// `/operation/**` (server.md, section 18).
struct OperationEndpoints: Sendable {
    let context: ServiceContext

    private struct CreateRequest: Decodable {
        var userId: Identifier?
        var applications: [Identifier]?
        var activationFlag: Identifier?
        var templateName: Identifier?
        var timestampExpires: RequestedDate?
        var externalId: Identifier?
        var parameters: [String: String?]?
        var additionalData: [String: JSONValue]?
        var proximityCheckEnabled: Bool?
        var activationId: Identifier?
    }

    private struct UserRequest: Decodable {
        var operationId: Identifier?
        var userId: Identifier?
    }

    private struct CancelRequest: Decodable {
        var operationId: Identifier?
        var additionalData: [String: JSONValue]?
        var statusReason: String?
    }

    private struct ListRequest: Decodable {
        var userId: Identifier?
        var applications: [Identifier]?
        var activationId: Identifier?
        var pageNumber: LenientInteger?
        var pageSize: LenientInteger?

        var query: OperationService.Query {
            .init(
                applicationIds: applications ?? [], activationId: activationId,
                page: pageNumber.map { Int($0.value) }, pageSize: pageSize.map { Int($0.value) })
        }
    }

    private struct ExternalListRequest: Decodable {
        var externalId: Identifier?
        var applications: [Identifier]?
        var pageNumber: LenientInteger?
        var pageSize: LenientInteger?

        var query: OperationService.Query {
            .init(
                applicationIds: applications ?? [], page: pageNumber.map { Int($0.value) },
                pageSize: pageSize.map { Int($0.value) })
        }
    }

    private struct ApprovalRequest: Decodable {
        var operationId: Identifier?
        var userId: Identifier?
        var applicationId: Identifier?
        var data: String?
        var signatureType: EnumName<SignatureType>?
        var additionalData: [String: JSONValue]?
    }

    private struct FailureRequest: Decodable {
        var operationId: Identifier?
        var additionalData: [String: JSONValue]?
    }

    private struct RejectionRequest: Decodable {
        var operationId: Identifier?
        var userId: Identifier?
        var applicationId: Identifier?
        var additionalData: [String: JSONValue]?
    }

    private struct DecisionView: Codable {
        let result: String
        let operation: OperationView

        init(_ decided: OperationDecisionService.Decided) {
            (result, operation) = (decided.result.rawValue, OperationView(decided.operation))
        }
    }

    var endpoints: [Endpoint] {
        let operations = OperationService(context: context)
        let decisions = OperationDecisionService(context: context)
        @Sendable func showingCode(_ operation: OperationRecord) -> OperationView {
            OperationView(operation, proximityCode: context.proximityCode(of: operation))
        }
        return [
            .backOffice("/operation/create", create),
            .backOffice("/operation/detail") { (request: UserRequest) in
                showingCode(try operations.detail(id: request.operationId, userId: request.userId))
            },
            .backOffice("/operation/claim") { (request: UserRequest) in
                showingCode(try operations.claim(id: request.operationId, userId: request.userId))
            },
            .backOffice("/operation/list") { (request: ListRequest) in
                try operations.list(userId: request.userId, request.query, isPendingOnly: false)
                    .map { OperationView($0) }
            },
            .backOffice("/operation/list/pending") { (request: ListRequest) in
                try operations.list(userId: request.userId, request.query, isPendingOnly: true).map(showingCode)
            },
            .backOffice("/operation/list/external") { (request: ExternalListRequest) in
                try operations.list(externalId: request.externalId, request.query).map { OperationView($0) }
            },
            .backOffice("/operation/approve") { (request: ApprovalRequest) in
                DecisionView(
                    try decisions.approve(
                        .init(
                            operationId: request.operationId, userId: request.userId,
                            applicationId: request.applicationId, data: request.data,
                            signatureType: request.signatureType?.value, additionalData: request.additionalData)))
            },
            .backOffice("/operation/approve/fail") { (request: FailureRequest) in
                DecisionView(
                    try decisions.failApproval(
                        operationId: request.operationId, additionalData: request.additionalData))
            },
            .backOffice("/operation/reject") { (request: RejectionRequest) in
                DecisionView(
                    try decisions.reject(
                        operationId: request.operationId, userId: request.userId,
                        applicationId: request.applicationId, additionalData: request.additionalData))
            },
            .backOffice("/operation/cancel") { (request: CancelRequest) in
                OperationView(
                    try decisions.cancel(
                        operationId: request.operationId, additionalData: request.additionalData,
                        statusReason: request.statusReason))
            },
        ]
    }

    @Sendable private func create(_ request: CreateRequest) throws -> OperationView {
        let parameters = try (request.parameters ?? [:]).mapValues { value in
            guard let value else { throw ServiceError.invalid("parameters must not be null") }
            return value
        }
        let operation = try OperationService(context: context).create(
            .init(
                userId: request.userId, applicationIds: request.applications ?? [],
                activationFlag: request.activationFlag, templateName: request.templateName,
                expires: request.timestampExpires?.time, externalId: request.externalId, parameters: parameters,
                additionalData: request.additionalData ?? [:],
                isProximityCheckEnabled: request.proximityCheckEnabled, activationId: request.activationId))
        return OperationView(operation, proximityCode: context.proximityCode(of: operation))
    }
}

/// An operation as answers and callbacks show it (server.md, section 18.1). All fields are always present.
struct OperationView: Codable {
    let id: Identifier
    @ExplicitNull var userId: Identifier?
    let applications: [Identifier]
    @ExplicitNull var externalId: Identifier?
    @ExplicitNull var activationFlag: Identifier?
    let operationType: Identifier
    let templateName: Identifier
    let data: String
    let parameters: [String: String]
    let additionalData: [String: JSONValue]
    let status: String
    @ExplicitNull var statusReason: String?
    let signatureType: [String]
    let failureCount: Int
    let maxFailureCount: Int
    let timestampCreated: BackOfficeDate
    let timestampExpires: BackOfficeDate
    @ExplicitNull var timestampFinalized: BackOfficeDate?
    @ExplicitNull var riskFlags: String?
    @ExplicitNull var proximityOtp: String?
    @ExplicitNull var activationId: Identifier?
}

extension OperationView {
    /// - Parameter proximityCode: shown where the user is near; nil omits it.
    init(_ operation: OperationRecord, proximityCode: String? = nil) {
        self.init(
            id: operation.id, userId: operation.userId, applications: operation.applications.map(\.id),
            externalId: operation.externalId, activationFlag: operation.activationFlag,
            operationType: operation.operationType, templateName: operation.templateName, data: operation.data,
            parameters: operation.parameters, additionalData: operation.additionalData, status: operation.status.name,
            statusReason: operation.statusReason, signatureType: operation.signatureTypes.map(\.name),
            failureCount: operation.failureCount, maxFailureCount: operation.maxFailureCount,
            timestampCreated: BackOfficeDate(operation.created), timestampExpires: BackOfficeDate(operation.expires),
            timestampFinalized: operation.finalized.map(BackOfficeDate.init), riskFlags: operation.riskFlags,
            proximityOtp: proximityCode, activationId: operation.activationId)
    }
}

/// `/operation/template/**` (server.md, section 17).
struct OperationTemplateEndpoints: Sendable {
    let service: OperationTemplateService

    private struct TemplateReference: Decodable { var id: LenientInteger? }

    private struct CreateRequest: Decodable {
        let templateName: Identifier?
        let content: TemplateContent

        private enum CodingKeys: CodingKey { case templateName }

        init(from decoder: any Decoder) throws {
            templateName = try decoder.container(keyedBy: CodingKeys.self)
                .decodeIfPresent(Identifier.self, forKey: .templateName)
            content = try TemplateContent(from: decoder)
        }
    }

    /// Everything but the name, which never changes.
    private struct TemplateContent: Decodable {
        var operationType: Identifier?
        var dataTemplate: String?
        var signatureType: [EnumName<SignatureType>]?
        var maxFailureCount: LenientInteger?
        var expiration: LenientInteger?
        var riskFlags: String?
        var proximityCheckEnabled: Bool?

        /// The template as written; what is missing fails the validation.
        func template(id: Int64?, name: Identifier) -> OperationTemplate {
            OperationTemplate(
                id: id, name: name, operationType: operationType ?? .none, dataTemplate: dataTemplate ?? "",
                signatureTypes: (signatureType ?? []).map(\.value),
                maxFailureCount: Int(maxFailureCount?.value ?? 0), expiration: expiration?.value ?? 0,
                riskFlags: riskFlags, isProximityCheckEnabled: proximityCheckEnabled ?? false)
        }
    }

    private struct TemplateView: Codable {
        @ExplicitNull var id: Int64?
        let templateName: Identifier
        let operationType: Identifier
        let dataTemplate: String
        let signatureType: [String]
        let maxFailureCount: Int
        let expiration: Int64
        @ExplicitNull var riskFlags: String?
        let proximityCheckEnabled: Bool
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/operation/template/list") { try service.list().map(Self.view) },
            .backOffice("/operation/template/detail") { (request: TemplateReference) in
                Self.view(try service.detail(id: request.id?.value))
            },
            .backOffice("/operation/template/create") { (request: CreateRequest) in
                Self.view(try service.create(request.content.template(id: nil, name: request.templateName ?? .none)))
            },
            .backOffice("/operation/template/update") { (request: Identified<LenientInteger, TemplateContent>) in
                let updated = try service.update(id: request.id?.value) { template in
                    template = request.content.template(id: template.id, name: template.name)
                }
                return Self.view(updated)
            },
            .backOfficeAction("/operation/template/remove") { (request: TemplateReference) in
                try service.remove(id: request.id?.value)
            },
        ]
    }

    private static func view(_ template: OperationTemplate) -> TemplateView {
        TemplateView(
            id: template.id, templateName: template.name, operationType: template.operationType,
            dataTemplate: template.dataTemplate, signatureType: template.signatureTypes.map(\.name),
            maxFailureCount: template.maxFailureCount, expiration: template.expiration, riskFlags: template.riskFlags,
            proximityCheckEnabled: template.isProximityCheckEnabled)
    }
}
