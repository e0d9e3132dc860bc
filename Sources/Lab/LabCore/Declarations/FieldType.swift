// SPDX-License-Identifier: Apache-2.0

/// The type of a parameter or of an answer. Scalars of a scenario are read by this type, never by YAML's guess.
public indirect enum FieldType: Equatable, Sendable {
    /// Text, taken literally: `0123` and `no` stay text.
    case text
    /// Text that no diagnostic and no record of a run shows.
    case secret
    /// A whole number.
    case integer
    /// A number.
    case number
    /// `true` or `false`.
    case boolean
    /// A length of time such as `250ms`, `2s`, `5m`, `1h`.
    case duration
    /// One of the listed words.
    case choice([String])
    /// A list of values of one type.
    case list(FieldType)
    /// An object with free keys and values of any type.
    case map
    /// An object with the listed members.
    case object([FieldDeclaration])
    /// The value, or nothing.
    case optional(FieldType)
    /// Any value.
    case any
    /// No value.
    case nothing

    /// Short name for messages and the reference page.
    public var title: String {
        switch self {
        case .text: "text"
        case .secret: "secret"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "true or false"
        case .duration: "duration"
        case .choice(let words): words.joined(separator: " | ")
        case .list(let element): "list of \(element.title)"
        case .map: "object"
        case .object(let members): "{ " + members.map(\.name).joined(separator: ", ") + " }"
        case .optional(let wrapped): "\(wrapped.title) or nothing"
        case .any: "any value"
        case .nothing: "nothing"
        }
    }

    /// Whether a value has this type. Members that an object does not declare are ignored.
    public func admits(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.any, _), (.optional, .null), (.nothing, .null): true
        case (.optional(let wrapped), _): wrapped.admits(value)
        case (.text, .string), (.secret, .string), (.boolean, .bool), (.map, .object): true
        case (.integer, _): value.isWhole
        case (.number, _): value.numberValue != nil
        case (.duration, .string(let text)): LabDuration(signed: text) != nil
        case (.choice(let words), .string(let word)): words.contains(word)
        case (.list(let element), .array(let elements)): elements.allSatisfy(element.admits)
        case (.object(let members), .object(let values)):
            members.allSatisfy { $0.memberType.admits(values[$0.name] ?? .null) }
        default: false
        }
    }
}

extension JSONValue {
    /// Whether the value is a number without a fraction.
    fileprivate var isWhole: Bool {
        if case .unsigned = self { true } else { integerValue != nil }
    }
}

// The types of parameters and answers as programs exchange them: `lab steps --json`, and the vocabulary of an own app.
extension FieldType {
    /// The type in JSON.
    public var json: JSONValue {
        func named(_ more: [String: JSONValue] = [:]) -> JSONValue {
            .object(more.merging(["type": .string(word)]) { old, _ in old })
        }
        switch self {
        case .choice(let words): return named(["of": .array(words.map { .string($0) })])
        case .list(let inner), .optional(let inner): return named(["of": inner.json])
        case .object(let members):
            let described = members.map { member -> JSONValue in
                .object([
                    "name": .string(member.name), "type": member.memberType.json, "meaning": .string(member.meaning),
                ])
            }
            return named(["members": .array(described)])
        default: return named()
        }
    }

    private var word: String {
        switch self {
        case .text: "text"
        case .secret: "secret"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        case .duration: "duration"
        case .choice: "choice"
        case .list: "list"
        case .map: "map"
        case .object: "object"
        case .optional: "optional"
        case .any: "any"
        case .nothing: "nothing"
        }
    }

    /// The types that their name says all of.
    private static let plain: [FieldType] = [
        .text, .secret, .integer, .number, .boolean, .duration, .map, .any, .nothing,
    ]

    /// Reads a type: its name, or an object that says more.
    init(_ form: DeclarationForm) throws(DeclarationFormError) {
        let word = if let word = form.value.stringValue { word } else { try form.text("type") }
        switch word {
        case "choice":
            var words: [String] = []
            for element in try form.elements("of") {
                guard let word = element.value.stringValue else { throw element.expects("a text") }
                words.append(word)
            }
            guard !words.isEmpty else { throw form.missing("of", "a list of words") }
            self = .choice(words)
        case "list": self = .list(try Self.inner(of: form))
        case "optional": self = .optional(try Self.inner(of: form))
        case "object":
            var members: [FieldDeclaration] = []
            for element in try form.elements("members") { members.append(try FieldDeclaration(element)) }
            self = .object(members)
        default:
            guard let plain = Self.plain.first(where: { $0.word == word }) else {
                let known = Self.plain.map(\.word) + ["choice", "list", "object", "optional"]
                throw DeclarationFormError(
                    path: form.path, expected: "one of the types \(known.joined(separator: ", ")), not `\(word)`")
            }
            self = plain
        }
    }

    private static func inner(of form: DeclarationForm) throws(DeclarationFormError) -> FieldType {
        guard let of = form.member("of") else { throw form.missing("of", "a type") }
        return try FieldType(of)
    }
}

/// One parameter of a command, or one member of an answer, as data: the source of checks, completions, the JSON Schema
/// and the reference page. Always made from a ``Field`` property.
public struct FieldDeclaration: Equatable, Sendable {
    /// Name of the property.
    public let name: String
    /// Type that decides how a scalar of a scenario file is read.
    public let type: FieldType
    /// Whether a parameter must be given, or a member is always there.
    public let isRequired: Bool
    /// Value of a parameter that is left out.
    public let defaultValue: JSONValue?
    /// Unit of a number, for example `bytes`.
    public let unit: String?
    /// What values it takes.
    public let limit: Limit?
    /// What it means.
    public let meaning: String

    package init(
        name: String, type: FieldType, isRequired: Bool, defaultValue: JSONValue?, unit: String?, limit: Limit?,
        meaning: String
    ) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
        self.defaultValue = defaultValue
        self.unit = unit
        self.limit = limit
        self.meaning = meaning
    }

    /// Whether the value must never be shown again.
    public var isSecret: Bool { type == .secret }
    /// The type of a member: the value, or nothing where it can be missing.
    public var memberType: FieldType { isRequired ? type : .optional(type) }
}

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
    public init(stringLiteral text: String) { self.init(text, .any) }

    private init(_ description: String, _ rule: Rule) { (self.description, self.rule) = (description, rule) }

    /// A share of a whole, which is 1.
    public static let share = Limit("more than 0, at most 1", .share)
    /// A length of time that does not point backwards.
    public static let length = Limit("not negative", .time(.zero...LabDuration(nanoseconds: .max)))

    /// A number with digits and at most one point between them, written as text, such as an amount of money.
    public static let decimal = Limit("a number such as 250.50", .decimal)
    /// The code of a currency.
    public static let currency = Limit("three letters", .letters(3))

    /// A length of time that does not point backwards and has an upper bound, which is included.
    public static func upTo(_ longest: LabDuration) -> Limit { Limit("0s to \(longest)", .time(.zero...longest)) }

    /// Whole numbers between two bounds, both included.
    public static func between(_ lowest: Int64, _ highest: Int64) -> Limit {
        Limit("\(lowest) to \(highest)", .whole(lowest...highest))
    }

    /// Whole numbers from a bound on.
    public static func atLeast(_ lowest: Int64) -> Limit { Limit("\(lowest) or more", .whole(lowest...Int64.max)) }

    /// Whole numbers up to a bound, which is included.
    public static func atMost(_ highest: Int64) -> Limit { Limit("\(highest) or less", .whole(Int64.min...highest)) }

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
    public init(stringLiteral text: String) { self.text = text }
}
