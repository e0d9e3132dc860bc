import LabKit

/// The steps of a scenario in words, with all values known before it runs.
struct ScenarioPlan {
    private let scenario: Scenario
    private let redactor: Redactor
    private let bindings: Bindings

    /// - Parameter seed: The seed of generated values.
    init(_ scenario: Scenario, seed: UInt64) {
        self.scenario = scenario
        redactor = Redactor(secrets: scenario.secretTexts)
        bindings = scenario.drawn(seed: seed, hiddenBy: redactor)
    }

    /// The plan: a line for the scenario and one for each step, secrets masked.
    var text: String {
        var lines = ["\(scenario.id)  \(scenario.name)".onOneVisibleLine]
        if !scenario.values.isEmpty { lines += ["  values:"] + scenario.values.map(line) }
        if let phase = scenario.setup { lines += ["  set-up:"] + phase.steps.flatMap { self.lines(of: $0, depth: 1) } }
        if lines.count > 1 { lines.append("  steps:") }
        lines += scenario.steps.flatMap { self.lines(of: $0, depth: 1) }
        if let phase = scenario.tearDown {
            lines += ["  tear-down:"] + phase.steps.flatMap { self.lines(of: $0, depth: 1) }
        }
        return lines.map { redactor.redact($0) + "\n" }.joined()
    }

    /// A value and its source.
    private func line(about value: DeclaredValue) -> String {
        let known = value.value ?? bindings.values[value.name] ?? .null
        let shown = value.isSecret ? "\"\(Secret.mask)\"" : known.description
        return "    \(value.name) = \(shown)  \(value.origin.sentence)".onOneVisibleLine
    }

    private func lines(of step: Step, depth: Int) -> [String] {
        var line = "\(step.path)  \(step.title)"
        if case .command(let command) = step.action {
            // Otherwise the sentence contains them.
            if step.note != nil {
                for argument in command.arguments { line += "  \(argument.text(knowing: bindings))" }
            }
            if let capture = command.capture { line += "  as \(Reference.written(capture))" }
        }
        if let when = step.when {
            line +=
                "  when ${\(when.reference.text)} is \(MatchEvaluator(bindings: bindings).describe(when.expectation))"
        }
        let indent = String(repeating: "  ", count: depth)
        let below = indent + String(repeating: " ", count: step.path.count + 2)
        let sentence = step.sentence(knowing: bindings).map { below + $0.onOneVisibleLine }
        return [indent + line.onOneVisibleLine] + [sentence].compactMap(\.self)
            + step.inner.flatMap { lines(of: $0, depth: depth + 1) }
    }
}
