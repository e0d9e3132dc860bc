import LabKit

extension FieldType {
    /// The texts in a value of this type that must not appear in any record of a run.
    func secretTexts(of value: JSONValue) -> [String] {
        switch (self, value) {
        case (.secret, .string(let text)): [text]
        case (.optional(let wrapped), _): wrapped.secretTexts(of: value)
        case (.list(let element), .array(let values)): values.flatMap(element.secretTexts)
        case (.object(let members), .object(let values)):
            members.flatMap { member in values[member.name].map(member.type.secretTexts) ?? [] }
        default: []
        }
    }
}
