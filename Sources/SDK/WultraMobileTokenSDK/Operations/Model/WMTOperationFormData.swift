/// What an operation shows to the user (mobile-token.md, section 7.3).
public final class WMTOperationFormData: Decodable {
    private enum Key: String, CodingKey {
        case title, message, attributes, resultTexts
    }

    /// Title of the operation.
    public let title: String
    /// Message for the user.
    public let message: String
    /// One line of the screen each, in the server's order. Attributes that cannot be read are left out.
    public let attributes: [WMTOperationAttribute]
    /// What to tell the user afterwards; nil when the server does not say.
    public let resultTexts: WMTResultTexts?

    /// Reads the data.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        title = try container.decode(String.self, forKey: .title)
        message = try container.decode(String.self, forKey: .message)
        attributes = container.lenientElements(AnyAttribute.self, forKey: .attributes)?.map(\.attribute) ?? []
        resultTexts = container.lenient(WMTResultTexts.self, forKey: .resultTexts)
    }
}

/// What to tell the user after an operation (mobile-token.md, section 7.3).
public struct WMTResultTexts: Decodable, Equatable, Sendable {
    private enum Key: String, CodingKey {
        case success, reject, failure
    }

    /// After the operation was approved.
    public let success: String?
    /// After the operation was rejected.
    public let reject: String?
    /// After the operation failed.
    public let failure: String?

    /// Reads the texts.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        success = container.lenient(String.self, forKey: .success)
        reject = container.lenient(String.self, forKey: .reject)
        failure = container.lenient(String.self, forKey: .failure)
    }
}
