/// A user secret (password, PIN) on its way from a scenario to an SDK.
///
/// The only way to the text is ``revealed``; every description and every reflection shows dots.
public struct Secret: Codable, Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable, ExpressibleByStringLiteral
{
    /// The secret text.
    public let revealed: String

    /// Wraps a secret text.
    public init(_ text: String) {
        revealed = text
    }

    /// Wraps a literal, as tests write it.
    public init(stringLiteral value: String) {
        revealed = value
    }

    /// Reads the text of a control message.
    public init(from decoder: any Decoder) throws {
        revealed = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the text into a control message, which travels on a private socket only.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(revealed)
    }

    /// What is shown in place of any secret.
    public static let mask = "••••"

    /// Dots.
    public var description: String { Self.mask }
    /// Dots.
    public var debugDescription: String { Self.mask }
    /// Dots, also for `dump` and string interpolation of a containing value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
