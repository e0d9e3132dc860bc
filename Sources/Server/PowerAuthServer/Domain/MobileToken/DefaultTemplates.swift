import PowerAuthProtocol

/// The templates that a new server begins with, so that a payment can be made at once (mobile-token.md, section 17.7).
///
/// Thread rule: worker threads only; all methods block.
struct DefaultTemplates: Sendable {
    let context: ServiceContext

    /// The template of ``LabShortcuts/createPayment(_:)``.
    static let payment = "payment"

    private static let strong: [SignatureType] = [.possessionKnowledge, .possessionBiometry]

    private static let templates = [
        template("login", "A2", strong),
        template("login_1fa", "A2", [.possession]),
        template(payment, "A1*A${amount}${currency}*I${iban}***N${note:-}", strong, riskFlags: "X"),
        template("login_pac", "A2", strong, isProximityCheckEnabled: true),
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
        UITemplate(
            placeholder: Identifier(known: "login_pac"), language: "en", title: "Login approval",
            message: "Do you want to sign in?",
            ui: """
                {"preApprovalScreen":{"type":"QR_SCAN","heading":"Scan the code",\
                "message":"Scan the code on your computer screen"}}
                """),
    ]

    /// Stores them all.
    func create() throws {
        try context.change { change in
            for template in Self.templates { _ = try OperationTemplateStore.insert(change.database, template) }
            for template in Self.uiTemplates { try UITemplateStore.save(change.database, template) }
        }
    }
}
