// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
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
    /// - Parameter hasProximityCode: whether the core has a code for the app to scan.
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
            try template.json(template.ui, of: operation).map { Self.withoutScan(of: $0, unless: hasProximityCode) }
            ?? operation.riskFlags.flatMap(Self.ui)
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

/// One thing that an app shows about an operation (mobile-token.md, sections 7.4 and 17.3).
struct FormAttribute: Encodable, Sendable {
    /// A value of an attribute.
    enum Value: Encodable, Sendable {
        case text(String)
        /// Written with all its digits.
        case decimal(Decimal)
        case integer(Int)
        case flag(Bool)
        case object(OrderedMembers<String>)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .decimal(let number): try container.encode(number)
            case .integer(let number): try container.encode(number)
            case .flag(let flag): try container.encode(flag)
            case .object(let members): try container.encode(members)
            }
        }
    }

    /// Everything of it; what is missing is left out.
    private var members: OrderedMembers<Value>

    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }

    /// Fills an attribute with the operation's parameters; nil when it lacks what it is about.
    init?(_ template: UITemplate.Attribute, _ parameters: [String: String], _ money: MoneyFormat) {
        func value(_ key: String) -> String? { template.params?[key].flatMap { parameters[$0] } }
        members = ["type": .text(template.type), "id": .text(template.id), "label": .text(template.text)]
        switch template.type {
        case "AMOUNT":
            guard let amount = value("amount"), let currency = value("currency") else { return nil }
            add(money.money(amount, currency: currency), prefix: "")
        case "AMOUNT_CONVERSION":
            guard let source = value("sourceAmount"), let sourceCurrency = value("sourceCurrency"),
                let target = value("targetAmount"), let targetCurrency = value("targetCurrency")
            else { return nil }
            members["dynamic"] = .flag(value("dynamic")?.lowercased() == "true")
            add(money.money(source, currency: sourceCurrency), prefix: "source")
            add(money.money(target, currency: targetCurrency), prefix: "target")
        case "HEADING": members["level"] = .integer(value("level").flatMap { Int($0) } ?? 0)
        case "NOTE":
            guard let note = value("note") else { return nil }
            members["note"] = .text(note)
        case "ALERT":
            let kind = value("type")?.uppercased() ?? ""
            members["alertType"] = .text(["SUCCESS", "WARNING", "ERROR"].contains(kind) ? kind : "INFO")
            members["title"] = value("title").map(Value.text)
            members["message"] = value("message").map(Value.text)
        case "IMAGE":
            guard let thumbnail = value("thumbnailUrl") else { return nil }
            members["thumbnailUrl"] = .text(thumbnail)
            members["originalUrl"] = value("originalUrl").map(Value.text)
        case "PARTY_INFO":
            var party: OrderedMembers<String> = [:]
            for key in ["logoUrl", "name", "description", "websiteUrl"] { party[key] = value(key) }
            members["partyInfo"] = .object(party)
        default:
            guard let text = value("value") else { return nil }
            members["type"] = "KEY_VALUE"
            members["value"] = .text(text)
        }
    }

    private mutating func add(_ money: MoneyFormat.Money, prefix: String) {
        func key(_ name: String) -> String {
            prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst()
        }
        members[key("amount")] = money.amount.map(Value.decimal)
        members[key("amountFormatted")] = .text(money.amountFormatted)
        members[key("currency")] = .text(money.currency)
        members[key("currencyFormatted")] = .text(money.currencyFormatted)
        members[key("valueFormatted")] = .text(money.valueFormatted)
    }
}

extension FormAttribute.Value: ExpressibleByStringLiteral { init(stringLiteral text: String) { self = .text(text) } }

/// A moment as the Mobile Token API writes it: `2026-03-01T08:15:30+0000` (mobile-token.md, section 2.6).
struct MobileTokenDate: Encodable, Sendable {
    let time: ServerTime

    init(_ time: ServerTime) { self.time = time }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        // Seconds are cut, not rounded.
        try container.encode("\(BackOfficeDate(time).text.prefix(19))+0000")
    }
}
