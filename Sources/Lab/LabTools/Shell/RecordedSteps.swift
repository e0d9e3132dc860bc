// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabFile
import LabVocabulary
import ScenarioEngine
import ScenarioLanguage

/// The steps of a session as a runnable scenario.
///
/// The observed results become expectations: the answer if it is a plain word, and the error of a command that failed.
/// A step that reads what arrives over the link gets `eventually`.
/// Times, identifiers and keys differ every time: they are not expected, and where one from an answer is typed again,
/// the step refers to the answer.
struct RecordedSteps {
    /// A text of the session, and its result.
    struct Entry {
        /// The steps in YAML, without the dash of a list with only one element, and without references to answers.
        fileprivate let lines: [String]
        let steps: [Step]
        /// The texts in it that come from earlier answers.
        fileprivate let borrowed: [BorrowedText]
        /// The time between the end of the previous entry and the beginning of this one, in nanoseconds.
        let pause: UInt64
    }

    /// A text of an earlier answer, and where it was typed.
    fileprivate struct BorrowedText {
        let origin: RecordedAnswers.Origin
        let range: SourceRange
    }

    private(set) var entries: [Entry] = []
    private var answers = RecordedAnswers()

    /// Those of some secrets that a step of the record refers to.
    func used(of secrets: [GivenSecret]) -> [GivenSecret] {
        secrets.filter { secret in entries.contains { $0.lines.contains { $0.contains("${\(secret.name)}") } } }
    }

    /// Adds a text that was carried out.
    /// - Parameters:
    ///   - answer: The answer of the last command.
    ///   - error: The error of the command, if the step is about it.
    ///   - pause: The time since the end of the previous step, in nanoseconds.
    mutating func add(_ yaml: String, steps: [Step], answer: JSONValue?, error: ControlError?, after pause: UInt64 = 0)
    {
        var lines = yaml.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
        let margin = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        lines = lines.map { String($0.dropFirst(margin)) }
        let borrowed = borrowedTexts(in: lines, steps)
        if steps.count == 1, let command = steps[0].command, case .succeeds = command.outcome {
            if let error {
                Self.append("fails: \(error.name ?? error.code.map(String.init) ?? error.domain)", to: &lines)
            } else if let answer, let seen = Self.lasting(answer, command.command.result) {
                // A replay does not pause as a person does, so it asks until the answer has come about.
                if command.eventually == nil, Self.readsWhatArrives(command) {
                    Self.append("eventually: 5s", to: &lines)
                }
                Self.append("expect: \(ShellLine.flow(seen))", to: &lines)
            }
        }
        answers.note(typed: steps)
        if let answer, error == nil, let type = steps.last?.typeOfAnswer {
            answers.note(answer, of: type, entry: entries.count)
        }
        entries.append(Entry(lines: lines, steps: steps, borrowed: borrowed, pause: pause))
    }

    /// Whether a text comes from an answer, so that a step refers to the answer instead of repeating the text.
    func wasAnswered(_ text: String) -> Bool { answers[text] != nil }

    /// Removes the last text; false without one.
    mutating func removeLast() -> Bool {
        guard entries.popLast() != nil else { return false }
        answers.forget(from: entries.count)
        return true
    }

    /// The session's entry for a step of the scenario.
    /// - Parameter path: The step's number, with those of the steps in it: `3.1`.
    func entry(ofStep path: String) -> Entry? {
        guard var number = path.split(separator: ".").first.flatMap({ Int($0) }) else { return nil }
        return entries.first { entry in
            defer { number -= entry.steps.count }
            return number <= entry.steps.count
        }
    }

    /// The texts of a step's arguments that come from earlier answers, in the order of the file.
    private func borrowedTexts(in lines: [String], _ steps: [Step]) -> [BorrowedText] {
        let written = Set(steps.flatMap(\.writtenTexts))
        let file = SourceFile(path: "step", text: lines.joined(separator: "\n"))
        guard let root = YAMLDocument.parse(file, reporting: DiagnosticCollector()) else { return [] }
        return root.arguments.compactMap { node in
            guard let text = node.scalar?.text, written.contains(text), let origin = answers[text],
                node.place.range.start.line == node.place.range.end.line
            else { return nil }
            return BorrowedText(origin: origin, range: node.place.range)
        }
    }

    /// The lines of all entries, with references to earlier answers and the necessary names.
    private func linkedLines(besides secrets: [GivenSecret]) -> [[String]] {
        let needed = Set(entries.flatMap { $0.borrowed.map(\.origin.entry) })
        var taken = Set(secrets.map(\.name) + entries.flatMap { $0.steps.flatMap(\.givenNames) })
        var names: [Int: String] = [:]
        for index in needed.sorted() {
            guard let command = entries[index].steps.last?.command else { continue }
            let name = command.capture ?? Self.freeName(for: command, besides: taken)
            taken.insert(name)
            names[index] = name
        }
        return entries.enumerated().map { index, entry in
            var lines = entry.lines
            for text in entry.borrowed.reversed() {
                let name = names[text.origin.entry] ?? ""
                let reference = "\"${\(([name] + text.origin.path).joined(separator: "."))}\""
                lines[text.range.start.line - 1].replaceColumns(of: text.range, by: reference)
            }
            if let name = names[index], let command = entry.steps.last?.command, command.capture == nil {
                Self.keep(as: name, in: &lines)
            }
            return lines
        }
    }

    /// A name for a command's answer: the command's name without the verb.
    private static func freeName(for command: CommandStep, besides taken: Set<String>) -> String {
        let whole = command.command.name
        let noun = whole.drop { !$0.isUppercase }
        let name = noun.isEmpty ? whole : noun.prefix(1).lowercased() + noun.dropFirst()
        let isFree = { (name: String) in
            !taken.contains(name) && !ReservedWords.all.contains(name) && !command.targets.contains { $0.actor == name }
        }
        return (1...).lazy.map { $0 == 1 ? name : "\(name)\($0)" }.first(where: isFree) ?? name
    }

    /// Makes the last step of an entry keep its answer.
    private static func keep(as name: String, in lines: inout [String]) {
        let keys = keys(ofLastStepIn: lines)
        add("as: \(name)", to: &lines, at: keys.count > 1 ? keys[1].line - 1 : lines.count)
    }

    /// Adds a key to the only step of an entry, after everything else, so that no place before it moves.
    private static func append(_ entry: String, to lines: inout [String]) { add(entry, to: &lines, at: lines.count) }

    private static func add(_ entry: String, to lines: inout [String], at index: Int) {
        guard let first = keys(ofLastStepIn: lines).first, let last = lines.indices.last else { return }
        let isFlow = lines[first.line - 1].unicodeScalars.prefix(first.column - 1).last { $0 != " " } == "{"
        if isFlow, let brace = lines[last].lastIndex(of: "}") {
            let before = lines[last][..<brace].reversed().drop { $0 == " " }.count
            lines[last] = "\(lines[last].prefix(before)), \(entry) }"
        } else {
            lines.insert(String(repeating: " ", count: first.column - 1) + entry, at: index)
        }
    }

    private static func keys(ofLastStepIn lines: [String]) -> [SourcePosition] {
        let file = SourceFile(path: "step", text: lines.joined(separator: "\n"))
        let root = YAMLDocument.parse(file, reporting: DiagnosticCollector())
        return root.flatMap { ($0.elements?.last ?? $0).entries }?.map(\.keyPlace.range.start) ?? []
    }

    /// The scenario, as `lab format` writes it.
    func scenario(named name: String, topology: String, secrets: [GivenSecret] = []) -> String {
        var lines = ["name: \(ShellLine.flow(.string(name)))", "lab: \(topology)"]
        let used = used(of: secrets)
        if !used.isEmpty { lines.append("values:") }
        lines += used.map { "  \($0.name): { environment: \($0.variable), secret: true }" }
        lines.append("steps:")
        for entry in linkedLines(besides: secrets) {
            // A pasted list has its dashes already.
            let isList = entry.first?.hasPrefix("- ") ?? false
            for (index, line) in entry.enumerated() {
                lines.append("  " + (isList ? line : (index == 0 ? "- " : "  ") + line))
            }
        }
        let text = lines.joined(separator: "\n") + "\n"
        let file = SourceFile(path: name, text: text)
        // Text that cannot be formatted is kept as typed.
        return (try? YAMLFormatter.format(file, reporting: DiagnosticCollector())) ?? text
    }

    /// The part of an answer that is the same the next time: flags and words of a fixed set. Nil if there are none.
    private static func lasting(_ answer: JSONValue, _ type: FieldType) -> JSONValue? {
        switch type {
        case .boolean, .choice: return answer
        case .optional(let wrapped): return answer.isNull ? nil : lasting(answer, wrapped)
        case .object(let members):
            let seen = members.reduce(into: [String: JSONValue]()) { seen, member in
                seen[member.name] = answer.objectValue?[member.name].flatMap { lasting($0, member.memberType) }
            }
            return seen.isEmpty ? nil : .object(seen)
        default: return nil
        }
    }

    /// Commands whose answer changes on a watch when something arrives from the phone.
    private static let changedOnWatch: Set = [
        CanStartActivation.info.name, HasValidActivation.info.name, HasLocalToken.info.name,
    ]

    /// Whether a command reads what arrives over the link between phone and watch, without a step that waits for it.
    private static func readsWhatArrives(_ command: CommandStep) -> Bool {
        let name = command.command.name
        return name == WatchSessionState.info.name
            || (command.target.kind == .watchApp && changedOnWatch.contains(name))
    }

    /// Adds a step that was carried out, if a scenario can repeat it.
    /// - Returns: The error of a command without an expectation: a finding of the session.
    @discardableResult
    mutating func add(_ yaml: String, _ outcome: LiveSteps.Outcome, after pause: UInt64 = 0) -> ControlError? {
        switch outcome {
        case .refused: return nil
        case .done(let steps, let answer):
            add(yaml, steps: steps, answer: answer, error: nil, after: pause)
            return nil
        case .failed(_, let steps, let error):
            guard let error, steps.count == 1, steps[0].isAsGiven, error.domain != ControlError.labDomain else {
                return nil
            }
            add(yaml, steps: steps, answer: nil, error: error, after: pause)
            return error
        }
    }

    /// A pause after which a step is assumed to have waited for something, in nanoseconds.
    private static let longPause: UInt64 = 1_000_000_000

    /// How a step that failed in a replay differs from the session, the possible reason, and what to change; nil for a
    /// failure that concerns no step of it.
    func difference(_ failure: StepFailure) -> String? {
        guard let entry = entry(ofStep: failure.step) else { return nil }
        return "step \(failure.step), `\(failure.title)`, did not end as in the session: \(reason(failure, entry))"
    }

    private func reason(_ failure: StepFailure, _ entry: Entry) -> String {
        if entry.pause >= Self.longPause {
            return
                "it came \(Self.seconds(entry.pause)) after the step before, and a replay does not wait; if it depends on "
                + "time, write what it waits for: `waitFor` with an event, `eventually`, or `advance` for the lab's clock"
        }
        if !failure.differences.isEmpty {
            return "its answer is another one each time; take what differs out of `expect`"
        }
        let texts = entry.steps.flatMap(\.argumentNames)
        guard !texts.isEmpty else { return "what it ends with differs from run to run; expect it with `either`" }
        return
            "it may be that a value holds in one session only (\(texts.joined(separator: ", "))); what an earlier step "
            + "answers is written `${NAME.member}`"
    }

    private static func seconds(_ nanoseconds: UInt64) -> String {
        nanoseconds < 100_000_000_000 ? "\(nanoseconds / 1_000_000_000) s" : "\(nanoseconds / 60_000_000_000) min"
    }
}

extension Step {
    /// The type of the answer of the step's command, if it can be kept with `as`.
    fileprivate var typeOfAnswer: FieldType? {
        guard when == nil, let command else { return nil }
        return switch command.outcome {
        case .succeeds, .result: command.command.result
        case .failure, .either: nil
        }
    }

    /// Whether it has no expectation.
    fileprivate var isAsGiven: Bool { if case .succeeds? = command?.outcome { true } else { false } }

    fileprivate var argumentNames: [String] {
        guard let command else { return inner.flatMap(\.argumentNames) }
        return command.arguments.compactMap { argument in
            if case .literal(.string) = argument.value { argument.field.name } else { nil }
        }
    }
}

extension YAMLNode {
    /// The scalars below every `with`, in the order of the file.
    fileprivate var arguments: [YAMLNode] {
        if let elements { return elements.flatMap(\.arguments) }
        return (entries ?? []).flatMap { $0.key == "with" ? $0.value.scalars : $0.value.arguments }
    }

    private var scalars: [YAMLNode] {
        switch content {
        case .scalar: [self]
        case .sequence(let elements): elements.flatMap(\.scalars)
        case .mapping(let entries): entries.flatMap(\.value.scalars)
        }
    }
}
