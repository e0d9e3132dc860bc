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

    private enum Key: String, CodingKey {
        case type, id, label
    }

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
    private enum Key: String, CodingKey {
        case type
    }

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
