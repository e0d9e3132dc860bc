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

    /// Whether the value must never be shown again.
    public var isSecret: Bool { type == .secret }

    /// The type of a member: the value, or nothing where it can be missing.
    public var memberType: FieldType { isRequired ? type : .optional(type) }
}
