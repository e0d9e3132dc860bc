// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An amount of money, such as "100.00 CZK".
open class WMTOperationAttributeAmount: WMTOperationAttribute {
    private let money: Money

    /// The amount as it is shown.
    public var amountFormatted: String { money.amountFormatted }
    /// The currency as it is shown.
    public var currencyFormatted: String { money.currencyFormatted }
    /// The exact amount; nil when the server only sends texts.
    public var amount: Decimal? { money.amount }
    /// Code of the currency; nil when the server only sends texts.
    public var currency: String? { money.currency }
    /// Amount and currency as one text, in the user's habit; nil when the server does not send it.
    public var valueFormatted: String? { money.valueFormatted }

    /// - Parameters:
    ///   - label: identifier and name.
    ///   - amountFormatted: the amount as it is shown.
    ///   - currencyFormatted: the currency as it is shown.
    ///   - valueFormatted: amount and currency as one text.
    ///   - amount: the exact amount.
    ///   - currency: code of the currency.
    public init(
        label: AttributeLabel, amountFormatted: String, currencyFormatted: String, valueFormatted: String?,
        amount: Decimal?, currency: String?
    ) {
        money = Money(
            amountFormatted: amountFormatted, currencyFormatted: currencyFormatted, amount: amount, currency: currency,
            valueFormatted: valueFormatted)
        super.init(type: .amount, label: label)
    }

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        money = try Money(from: decoder, .init(prefix: ""))
        try super.init(from: decoder)
    }

    /// Writes the attribute.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        try money.encode(to: encoder, .init(prefix: ""))
    }
}

/// An amount converted into another currency.
open class WMTOperationAttributeAmountConversion: WMTOperationAttribute {
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

    /// - Parameters:
    ///   - label: identifier and name.
    ///   - dynamic: whether the rate may change while the user looks at it.
    ///   - source: the amount before the conversion.
    ///   - target: the converted amount.
    public init(label: AttributeLabel, dynamic: Bool, source: Money, target: Money) {
        self.dynamic = dynamic
        self.source = source
        self.target = target
        super.init(type: .amountConversion, label: label)
    }

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        dynamic = try decoder.container(keyedBy: Key.self).decode(Bool.self, forKey: .dynamic)
        source = try Money(from: decoder, .init(prefix: "source"))
        target = try Money(from: decoder, .init(prefix: "target"))
        try super.init(from: decoder)
    }

    /// Writes the attribute.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(dynamic, forKey: .dynamic)
        try source.encode(to: encoder, .init(prefix: "source"))
        try target.encode(to: encoder, .init(prefix: "target"))
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

    /// Writes the texts also where they were made of raw values; reading them again gives the same.
    fileprivate func encode(to encoder: any Encoder, _ keys: Keys) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(amountFormatted, forKey: keys["amountFormatted"])
        try container.encode(currencyFormatted, forKey: keys["currencyFormatted"])
        try container.encodeIfPresent(amount, forKey: keys["amount"])
        try container.encodeIfPresent(currency, forKey: keys["currency"])
        try container.encodeIfPresent(valueFormatted, forKey: keys["valueFormatted"])
    }
}
