/// One parameter of a command, as data: the source of checks, completions and the reference page.
public struct Field: Sendable {
    /// Name, equal to the coding key.
    public let name: String
    /// Type that decides how a scalar of a scenario file is read.
    public let type: FieldType
    /// Whether the parameter must be given.
    public let required: Bool
    /// Value used when the parameter is left out, for the reference page.
    public let defaultValue: JSONValue?
    /// Unit of a number, for example `bytes`.
    public let unit: String?
    /// Limit in words, for example `1 to 64`.
    public let limit: String?
    /// What it means.
    public let meaning: String

    private init(
        name: String, type: FieldType, required: Bool, defaultValue: JSONValue?, unit: String?, limit: String?,
        meaning: String
    ) {
        self.name = name
        self.type = type
        self.required = required
        self.defaultValue = defaultValue
        self.unit = unit
        self.limit = limit
        self.meaning = meaning
    }

    /// A parameter that must be given.
    public static func required(
        _ name: String, _ type: FieldType, unit: String? = nil, limit: String? = nil, _ meaning: String
    ) -> Field {
        Field(
            name: name, type: type, required: true, defaultValue: nil, unit: unit, limit: limit, meaning: meaning)
    }

    /// A parameter that may be left out.
    public static func optional(
        _ name: String, _ type: FieldType, default defaultValue: JSONValue? = nil, unit: String? = nil,
        limit: String? = nil, _ meaning: String
    ) -> Field {
        Field(
            name: name, type: type, required: false, defaultValue: defaultValue, unit: unit, limit: limit,
            meaning: meaning)
    }

    /// Whether the value must never be shown again.
    public var isSecret: Bool { type == .secret }
}

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
    case object([Member])
    /// The value, or nothing.
    case optional(FieldType)
    /// Any value.
    case any
    /// No value.
    case nothing

    /// A member of an object-valued answer.
    public struct Member: Equatable, Sendable {
        /// Key of the member.
        public let name: String
        /// Type of the member.
        public let type: FieldType
        /// What it means.
        public let meaning: String

        /// Creates a member.
        public init(_ name: String, _ type: FieldType, _ meaning: String) {
            self.name = name
            self.type = type
            self.meaning = meaning
        }
    }

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
}
