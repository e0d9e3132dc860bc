// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One line of an operation's screen (mobile-token.md, section 7.4). What more it holds depends on its class; one of an
/// unknown kind has this class, with the type `unknown` and its label.
///
/// It is written in the server's format (mobile-token.md, section 7.10); a subclass of the app writes more keys in
/// `encode(to:)`, and calls super. Thread rule: any thread; an attribute never changes.
open class WMTOperationAttribute: Codable {
    /// The kind of an attribute.
    public enum AttributeType: String, Codable, CaseIterable, Sendable {
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
    open class AttributeLabel: Codable {
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

    /// - Parameters:
    ///   - type: the kind.
    ///   - label: identifier and text of the attribute.
    public init(type: AttributeType, label: AttributeLabel) {
        self.type = type
        self.label = label
    }

    /// Reads what every attribute has.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        type = AttributeType(rawValue: try container.decode(String.self, forKey: .type)) ?? .unknown
        label = AttributeLabel(
            id: try container.decode(String.self, forKey: .id),
            value: try container.decode(String.self, forKey: .label))
    }

    /// Writes what every attribute has.
    open func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        try container.encode(label.id, forKey: .id)
        try container.encode(label.value, forKey: .label)
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
open class WMTOperationAttributeKeyValue: WMTOperationAttribute {
    private enum Key: String, CodingKey { case value }

    /// The value.
    public let value: String

    /// - Parameters:
    ///   - label: identifier and name.
    ///   - value: the value.
    public init(label: AttributeLabel, value: String) {
        self.value = value
        super.init(type: .keyValue, label: label)
    }

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        value = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .value)
        try super.init(from: decoder)
    }

    /// Writes the attribute.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(value, forKey: .value)
    }
}

/// A value that is a note or a message, and may be long.
open class WMTOperationAttributeNote: WMTOperationAttribute {
    private enum Key: String, CodingKey { case note }

    /// The note.
    public let note: String

    /// - Parameters:
    ///   - label: identifier and name.
    ///   - note: the note.
    public init(label: AttributeLabel, note: String) {
        self.note = note
        super.init(type: .note, label: label)
    }

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        note = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .note)
        try super.init(from: decoder)
    }

    /// Writes the attribute.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(note, forKey: .note)
    }
}

/// Heading of the lines that follow; its label is the text.
open class WMTOperationAttributeHeading: WMTOperationAttribute {
    /// Reads the attribute. Declared, because the class would otherwise inherit
    /// the initialiser that takes any type.
    public required init(from decoder: any Decoder) throws { try super.init(from: decoder) }
}

/// The other party, for example a shop.
open class WMTOperationAttributePartyInfo: WMTOperationAttribute {
    private enum Key: String, CodingKey { case partyInfo }

    /// The details of the other party.
    public let partyInfo: WMTPartyInfo

    /// - Parameters:
    ///   - label: identifier and name.
    ///   - partyInfo: the details of the other party.
    public init(label: AttributeLabel, partyInfo: WMTPartyInfo) {
        self.partyInfo = partyInfo
        super.init(type: .partyInfo, label: label)
    }

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        partyInfo = try decoder.container(keyedBy: Key.self).decode(WMTPartyInfo.self, forKey: .partyInfo)
        try super.init(from: decoder)
    }

    /// Writes the attribute.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(partyInfo, forKey: .partyInfo)
    }
}

/// The details of the other party (mobile-token.md, section 7.4).
open class WMTPartyInfo: Codable {
    private enum Key: String, CodingKey { case logoUrl, name, description, websiteUrl }

    /// Stands for a logo that the server did not send: no picture can be loaded from there.
    private static let nowhere = URL(fileURLWithPath: "/dev/null", isDirectory: false)

    /// Where its logo is; `file:///dev/null` without one, which the server may send (mobile-token.md, section 24, item
    /// 30).
    public let logoUrl: URL
    /// Whether the server sent a logo.
    public let hasLogo: Bool
    /// Its name.
    public let name: String
    /// Its description.
    public let description: String
    /// Its web site; nil without one.
    public let websiteUrl: URL?

    /// Reads the information.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let logo = container.lenient(URL.self, forKey: .logoUrl)
        logoUrl = logo ?? WMTPartyInfo.nowhere
        hasLogo = logo != nil
        name = try container.decode(String.self, forKey: .name)
        description = try container.decode(String.self, forKey: .description)
        websiteUrl = container.lenient(URL.self, forKey: .websiteUrl)
    }

    /// Writes the information; a logo only if the server sent one.
    open func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        if hasLogo { try container.encode(logoUrl, forKey: .logoUrl) }
        try container.encode(name, forKey: .name)
        try container.encode(description, forKey: .description)
        try container.encodeIfPresent(websiteUrl, forKey: .websiteUrl)
    }
}

/// A picture.
open class WMTOperationAttributeImage: WMTOperationAttribute {
    private enum Key: String, CodingKey { case thumbnailUrl, originalUrl }

    /// Where the small picture is.
    public let thumbnailUrl: String
    /// Where the full picture is; nil without one.
    public let originalUrl: String?

    /// - Parameters:
    ///   - label: identifier and name.
    ///   - thumbnailUrl: where the small picture is.
    ///   - originalUrl: where the full picture is; nil without one.
    public init(label: AttributeLabel, thumbnailUrl: String, originalUrl: String?) {
        self.thumbnailUrl = thumbnailUrl
        self.originalUrl = originalUrl
        super.init(type: .image, label: label)
    }

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        thumbnailUrl = try container.decode(String.self, forKey: .thumbnailUrl)
        originalUrl = container.lenient(String.self, forKey: .originalUrl)
        try super.init(from: decoder)
    }

    /// Writes the attribute.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(thumbnailUrl, forKey: .thumbnailUrl)
        try container.encodeIfPresent(originalUrl, forKey: .originalUrl)
    }
}
