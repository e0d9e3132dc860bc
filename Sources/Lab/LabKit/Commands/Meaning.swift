/// What a parameter or a member of an answer means, in a sentence for people.
///
/// A meaning that several declarations share is a static member, so that it is written once:
///
/// ```swift
/// extension Meaning {
///     static let accountNumber: Meaning = "Number of the account, without blanks."
/// }
/// ```
public struct Meaning: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The sentence, with its full stop.
    public let text: String

    /// A meaning in words.
    public init(stringLiteral text: String) {
        self.text = text
    }
}
