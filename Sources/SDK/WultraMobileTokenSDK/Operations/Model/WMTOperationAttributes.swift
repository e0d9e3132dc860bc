// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One line of an operation's screen (mobile-token.md, section 7.4). What more it holds depends on its class; one of an
/// unknown kind has this class, with the type `unknown` and its label.
open class WMTOperationAttribute: Decodable {
    /// The kind of an attribute.
    public enum AttributeType: String, Codable, Sendable {
        /// ``WMTOperationAttributeAmount``.
        case amount = "AMOUNT"
        /// ``WMTOperationAttributeAmountConversion``.
        case amountConversion = "AMOUNT_CONVERSION"
        /// ``WMTOperationAttributeKeyValue``.
        case keyValue = "KEY_VALUE"
        /// ``WMTOperationAttributeNote``.
        case note = "NOTE"
        /// ``WMTOperationAttributeHeading``.
        case heading = "HEADING"
        /// ``WMTOperationAttributePartyInfo``.
        case partyInfo = "PARTY_INFO"
        /// ``WMTOperationAttributeImage``.
        case image = "IMAGE"
        /// A kind that this version does not know.
        case unknown
    }

    /// The label of an attribute.
    public struct AttributeLabel: Codable, Equatable, Sendable {
        /// Identifier of the attribute.
        public let id: String
        /// Text for the user.
        public let value: String

        /// - Parameters:
        ///   - id: identifier of the attribute.
        ///   - value: text for the user.
        public init(id: String, value: String) {
            self.id = id
            self.value = value
        }
    }

    private enum Key: String, CodingKey { case type, id, label }

    /// The kind.
    public let type: AttributeType
    /// Identifier and text of the attribute.
    public let label: AttributeLabel

    /// Reads what every attribute has.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        type = AttributeType(rawValue: try container.decode(String.self, forKey: .type)) ?? .unknown
        label = AttributeLabel(
            id: try container.decode(String.self, forKey: .id),
            value: try container.decode(String.self, forKey: .label))
    }
}

/// An attribute of the class that its type asks for.
struct AnyAttribute: Decodable {
    private enum Key: String, CodingKey { case type }

    let attribute: WMTOperationAttribute

    init(from decoder: any Decoder) throws {
        let type = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .type)
        let kind: WMTOperationAttribute.Type =
            switch WMTOperationAttribute.AttributeType(rawValue: type) ?? .unknown {
            case .amount: WMTOperationAttributeAmount.self
            case .amountConversion: WMTOperationAttributeAmountConversion.self
            case .keyValue: WMTOperationAttributeKeyValue.self
            case .note: WMTOperationAttributeNote.self
            case .heading: WMTOperationAttributeHeading.self
            case .partyInfo: WMTOperationAttributePartyInfo.self
            case .image: WMTOperationAttributeImage.self
            case .unknown: WMTOperationAttribute.self
            }
        attribute = try kind.init(from: decoder)
    }
}

/// A value with a name.
public final class WMTOperationAttributeKeyValue: WMTOperationAttribute {
    private enum Key: String, CodingKey { case value }

    /// The value.
    public let value: String

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        value = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .value)
        try super.init(from: decoder)
    }
}

/// A value that is a note or a message, and may be long.
public final class WMTOperationAttributeNote: WMTOperationAttribute {
    private enum Key: String, CodingKey { case note }

    /// The note.
    public let note: String

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        note = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .note)
        try super.init(from: decoder)
    }
}

/// Heading of the lines that follow; its label is the text.
public final class WMTOperationAttributeHeading: WMTOperationAttribute {}

/// An amount of money, such as "100.00 CZK".
public final class WMTOperationAttributeAmount: WMTOperationAttribute {
    /// The amount as it is shown.
    public let amountFormatted: String
    /// The currency as it is shown.
    public let currencyFormatted: String
    /// The exact amount; nil when the server only sends texts.
    public let amount: Decimal?
    /// Code of the currency; nil when the server only sends texts.
    public let currency: String?
    /// Amount and currency as one text, in the user's habit; nil when the server does not send it.
    public let valueFormatted: String?

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        let money = try Money(from: decoder, .init(prefix: ""))
        amountFormatted = money.amountFormatted
        currencyFormatted = money.currencyFormatted
        amount = money.amount
        currency = money.currency
        valueFormatted = money.valueFormatted
        try super.init(from: decoder)
    }
}

/// An amount converted into another currency.
public final class WMTOperationAttributeAmountConversion: WMTOperationAttribute {
    /// One side of a conversion.
    public struct Money: Equatable, Sendable {
        /// The amount as it is shown.
        public let amountFormatted: String
        /// The currency as it is shown.
        public let currencyFormatted: String
        /// The exact amount; nil when the server only sends texts.
        public let amount: Decimal?
        /// Code of the currency; nil when the server only sends texts.
        public let currency: String?
        /// Amount and currency as one text, in the user's habit; nil when the server does not send it.
        public let valueFormatted: String?
    }

    private enum Key: String, CodingKey { case dynamic }

    /// Whether the rate may change while the user looks at it.
    public let dynamic: Bool
    /// The amount before the conversion.
    public let source: Money
    /// The converted amount.
    public let target: Money

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        dynamic = try decoder.container(keyedBy: Key.self).decode(Bool.self, forKey: .dynamic)
        source = try Money(from: decoder, .init(prefix: "source"))
        target = try Money(from: decoder, .init(prefix: "target"))
        try super.init(from: decoder)
    }
}

private typealias Money = WMTOperationAttributeAmountConversion.Money

extension WMTOperationAttributeAmountConversion.Money {
    fileprivate struct Keys {
        let prefix: String

        subscript(_ name: String) -> Key {
            Key(stringValue: prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst())
        }
    }

    fileprivate struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Older back ends send raw values only, others texts only; one of each pair is enough.
    fileprivate init(from decoder: any Decoder, _ keys: Keys) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let amount = container.lenient(Decimal.self, forKey: keys["amount"])
        let currency = container.lenient(String.self, forKey: keys["currency"])
        let amountText = container.lenient(String.self, forKey: keys["amountFormatted"])
        let currencyText = container.lenient(String.self, forKey: keys["currencyFormatted"])
        guard let amountFormatted = amountText ?? amount?.description else {
            throw container.unusable(keys["amountFormatted"], "there is neither an amount nor a text for it")
        }
        guard let currencyFormatted = currencyText ?? currency else {
            throw container.unusable(keys["currencyFormatted"], "there is neither a currency nor a text for it")
        }
        self.init(
            amountFormatted: amountFormatted, currencyFormatted: currencyFormatted, amount: amount, currency: currency,
            valueFormatted: container.lenient(String.self, forKey: keys["valueFormatted"]))
    }
}

/// The other party, for example a shop.
public final class WMTOperationAttributePartyInfo: WMTOperationAttribute {
    /// The details of the other party.
    public struct PartyInfo: Decodable, Equatable, Sendable {
        private enum Key: String, CodingKey { case logoUrl, name, description, websiteUrl }

        /// Where its logo is; nil without one, which the server may send (mobile-token.md, section 24, item 30).
        public let logoUrl: URL?
        /// Its name.
        public let name: String
        /// Its description.
        public let description: String
        /// Its web site; nil without one.
        public let websiteUrl: URL?

        /// Reads the information.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            logoUrl = container.lenient(URL.self, forKey: .logoUrl)
            name = try container.decode(String.self, forKey: .name)
            description = try container.decode(String.self, forKey: .description)
            websiteUrl = container.lenient(URL.self, forKey: .websiteUrl)
        }
    }

    private enum Key: String, CodingKey { case partyInfo }

    /// The details of the other party.
    public let partyInfo: PartyInfo

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        partyInfo = try decoder.container(keyedBy: Key.self).decode(PartyInfo.self, forKey: .partyInfo)
        try super.init(from: decoder)
    }
}

/// A picture.
public final class WMTOperationAttributeImage: WMTOperationAttribute {
    private enum Key: String, CodingKey { case thumbnailUrl, originalUrl }

    /// Where the small picture is.
    public let thumbnailUrl: String
    /// Where the full picture is; nil without one.
    public let originalUrl: String?

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        thumbnailUrl = try container.decode(String.self, forKey: .thumbnailUrl)
        originalUrl = container.lenient(String.self, forKey: .originalUrl)
        try super.init(from: decoder)
    }
}
