import Foundation

/// A path whose parts may be placeholders, such as `/lab/faults/{id}`.
///
/// An immutable value; any thread.
public struct ResourcePattern: Hashable, Sendable {
    /// The path as it is written.
    public let text: String

    /// Takes a path.
    public init(_ text: String) { self.text = text }

    /// The values of the placeholders in a path, percent-decoded; nil when the path is another one.
    public func placeholders(in path: some StringProtocol) -> [String: String]? {
        let given = path.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = text.split(separator: "/", omittingEmptySubsequences: false)
        guard given.count == wanted.count else { return nil }
        var values: [String: String] = [:]
        for (value, part) in zip(given, wanted) where String(value) != String(part) {
            guard part.hasPrefix("{"), part.hasSuffix("}"), !value.isEmpty else { return nil }
            values[String(part.dropFirst().dropLast())] = String(value).removingPercentEncoding ?? String(value)
        }
        return values
    }
}
