import LabKit

/// What a key of an app's preferences can hold.
public enum PreferenceValue: Equatable, Sendable {
    /// A Boolean.
    case bool(Bool)
    /// A whole number.
    case integer(Int)
    /// A number.
    case number(Double)
    /// A text.
    case text(String)

    /// The value in a preferences file; nil for one that no app has stored.
    init?(_ json: JSONValue) {
        switch json {
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(Int(value))
        case .number(let value): self = .number(value)
        case .string(let value): self = .text(value)
        default: return nil
        }
    }

    /// The value as the file holds it.
    var json: JSONValue {
        switch self {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(Int64(value))
        case .number(let value): .number(value)
        case .text(let value): .string(value)
        }
    }
}
