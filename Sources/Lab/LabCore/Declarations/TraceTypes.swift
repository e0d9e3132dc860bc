// SPDX-License-Identifier: Apache-2.0

public import LabPoints

// The events of traces and their words, as files, schema and help see them.

extension FieldType {
    fileprivate init(_ kind: TraceField.Kind) {
        switch kind {
        case .text: self = .text
        case .integer: self = .integer
        case .number: self = .number
        case .boolean: self = .boolean
        case .choice(let words): self = .choice(words)
        case .list(let element): self = .list(FieldType(element))
        case .optional(let wrapped): self = .optional(FieldType(wrapped))
        }
    }
}

extension TraceField {
    /// The type of its values.
    public var type: FieldType { FieldType(kind) }
}

extension TraceEventName {
    /// The type of the event's details, as a `where` sees them.
    public var type: FieldType {
        .object(
            fields.map { field in
                let isOptional = if case .optional = field.kind { true } else { false }
                return FieldDeclaration(
                    name: field.name, type: field.type, isRequired: !isOptional, defaultValue: nil, unit: field.unit,
                    limit: nil, meaning: field.meaning)
            })
    }
}

extension TraceEvent {
    /// Which detail does not fit the event's declaration, in one sentence; nil when all of them do.
    public var mismatch: String? {
        let declared = name.fields
        // Of several the first by name, so that each run names the same one.
        if let field = fields.keys.filter({ key in !declared.contains { $0.name == key } }).min() {
            return "`\(name)` of \(process)#\(incarnation) has the field `\(field)`, which is not declared"
        }
        for field in declared {
            let value = fields[field.name] ?? .null
            guard !field.type.admits(value) else { continue }
            return
                "`\(field.name)` of `\(name)` of \(process)#\(incarnation) is \(value), which its type does not allow"
        }
        return nil
    }
}

extension FaultActionWord: Choice {}
extension TerminationCause: Choice {}
extension PushDropReason: Choice {}
extension NotificationOccasion: Choice {}
extension BackgroundTaskKind: Choice {}
extension LinkDirection: Choice {}
extension LinkMessageKind: Choice {}
extension LinkFaultWord: Choice {}
