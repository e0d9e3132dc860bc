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
