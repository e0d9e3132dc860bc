import PowerAuthProtocol

/// `/operation/template/**` (server.md, section 17).
struct OperationTemplateEndpoints: Sendable {
    let service: OperationTemplateService

    private struct TemplateReference: Decodable {
        var id: LenientInteger?
    }

    private struct CreateRequest: Decodable {
        let templateName: Identifier?
        let content: TemplateContent

        private enum CodingKeys: CodingKey {
            case templateName
        }

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

        init(_ template: OperationTemplate) {
            id = template.id
            templateName = template.name
            operationType = template.operationType
            dataTemplate = template.dataTemplate
            signatureType = template.signatureTypes.map(\.name)
            maxFailureCount = template.maxFailureCount
            expiration = template.expiration
            riskFlags = template.riskFlags
            proximityCheckEnabled = template.isProximityCheckEnabled
        }
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/operation/template/list") { try service.list().map(TemplateView.init) },
            .backOffice("/operation/template/detail") { (request: TemplateReference) in
                TemplateView(try service.detail(id: request.id?.value))
            },
            .backOffice("/operation/template/create") { (request: CreateRequest) in
                TemplateView(
                    try service.create(request.content.template(id: nil, name: request.templateName ?? .none)))
            },
            .backOffice("/operation/template/update") { (request: Identified<LenientInteger, TemplateContent>) in
                let updated = try service.update(id: request.id?.value) { template in
                    template = request.content.template(id: template.id, name: template.name)
                }
                return TemplateView(updated)
            },
            .backOfficeAction("/operation/template/remove") { (request: TemplateReference) in
                try service.remove(id: request.id?.value)
            },
        ]
    }
}
