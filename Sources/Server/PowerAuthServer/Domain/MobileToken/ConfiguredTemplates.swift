import LabKit
import PowerAuthProtocol

/// The templates of a server's settings.
///
/// Thread rule: worker threads only; all methods block.
struct ConfiguredTemplates: Sendable {
    let context: ServiceContext

    /// Stores them, in place of those of the same names: the settings are what holds after each start.
    /// - Throws: `invalidRequest` for what no request could store either.
    func store(
        _ operations: [ServerSettings.OperationTemplate], _ texts: [ServerSettings.UITemplate]
    ) throws {
        let templates = try operations.map(OperationTemplate.init)
        let uiTemplates = try texts.map(UITemplate.init)
        for template in templates { try template.validate() }
        for template in uiTemplates { try template.validate() }
        try context.change { change in
            for template in templates { try OperationTemplateStore.save(change.database, template) }
            for template in uiTemplates { try UITemplateStore.save(change.database, template) }
        }
    }
}

extension OperationTemplate {
    fileprivate init(_ settings: ServerSettings.OperationTemplate) throws {
        try self.init(
            id: nil, name: Identifier(settings.templateName, field: "templateName"),
            operationType: Identifier(settings.operationType, field: "operationType"),
            dataTemplate: settings.dataTemplate,
            signatureTypes: settings.signatureType.compactMap { SignatureType(name: $0.rawValue) },
            maxFailureCount: settings.maxFailureCount, expiration: settings.expiration,
            riskFlags: settings.riskFlags, isProximityCheckEnabled: settings.proximityCheckEnabled)
    }
}

extension UITemplate {
    fileprivate init(_ settings: ServerSettings.UITemplate) throws {
        try self.init(
            placeholder: Identifier(settings.placeholder, field: "placeholder"), language: settings.language,
            title: settings.title,
            message: settings.message, attributes: Self.stored(settings.attributes),
            resultTexts: Self.stored(settings.resultTexts), ui: Self.stored(settings.ui))
    }
}
