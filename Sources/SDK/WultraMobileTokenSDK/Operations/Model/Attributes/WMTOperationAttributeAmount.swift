public import Foundation

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

    private enum Key: String, CodingKey {
        case dynamic
    }

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
