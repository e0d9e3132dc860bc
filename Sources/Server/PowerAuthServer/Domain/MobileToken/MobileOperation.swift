import LabKit
import PowerAuthProtocol

/// An operation as an app gets it (mobile-token.md, section 7.1).
struct MobileOperation: Encodable, Sendable {
    let id: Identifier
    let name: String
    let data: String
    let status: String
    let statusReason: String?
    let operationCreated: MobileTokenDate
    let operationExpires: MobileTokenDate
    let allowedSignatureType: AllowedSignatureType
    let formData: FormData
    let ui: JSONValue?

    /// Which signatures approve it.
    struct AllowedSignatureType: Encodable, Sendable {
        let type: String
        let variants: [String]

        /// One factor, or the two that are allowed (mobile-token.md, section 17.5).
        init(_ types: [SignatureType]) {
            let isOneFactor = types.contains(.possession)
            type = isOneFactor ? "1FA" : "2FA"
            variants =
                isOneFactor
                ? [] : [SignatureType.possessionKnowledge, .possessionBiometry].filter(types.contains).map(\.rawValue)
        }
    }

    /// The content that the app shows.
    struct FormData: Encodable, Sendable {
        let title: String
        let message: String
        let attributes: [FormAttribute]
        let resultTexts: JSONValue?
    }

    /// Builds an operation with a template.
    /// - Parameters:
    ///   - locale: how amounts are written.
    ///   - hasProximityCode: whether the core has a code for the app to scan.
    /// - Throws: ``MobileTokenFailure/brokenTemplate``.
    init(
        _ operation: OperationRecord, _ entry: UITemplates.Entry, _ money: MoneyFormat, hasProximityCode: Bool
    ) throws {
        let template = entry.template
        let texts = template.texts(of: operation)
        id = operation.id
        name = operation.operationType.text
        data = operation.data
        status = operation.status.name
        statusReason = operation.statusReason
        operationCreated = MobileTokenDate(operation.created)
        operationExpires = MobileTokenDate(operation.expires)
        allowedSignatureType = AllowedSignatureType(operation.signatureTypes)
        formData = FormData(
            title: texts.title, message: texts.message,
            attributes: try entry.attributes.get().prefix(UITemplate.mostAttributes).compactMap {
                FormAttribute($0, operation.parameters, money)
            },
            resultTexts: try template.json(template.resultTexts, of: operation))
        ui =
            try template.json(template.ui, of: operation).map {
                Self.withoutScan(of: $0, unless: hasProximityCode)
            } ?? operation.riskFlags.flatMap(Self.ui)
    }

    /// Without a code the user cannot be asked to scan one.
    private static func withoutScan(of ui: JSONValue, unless hasProximityCode: Bool) -> JSONValue {
        guard !hasProximityCode, ui["preApprovalScreen"]?["type"] == "QR_SCAN", var members = ui.objectValue else {
            return ui
        }
        members["preApprovalScreen"] = nil
        return .object(members)
    }

    /// The requirements of risk flags on the app; the warning has texts because clients require them (mobile-token.md,
    /// section 17.6, and section 24, item 4).
    private static func ui(riskFlags: String) -> JSONValue? {
        var ui: [String: JSONValue] = [:]
        if riskFlags.contains("X") { ui["flipButtons"] = true }
        if riskFlags.contains("C") { ui["blockApprovalOnCall"] = true }
        if riskFlags.contains("F") {
            ui["preApprovalScreen"] = [
                "type": "WARNING", "heading": "Possible fraud",
                "message": "Approve only what you have asked for yourself.", "approvalType": "SLIDER",
            ]
        }
        return ui.isEmpty ? nil : .object(ui)
    }
}
