import LabKit

// The one place where a step is described in English.

extension Step {
    /// The step in a sentence: the writer's note, else the vocabulary's description of its command, with the arguments.
    /// Nil for words of the language, which describe themselves.
    ///
    /// - Parameter bindings: The values known before the run, so that a plan and a report agree.
    func sentence(knowing bindings: Bindings) -> String? {
        if let note { return note }
        guard case .command(let command) = action else { return nil }
        let meaning = command.command.summary
        let arguments = command.arguments.map { $0.text(knowing: bindings) }
        var sentence = "\(command.name) \(meaning.prefix(1).lowercased())\(meaning.dropFirst())"
        if sentence.hasSuffix(".") { sentence.removeLast() }
        if !arguments.isEmpty { sentence += " (\(arguments.joined(separator: ", ")))" }
        if case .failure = command.outcome { sentence += ", expected to fail" }
        return sentence
    }
}

extension CommandStep {
    /// The actor of the command, under its name in the scenario.
    var name: String { alias?.name ?? target.actor }
}

extension CommandStep.Argument {
    /// The argument as `name=value`; values known only in the run stay references, and secrets are masked.
    func text(knowing bindings: Bindings) -> String {
        let value = bindings.known(of: self.value)
        if field.isSecret, case .string(let text) = value, !text.contains("${") {
            return "\(field.name)=\"\(Secret.mask)\""
        }
        return "\(field.name)=\(value.description)"
    }
}

extension Bindings {
    /// A value as far as it is known; the rest stays a reference.
    func known(of template: Template) -> JSONValue {
        if let value = try? resolve(template) { return value }
        switch template {
        case .literal(let value): return value
        case .reference(let reference): return .string("${\(reference.text)}")
        case .list(let elements): return .array(elements.map(known))
        case .object(let members): return .object(members.mapValues(known))
        case .interpolation(let parts):
            let pieces = parts.map { part in
                switch part {
                case .text(let text): text
                case .reference(let reference): Self.text(of: known(of: .reference(reference)))
                }
            }
            return .string(pieces.joined())
        }
    }
}
