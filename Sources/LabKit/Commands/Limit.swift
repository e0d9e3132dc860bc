/// What values a parameter takes.
///
/// A literal text states a limit that the receiver judges, such as an SDK that refuses a short password; the lab lets
/// every value through, so that scenarios can show the refusal. The other limits are the lab's own: a value outside is
/// refused as bad argument before the command starts.
public struct Limit: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The limit in words, for example `1 to 64`.
    public let description: String
    /// The whole numbers that are let through; nil for a limit that the receiver judges.
    let range: ClosedRange<Int64>?

    /// A limit that the receiver judges.
    public init(stringLiteral text: String) {
        (description, range) = (text, nil)
    }

    private init(_ description: String, _ range: ClosedRange<Int64>) {
        (self.description, self.range) = (description, range)
    }

    /// Whole numbers between two bounds, both included.
    public static func between(_ lowest: Int64, _ highest: Int64) -> Limit {
        Limit("\(lowest) to \(highest)", lowest...highest)
    }

    /// Whole numbers from a bound on.
    public static func atLeast(_ lowest: Int64) -> Limit {
        Limit("\(lowest) or more", lowest...Int64.max)
    }

    /// Whether the lab lets a value through.
    public func admits(_ value: JSONValue) -> Bool {
        guard let range else { return true }
        if case .unsigned = value { return range.upperBound == Int64.max }
        return value.integerValue.map(range.contains) ?? true
    }
}
