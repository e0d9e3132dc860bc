public import Foundation

/// The other party, for example a shop.
public final class WMTOperationAttributePartyInfo: WMTOperationAttribute {
    /// The details of the other party.
    public struct PartyInfo: Decodable, Equatable, Sendable {
        private enum Key: String, CodingKey {
            case logoUrl, name, description, websiteUrl
        }

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

    private enum Key: String, CodingKey {
        case partyInfo
    }

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
    private enum Key: String, CodingKey {
        case thumbnailUrl, originalUrl
    }

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
