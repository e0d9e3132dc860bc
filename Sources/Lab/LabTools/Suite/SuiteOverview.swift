// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabCore
import LabFile
public import ScenarioEngine
import ScenarioLanguage

/// Lists and checks scenarios without starting anything.
///
/// Thread rule: any thread.
public struct SuiteOverview {
    private let options: RunOptions
    private let environment: [String: String]
    private let print: (String) -> Void
    private let writeErrors: (String) -> Void

    /// An overview.
    /// - Parameter print: Takes pieces of text, for standard output.
    public init(
        options: RunOptions, environment: [String: String] = ProcessInfo.processInfo.environment,
        print: @escaping (String) -> Void, writeErrors: @escaping (String) -> Void
    ) {
        self.options = options
        self.environment = environment
        self.print = print
        self.writeErrors = writeErrors
    }

    private func find(reportsWarnings: Bool = false) -> SuiteSearch.Found? {
        SuiteSearch(
            options: options, environment: environment, reportsWarnings: reportsWarnings, print: print,
            writeErrors: writeErrors
        ).find()
    }

    /// Lists identifiers, titles, tags and quarantine.
    public func list(asJSON: Bool) -> RunOutcome {
        guard let found = find() else { return .badInput }
        if asJSON {
            let entries = found.scenarios.map { scenario -> JSONValue in
                var entry: [String: JSONValue] = [
                    "id": .string(scenario.id), "name": .string(scenario.name), "file": .string(scenario.file.path),
                    "tags": .array(scenario.tags.map(JSONValue.string)),
                ]
                if !scenario.manual.isEmpty { entry["manual"] = .array(scenario.manual.map(JSONValue.string)) }
                entry["quarantine"] = scenario.quarantine.map { .string($0.sentence) }
                return .object(entry)
            }
            print(JSONValue.object(["version": 1, "scenarios": .array(entries)]).prettyPrinted() + "\n")
            return .passed
        }
        for scenario in found.scenarios {
            var parts = [scenario.id, scenario.name]
            if !scenario.tags.isEmpty { parts.append("[\(scenario.tags.joined(separator: ", "))]") }
            if let quarantine = scenario.quarantine { parts.append("quarantined: \(quarantine.sentence)") }
            if let obstacle = scenario.obstacle { parts.append("not run: \(obstacle)") }
            print(parts.map(\.onOneVisibleLine).joined(separator: "  ") + "\n")
        }
        return .passed
    }

    /// Prints a Markdown page about all of them.
    public func index() -> RunOutcome {
        guard let found = find() else { return .badInput }
        print(CatalogueIndex(of: found.scenarios).text)
        return .passed
    }

    /// Prints that there are no errors, or every error.
    public func check() -> RunOutcome {
        guard let found = find(reportsWarnings: true) else { return .badInput }
        let files = Set(found.scenarios.map(\.file.path)).count
        let scenarios = FailureText.counted(found.scenarios.count, "scenario")
        print("\(scenarios) in \(FailureText.counted(files, "file")): no mistakes\n")
        return .passed
    }

    /// Prints the steps of every scenario as they would be carried out, with all values known before.
    public func plan() -> RunOutcome {
        guard let found = find() else { return .badInput }
        let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        for scenario in found.scenarios { print(ScenarioPlan(scenario, seed: seed).text + "\n") }
        print("nothing was started; generated values are those of seed \(seed)\n")
        return .passed
    }
}

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
        if let phase = scenario.setup {
            lines.append(phase.isShared ? "  set-up, shared by the rows:" : "  set-up:")
            lines += phase.steps.flatMap { self.lines(of: $0, depth: 1) }
        }
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
        if let command = step.command {
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

/// Collects the error codes and fault points that the steps of a scenario name.
///
/// A name counts only in these places: in `fails` and `others`, in a member or a field with the name `code`, `error`,
/// `cause` or `point`, and in such an argument of a command.
///
/// Not thread-safe: used by the one thread that collects.
struct ScenarioCoverage {
    /// The codes and fault points; numbers as written.
    private(set) var names: Set<String> = []

    private static let keys: Set<String> = ["cause", "code", "error", "others", "point"]

    init(of scenario: Scenario) {
        for step in scenario.allSteps { add(step) }
    }

    private mutating func add(_ step: Step) {
        switch step.action {
        case .command(let command): add(command)
        case .check(let condition): add(condition)
        case .waitFor(let event, _): add(in: event.fields)
        case .order(let events): for event in events { add(in: event.fields) }
        case .race(let race): add(named: race.outcome?.others)
        default: break
        }
        for step in step.inner { add(step) }
    }

    private mutating func add(_ step: CommandStep) {
        for argument in step.arguments where Self.keys.contains(argument.field.name) { add(argument.value) }
        add(step.outcome)
    }

    private mutating func add(_ outcome: CommandStep.Outcome) {
        switch outcome {
        case .succeeds: break
        case .result(let expectation): add(in: expectation)
        case .failure(let expectation): add(in: expectation)
        case .either(let ways): for way in ways { add(way.outcome) }
        }
    }

    /// `check: "${way.answer.code}"` concerns a code, whatever the expectation looks like.
    private mutating func add(_ condition: Condition) {
        if case .reference(let reference) = condition.value, let last = reference.path.last, Self.keys.contains(last) {
            add(named: condition.expectation)
        } else {
            add(in: condition.expectation)
        }
    }

    /// Adds the names in such members of an expectation.
    private mutating func add(in expectation: Expectation?) {
        guard let expectation else { return }
        switch expectation.matcher {
        case .object(let members):
            for member in members {
                if Self.keys.contains(member.key) {
                    add(named: member.expectation)
                } else {
                    add(in: member.expectation)
                }
            }
        case .list(let inner), .oneOf(let inner), .all(let inner): for one in inner { add(in: one) }
        case .contains(let inner), .each(let inner), .exactly(let inner): add(in: inner)
        case .equals(let template): add(in: template)
        // A value that must be absent is not shown.
        case .not: break
        default: break
        }
    }

    /// Adds the values of such members.
    private mutating func add(in template: Template) {
        switch template {
        case .object(let members):
            for (key, member) in members { if Self.keys.contains(key) { add(member) } else { add(in: member) } }
        case .list(let elements): for element in elements { add(in: element) }
        case .literal(.object(let members)): add(in: .object(members.mapValues(Template.literal)))
        case .literal(.array(let elements)): add(in: .list(elements.map(Template.literal)))
        default: break
        }
    }

    /// Adds the names in an expectation of a code.
    private mutating func add(named expectation: Expectation?) {
        guard let expectation else { return }
        switch expectation.matcher {
        case .equals(let template): add(template)
        case .exactly(let inner): add(named: inner)
        case .oneOf(let choices), .all(let choices): for choice in choices { add(named: choice) }
        // A cause in words that begin with the code.
        case .contains(let inner): add(named: inner)
        // An error with a code inside, such as the server's.
        case .object: add(in: expectation)
        default: break
        }
    }

    private mutating func add(_ template: Template) {
        switch template {
        case .literal(.string(let name)): names.insert(name)
        case .literal(let number) where number.integerValue != nil: names.insert(number.description)
        case .object, .list: add(in: template)
        default: break
        }
    }
}
