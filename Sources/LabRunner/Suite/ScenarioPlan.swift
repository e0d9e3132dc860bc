internal import LabKit

/// The steps of a scenario in words, with all values that are known before it runs.
struct ScenarioPlan {
    private let scenario: Scenario
    private let redactor: Redactor
    private var bindings = Bindings()

    /// - Parameter seed: What generated values are drawn from.
    init(_ scenario: Scenario, seed: UInt64) {
        self.scenario = scenario
        redactor = Redactor(secrets: scenario.secretTexts)
        for value in scenario.generated {
            let drawn = value.draw(seed: seed, scenario: scenario.id)
            if value.kind == .pin, case .string(let text) = drawn { redactor.insert(text) }
            bindings.set(value.name, to: drawn)
        }
    }

    /// The plan: a line for the scenario and one for each step, secrets masked.
    var text: String {
        var lines = ["\(scenario.id)  \(scenario.name)".onOneVisibleLine]
        if let phase = scenario.setup { lines += ["  set-up:"] + phase.steps.flatMap { self.lines(of: $0, depth: 1) } }
        if scenario.setup != nil { lines.append("  steps:") }
        lines += scenario.steps.flatMap { self.lines(of: $0, depth: 1) }
        if let phase = scenario.tearDown {
            lines += ["  tear-down:"] + phase.steps.flatMap { self.lines(of: $0, depth: 1) }
        }
        return lines.map { redactor.redact($0) + "\n" }.joined()
    }

    private func lines(of step: Step, depth: Int) -> [String] {
        var line = "\(step.path)  \(step.title)"
        if case .command(let command) = step.action {
            for argument in command.arguments {
                let value = known(argument.value)
                if argument.field.isSecret, case .string(let text) = value, !text.contains("${") {
                    redactor.insert(text)
                }
                line += "  \(argument.field.name)=\(value.description)"
            }
            if let capture = command.capture { line += "  as \(capture)" }
        }
        let indent = String(repeating: "  ", count: depth)
        return [indent + line.onOneVisibleLine] + step.inner.flatMap { lines(of: $0, depth: depth + 1) }
    }

    /// The value as far as it is known; what only the run can know stays a reference.
    private func known(_ template: Template) -> JSONValue {
        if let value = try? bindings.resolve(template) { return value }
        switch template {
        case .literal(let value): return value
        case .reference(let reference): return .string("${\(reference.text)}")
        case .list(let elements): return .array(elements.map(known))
        case .object(let members): return .object(members.mapValues(known))
        case .interpolation(let parts):
            let pieces = parts.map { part in
                switch part {
                case .text(let text): text
                case .reference(let reference): Bindings.text(of: known(.reference(reference)))
                }
            }
            return .string(pieces.joined())
        }
    }
}

extension Step {
    /// The steps inside, in the order in which they are written.
    fileprivate var inner: [Step] {
        switch action {
        case .command, .check, .advance, .waitFor, .order: []
        case .race(let race): race.branches.flatMap(\.steps)
        case .parallel(let branches): branches.flatMap(\.steps)
        case .eventually(_, let steps), .repeated(_, _, let steps), .each(_, _, let steps), .included(_, let steps),
            .stays(_, let steps), .never(.event, let steps), .same(let steps):
            steps
        case .never(.answer(let probe), let steps): [probe] + steps
        case .during(let arming, let steps): arming + steps
        }
    }
}
