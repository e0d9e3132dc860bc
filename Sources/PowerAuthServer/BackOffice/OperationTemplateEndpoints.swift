import PowerAuthProtocol

/// `/operation/template/**` (server.md, section 17).
struct OperationTemplateEndpoints: Sendable {
    let service: OperationTemplateService

    private struct TemplateRequest: Decodable {
        var id: LenientInteger?
        var templateName: String?
        var operationType: String?
        var dataTemplate: String?
        var signatureType: [EnumName<SignatureType>]?
        var maxFailureCount: LenientInteger?
        var expiration: LenientInteger?
        var riskFlags: String?
        var proximityCheckEnabled: Bool?

        /// The template as written; what is missing fails the validation.
        func template(id: Int64?, name: String) -> OperationTemplate {
            OperationTemplate(
                id: id, name: name, operationType: operationType ?? "", dataTemplate: dataTemplate ?? "",
                signatureTypes: (signatureType ?? []).map(\.value),
                maxFailureCount: Int(maxFailureCount?.value ?? 0), expiration: expiration?.value ?? 0,
                riskFlags: riskFlags, isProximityCheckEnabled: proximityCheckEnabled ?? false)
        }
    }

    private struct TemplateView: Encodable {
        @ExplicitNull var id: Int64?
        let templateName: String
        let operationType: String
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
            .backOffice("/operation/template/detail") { (request: TemplateRequest) in
                TemplateView(try service.detail(id: request.id?.value))
            },
            .backOffice("/operation/template/create") { (request: TemplateRequest) in
                TemplateView(try service.create(request.template(id: nil, name: request.templateName ?? "")))
            },
            .backOffice("/operation/template/update") { (request: TemplateRequest) in
                let updated = try service.update(id: request.id?.value) { template in
                    template = request.template(id: template.id, name: template.name)
                }
                return TemplateView(updated)
            },
            .backOfficeAction("/operation/template/remove") { (request: TemplateRequest) in
                try service.remove(id: request.id?.value)
            },
        ]
    }
}
