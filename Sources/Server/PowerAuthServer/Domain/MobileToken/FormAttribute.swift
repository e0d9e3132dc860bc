import Foundation

/// One thing that an app shows about an operation (mobile-token.md, sections 7.4 and 17.3).
struct FormAttribute: Encodable, Sendable {
    /// A value of an attribute.
    enum Value: Encodable, Sendable {
        case text(String)
        /// Written with all its digits.
        case decimal(Decimal)
        case integer(Int)
        case flag(Bool)
        case object([String: String])

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
    private(set) var members: [String: Value]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }

    /// Fills an attribute with the operation's parameters; nil when it lacks what it is about.
    init?(_ template: UITemplate.Attribute, _ parameters: [String: String], _ money: MoneyFormat) {
        func value(_ key: String) -> String? { template.params?[key].flatMap { parameters[$0] } }
        members = ["id": .text(template.id), "label": .text(template.text), "type": .text(template.type)]
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
        case "HEADING":
            members["level"] = .integer(value("level").flatMap { Int($0) } ?? 0)
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
            var party: [String: String] = [:]
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

extension FormAttribute.Value: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self = .text(text) }
}
