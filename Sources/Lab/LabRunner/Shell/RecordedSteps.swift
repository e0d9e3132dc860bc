internal import Foundation
internal import LabFile
internal import LabKit

/// The steps of a session as a scenario that can be run again.
///
/// What was seen is what is expected from then on: the answer where it is a plain word, and the error of a command that
/// failed. Times, identifiers and keys are different every time: they are not expected, and where one that was answered is
/// typed again, the step refers to the answer.
struct RecordedSteps {
    /// A text of the session, and what was seen.
    struct Entry {
        /// The steps in YAML, without the dash of a list that has one element only, and without references to answers.
        fileprivate let lines: [String]
        /// What the text was read as.
        let steps: [Step]
        /// What stands in it and was read in an earlier answer.
        fileprivate let borrowed: [BorrowedText]
        /// The time between the end of the entry before and the begin of this one, in nanoseconds.
        let pause: UInt64
    }

    /// A text of an earlier answer, where it was typed.
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

    /// Adds what was carried out.
    ///
    /// - Parameters:
    ///   - yaml: A step or a list of steps, as it was read.
    ///   - steps: What it was read as.
    ///   - answer: What the last command answered.
    ///   - error: What the command failed with, when that is what the step is about.
    ///   - pause: The time since the end of what was carried out before, in nanoseconds.
    mutating func add(_ yaml: String, steps: [Step], answer: JSONValue?, error: ControlError?, after pause: UInt64 = 0)
    {
        var lines = yaml.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
        let margin = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        lines = lines.map { String($0.dropFirst(margin)) }
        let borrowed = borrowedTexts(in: lines, steps)
        if steps.count == 1, case .command(let command) = steps[0].action, case .succeeds = command.outcome {
            if let error {
                Self.append("fails: \(error.name ?? error.code.map(String.init) ?? error.domain)", to: &lines)
            } else if let answer, let seen = Self.lasting(answer, command.command.result) {
                Self.append("expect: \(ShellLine.flow(seen))", to: &lines)
            }
        }
        answers.note(typed: steps)
        if let answer, error == nil, let type = steps.last?.typeOfAnswer {
            answers.note(answer, of: type, entry: entries.count)
        }
        entries.append(Entry(lines: lines, steps: steps, borrowed: borrowed, pause: pause))
    }

    /// Whether a text was read in an answer, so that a step refers to that where the text is typed.
    func wasAnswered(_ text: String) -> Bool { answers[text] != nil }

    /// Takes the last text back.
    ///
    /// - Returns: Whether there was one.
    mutating func removeLast() -> Bool {
        guard entries.popLast() != nil else { return false }
        answers.forget(from: entries.count)
        return true
    }

    /// What a step of the scenario was in the session.
    ///
    /// - Parameter path: The step's number, with those of the steps in it: `3.1`.
    func entry(ofStep path: String) -> Entry? {
        guard var number = path.split(separator: ".").first.flatMap({ Int($0) }) else { return nil }
        return entries.first { entry in
            defer { number -= entry.steps.count }
            return number <= entry.steps.count
        }
    }

    /// The texts of a step's arguments that were read in earlier answers, in the order of the file.
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

    /// The lines of all entries, with references to earlier answers and the names that these need.
    private func linkedLines(besides secrets: [GivenSecret]) -> [[String]] {
        let needed = Set(entries.flatMap { $0.borrowed.map(\.origin.entry) })
        var taken = Set(secrets.map(\.name) + entries.flatMap { $0.steps.flatMap(\.givenNames) })
        var names: [Int: String] = [:]
        for index in needed.sorted() {
            guard case .command(let command)? = entries[index].steps.last?.action else { continue }
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
            if let name = names[index], entry.steps.last?.capturesNothing == true { Self.keep(as: name, in: &lines) }
            return lines
        }
    }

    /// A name for what a command answered: its own without the verb.
    private static func freeName(for command: CommandStep, besides taken: Set<String>) -> String {
        let whole = command.command.name
        let noun = whole.drop { !$0.isUppercase }
        let name = noun.isEmpty ? whole : noun.prefix(1).lowercased() + noun.dropFirst()
        let isFree = { (name: String) in
            !taken.contains(name) && !ReservedWords.all.contains(name) && !command.targets.contains { $0.actor == name }
        }
        return (1...).lazy.map { $0 == 1 ? name : "\(name)\($0)" }.first(where: isFree) ?? name
    }

    /// Lets the last step of an entry keep its answer.
    private static func keep(as name: String, in lines: inout [String]) {
        let keys = keys(ofLastStepIn: lines)
        add("as: \(name)", to: &lines, at: keys.count > 1 ? keys[1].line - 1 : lines.count)
    }

    /// Adds a key to the only step of an entry, behind everything else: no place before it moves.
    private static func append(_ entry: String, to lines: inout [String]) {
        add(entry, to: &lines, at: lines.count)
    }

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

    /// Where the keys of an entry's last step are.
    private static func keys(ofLastStepIn lines: [String]) -> [SourcePosition] {
        let file = SourceFile(path: "step", text: lines.joined(separator: "\n"))
        let root = YAMLDocument.parse(file, reporting: DiagnosticCollector())
        return root.flatMap { ($0.elements?.last ?? $0).entries }?.map(\.keyPlace.range.start) ?? []
    }

    /// The scenario, as `lab format` writes it.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - topology: The name of the cast.
    ///   - secrets: What steps may refer to.
    func scenario(named name: String, topology: String, secrets: [GivenSecret] = []) -> String {
        var lines = ["name: \(ShellLine.flow(.string(name)))", "lab: \(topology)"]
        let used = used(of: secrets)
        if !used.isEmpty { lines.append("values:") }
        lines += used.map { "  \($0.name): { environment: \($0.variable), secret: true }" }
        lines.append("steps:")
        for entry in linkedLines(besides: secrets) {
            // A list that was pasted has its dashes already.
            let isList = entry.first?.hasPrefix("- ") ?? false
            for (index, line) in entry.enumerated() {
                lines.append("  " + (isList ? line : (index == 0 ? "- " : "  ") + line))
            }
        }
        let text = lines.joined(separator: "\n") + "\n"
        let file = SourceFile(path: name, text: text)
        // What somebody has typed is worth more than its look.
        return (try? YAMLFormatter.format(file, reporting: DiagnosticCollector())) ?? text
    }

    /// The part of an answer that is the same the next time: flags and words of a fixed set. Nil when there is none.
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
}

extension Step {
    /// The type of what the step's command answers, when it is one that can be kept with `as`.
    fileprivate var typeOfAnswer: FieldType? {
        guard when == nil, case .command(let command) = action else { return nil }
        return switch command.outcome {
        case .succeeds, .result: command.command.result
        case .failure, .either: nil
        }
    }

    fileprivate var capturesNothing: Bool {
        if case .command(let command) = action { command.capture == nil } else { false }
    }
}

extension YAMLNode {
    /// The single values below every `with`, in the order of the file.
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

extension String {
    /// Puts a text where a range of one line was.
    mutating func replaceColumns(of range: SourceRange, by text: String) {
        let scalars = unicodeScalars
        let start = scalars.index(scalars.startIndex, offsetBy: range.start.column - 1)
        let end = scalars.index(scalars.startIndex, offsetBy: range.end.column - 1)
        replaceSubrange(start..<end, with: text)
    }
}
