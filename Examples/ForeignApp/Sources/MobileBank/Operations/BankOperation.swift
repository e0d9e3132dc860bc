// SPDX-License-Identifier: Apache-2.0

import Foundation
import WultraMobileTokenSDK

/// An operation with what this bank's server adds to it.
public final class BankOperation: WMTUserOperation {
    private enum CodingKeys: String, CodingKey { case channel, instalment }

    /// Where the user has started it, such as `web`.
    public let channel: String?
    public let instalment: InstalmentAttribute?

    public required init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        channel = try container.decodeIfPresent(String.self, forKey: .channel)
        instalment = try container.decodeIfPresent(InstalmentAttribute.self, forKey: .instalment)
        try super.init(from: decoder)
    }

    public override func encode(to encoder: Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(channel, forKey: .channel)
        try container.encodeIfPresent(instalment, forKey: .instalment)
    }
}

/// An amount that is paid in parts.
public final class InstalmentAttribute: WMTOperationAttributeAmount {
    private enum CodingKeys: String, CodingKey { case parts }

    public let parts: Int

    public init(label: AttributeLabel, amount: Decimal, currency: String, parts: Int) {
        self.parts = parts
        super.init(
            label: label, amountFormatted: "\(amount)", currencyFormatted: currency, valueFormatted: nil,
            amount: amount, currency: currency)
    }

    public required init(from decoder: Decoder) throws {
        parts = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .parts)
        try super.init(from: decoder)
    }

    public override func encode(to encoder: Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(parts, forKey: .parts)
    }
}

/// A note of the bank's own, with a link.
public final class LinkNote: WMTOperationAttributeNote {
    private enum CodingKeys: String, CodingKey { case link }

    public let link: URL

    public init(label: AttributeLabel, note: String, link: URL) {
        self.link = link
        super.init(label: label, note: note)
    }

    public required init(from decoder: Decoder) throws {
        link = try decoder.container(keyedBy: CodingKeys.self).decode(URL.self, forKey: .link)
        try super.init(from: decoder)
    }

    public override func encode(to encoder: Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(link, forKey: .link)
    }
}
