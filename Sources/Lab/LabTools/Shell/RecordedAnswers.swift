// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import ScenarioLanguage

/// The texts of a session's answers. A text typed later was read there, so the record refers to the answer: an
/// activation code, for example, differs in the next run.
struct RecordedAnswers {
    /// The source of a text: the index of an entry in the record, and the path in its answer.
    struct Origin: Equatable {
        let entry: Int
        let path: [String]
    }

    private var origins: [String: Origin] = [:]
    private var typed: Set<String> = []

    /// The source of a text that was typed; nil if it is the writer's own.
    subscript(text: String) -> Origin? { origins[text] }

    /// Records a typed text. From then on it is the writer's own, even if an answer repeats it.
    mutating func note(typed steps: [Step]) {
        for text in steps.flatMap(\.writtenTexts) where origins[text] == nil { typed.insert(text) }
    }

    /// Records the answer of an entry.
    mutating func note(_ answer: JSONValue, of type: FieldType, entry: Int) {
        for (path, text) in Self.texts(in: answer, of: type) where origins[text] == nil && !typed.contains(text) {
            origins[text] = Origin(entry: entry, path: path)
        }
    }

    /// Forgets the answers of the entries from an index on.
    mutating func forget(from entry: Int) { origins = origins.filter { $0.value.entry < entry } }

    private static func texts(in value: JSONValue, of type: FieldType) -> [(path: [String], text: String)] {
        switch (type, value) {
        case (.optional(let wrapped), _): return texts(in: value, of: wrapped)
        // Shorter ones are equal by chance.
        case (.text, .string(let text)): return text.count < 4 ? [] : [([], text)]
        case (.object(let members), .object(let values)):
            return members.flatMap { member in
                below(member.name, texts(in: values[member.name] ?? .null, of: member.memberType))
            }
        case (.list(let element), .array(let values)): return below(values, of: element)
        case (.any, .string(let text)): return isMade(text) ? [([], text)] : []
        case (.any, .object(let values)), (.map, .object(let values)):
            return values.sorted { $0.key < $1.key }.filter { isName($0.key) }
                .flatMap { below($0.key, texts(in: $0.value, of: .any)) }
        case (.any, .array(let values)): return below(values, of: .any)
        default: return []
        }
    }

    private static func below(_ values: [JSONValue], of type: FieldType) -> [(path: [String], text: String)] {
        values.enumerated().flatMap { below(String($0.offset), texts(in: $0.element, of: type)) }
    }

    private static func below(
        _ name: String, _ texts: [(path: [String], text: String)]
    ) -> [(path: [String], text: String)] {
        texts.map { ([name] + $0.path, $0.text) }
    }

    /// Where no type distinguishes words of a fixed set from identifiers, length and digits do.
    private static func isMade(_ text: String) -> Bool {
        text.count >= 16 || (text.count >= 8 && text.contains { $0.isNumber })
    }

    /// Whether a reference can name the key.
    private static func isName(_ key: String) -> Bool {
        !key.isEmpty && key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}

extension Step {
    /// The texts in the free-text arguments of its commands.
    var writtenTexts: [String] {
        guard let command else { return inner.flatMap(\.writtenTexts) }
        return command.arguments.flatMap { argument -> [String] in
            switch argument.field.type.unwrapped {
            case .choice, .duration: []
            default: argument.value.writtenTexts
            }
        }
    }

    /// The names that the step and those inside it define.
    var givenNames: [String] {
        let own: [String?] =
            switch action {
            case .command(let command): [command.capture]
            case .race(let race): [race.outcome?.capture]
            case .repeated(_, let counter, _): [counter]
            case .each(_, let name, _): [name]
            default: []
            }
        return own.compactMap(\.self) + inner.flatMap(\.givenNames)
    }
}

extension Template {
    fileprivate var writtenTexts: [String] {
        switch self {
        case .literal(let value): value.texts
        case .list(let elements): elements.flatMap(\.writtenTexts)
        case .object(let members): members.values.flatMap(\.writtenTexts)
        case .reference, .interpolation: []
        }
    }
}

extension JSONValue {
    fileprivate var texts: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(\.texts)
        case .object(let members): members.values.flatMap(\.texts)
        default: []
        }
    }
}
