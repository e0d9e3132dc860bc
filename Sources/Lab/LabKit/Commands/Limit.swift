/// What values a parameter takes.
///
/// A literal text states a limit that the receiver judges, such as an SDK that refuses a short password; the lab lets
/// every value through, so that scenarios can show the refusal. The other limits are the lab's own: a value outside is
/// refused as bad argument before the command starts.
public struct Limit: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The limit in words, for example `1 to 64`.
    public let description: String
    private let rule: Rule

    /// What the lab lets through.
    private enum Rule: Hashable {
        /// Everything: the receiver judges.
        case any
        case whole(ClosedRange<Int64>)
        case share
        case time(ClosedRange<LabDuration>)
        case decimal
        case letters(Int)
    }

    /// A limit that the receiver judges.
    public init(stringLiteral text: String) {
        self.init(text, .any)
    }

    private init(_ description: String, _ rule: Rule) {
        (self.description, self.rule) = (description, rule)
    }

    /// A share of a whole, which is 1.
    public static let share = Limit("more than 0, at most 1", .share)
    /// A length of time that does not point backwards.
    public static let length = Limit("not negative", .time(.zero...LabDuration(nanoseconds: .max)))

    /// A number with digits and at most one point between them, written as text, such as an amount of money.
    public static let decimal = Limit("a number such as 250.50", .decimal)
    /// The code of a currency.
    public static let currency = Limit("three letters", .letters(3))

    /// A length of time that does not point backwards and has an upper bound, which is included.
    public static func upTo(_ longest: LabDuration) -> Limit {
        Limit("0s to \(longest)", .time(.zero...longest))
    }

    /// Whole numbers between two bounds, both included.
    public static func between(_ lowest: Int64, _ highest: Int64) -> Limit {
        Limit("\(lowest) to \(highest)", .whole(lowest...highest))
    }

    /// Whole numbers from a bound on.
    public static func atLeast(_ lowest: Int64) -> Limit {
        Limit("\(lowest) or more", .whole(lowest...Int64.max))
    }

    /// Whole numbers up to a bound, which is included.
    public static func atMost(_ highest: Int64) -> Limit {
        Limit("\(highest) or less", .whole(Int64.min...highest))
    }

    /// The bounds of a limit of whole numbers; nil for any other limit.
    public var wholeNumbers: ClosedRange<Int64>? {
        if case .whole(let range) = rule { range } else { nil }
    }

    /// Whether the lab lets a value through.
    public func admits(_ value: JSONValue) -> Bool {
        switch rule {
        case .any: return true
        case .share: return value.numberValue.map { $0 > 0 && $0 <= 1 } ?? true
        case .time(let range): return value.stringValue.flatMap(LabDuration.init(signed:)).map(range.contains) ?? true
        case .decimal: return value.stringValue.map(Self.isDecimal) ?? true
        case .letters(let count):
            return value.stringValue.map { $0.count == count && $0.allSatisfy { $0.isASCII && $0.isLetter } } ?? true
        case .whole(let range):
            if case .unsigned = value { return range.upperBound == Int64.max }
            return value.integerValue.map(range.contains) ?? true
        }
    }

    private static func isDecimal(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }
    }
}
