import LabFile
import LabKit

/// The kind of value that a matcher needs.
enum MatcherNeed {
    case text, quantity, list, parts, size

    /// The need of a matcher's word; nil if it accepts any value.
    init?(of word: String) {
        switch word {
        case "matches", "startsWith", "endsWith": self = .text
        case "atLeast", "atMost", "between", "near": self = .quantity
        case "each": self = .list
        case "contains": self = .parts
        case "length": self = .size
        default: return nil
        }
    }

    /// The need in a sentence.
    var title: String {
        switch self {
        case .text: "text"
        case .quantity: "a number or a duration"
        case .list: "a list"
        case .parts, .size: "text, a list or an object"
        }
    }

    /// Whether a value of a type can meet the need.
    func isMet(by type: FieldType) -> Bool {
        switch (self, type.unwrapped) {
        case (_, .any): true
        case (.text, .text), (.text, .secret), (.text, .choice), (.text, .duration): true
        case (.quantity, .integer), (.quantity, .number), (.quantity, .duration): true
        case (.list, .list), (.parts, .list), (.size, .list): true
        case (.parts, .text), (.parts, .secret), (.parts, .choice), (.parts, .map), (.parts, .object): true
        case (.size, .text), (.size, .secret), (.size, .choice), (.size, .map), (.size, .object): true
        default: false
        }
    }

    /// The type for reading the bounds of a quantity: that of the value, else as written.
    static func quantityType(of type: FieldType, writtenAs node: YAMLNode) -> FieldType {
        switch type.unwrapped {
        case .integer, .number: return .number
        case .duration: return .duration
        default:
            guard let text = node.scalar?.text else { return .number }
            if text.contains("${") { return .any }
            return Double(text) == nil && LabDuration(signed: text) != nil ? .duration : .number
        }
    }
}
