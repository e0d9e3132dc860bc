// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol

/// The templates that a new server begins with, so that a payment can be made at once (mobile-token.md, section 17.7).
struct DefaultTemplates: Sendable {
    let context: ServiceContext

    /// The template of ``LabShortcuts/createPayment(_:)``.
    static let payment = "payment"

    private static let strong: [SignatureType] = [.possessionKnowledge, .possessionBiometry]

    private static let templates = [
        template("login", "A2", strong), template("login_1fa", "A2", [.possession]),
        template(payment, "A1*A${amount}${currency}*I${iban}***N${note:-}", strong, riskFlags: "X"),
        template("login_pac", "A2", strong, isProximityCheckEnabled: true), template("login_preApproval", "A2", strong),
    ]

    private static func template(
        _ name: String, _ data: String, _ types: [SignatureType], riskFlags: String? = nil,
        isProximityCheckEnabled: Bool = false
    ) -> OperationTemplate {
        OperationTemplate(
            id: nil, name: Identifier(known: name), operationType: Identifier(known: name), dataTemplate: data,
            signatureTypes: types, maxFailureCount: 5,
            expiration: 300, riskFlags: riskFlags, isProximityCheckEnabled: isProximityCheckEnabled)
    }

    private static let uiTemplates = [
        UITemplate(
            placeholder: Identifier(known: "login"), language: "en", title: "Login approval",
            message: "Do you want to sign in?",
            resultTexts: #"{"success":"You are signed in","reject":"Login refused","failure":"Login was not approved"}"#
        ),
        UITemplate(
            placeholder: Identifier(known: "login_1fa"), language: "en", title: "Login approval",
            message: "Do you want to sign in?"),
        UITemplate(
            placeholder: Identifier(known: payment), language: "en", title: "Payment approval",
            message: "Pay ${amount} ${currency} to ${iban}?",
            attributes: """
                [{"id":"operation.amount","type":"AMOUNT","text":"Amount",\
                "params":{"amount":"amount","currency":"currency"}},\
                {"id":"operation.account","type":"KEY_VALUE","text":"To account","params":{"value":"iban"}},\
                {"id":"operation.note","type":"NOTE","text":"Note","params":{"note":"note"}}]
                """,
            resultTexts: """
                {"success":"Paid ${amount} ${currency}","reject":"Payment refused",\
                "failure":"Payment was not approved"}
                """),
        scanTemplate("login_pac"), scanTemplate("login_preApproval"),
    ]

    /// An operation whose app lets the user scan a code first, where there is one.
    private static func scanTemplate(_ name: String) -> UITemplate {
        UITemplate(
            placeholder: Identifier(known: name), language: "en", title: "Login approval",
            message: "Do you want to sign in?",
            ui: """
                {"preApprovalScreen":{"type":"QR_SCAN","heading":"Scan the code",\
                "message":"Scan the code on your computer screen"}}
                """)
    }

    /// Stores them all.
    func create() throws {
        try context.change { change in
            for template in Self.templates { _ = try OperationTemplateStore.insert(change.database, template) }
            for template in Self.uiTemplates { try UITemplateStore.save(change.database, template) }
        }
    }
}

/// The templates of a server's settings.
struct ConfiguredTemplates: Sendable {
    let context: ServiceContext

    /// Stores them, in place of those of the same names: the settings are what holds after each start.
    /// - Throws: `invalidRequest` for what no request could store either.
    func store(_ operations: [ServerSettings.OperationTemplate], _ texts: [ServerSettings.UITemplate]) throws {
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
            title: settings.title, message: settings.message, attributes: Self.stored(settings.attributes),
            resultTexts: Self.stored(settings.resultTexts), ui: Self.stored(settings.ui))
    }
}
