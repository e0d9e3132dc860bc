internal import Foundation
internal import LabKit

/// The steps of a session as a scenario that can be run again.
///
/// What was seen is what is expected from then on: the answer where it is a plain word, and the error of a command that
/// failed. Times, identifiers and keys are different every time and are left out.
struct RecordedSteps {
    /// A text of the session, and what was seen.
    struct Entry: Equatable {
        /// The step in YAML, without the dash of a list.
        let lines: [String]
    }

    private(set) var entries: [Entry] = []

    /// Adds what was carried out.
    ///
    /// - Parameters:
    ///   - yaml: A step or a list of steps, as it was read.
    ///   - steps: What it was read as.
    ///   - answer: What the last command answered.
    ///   - error: What the command failed with, when that is what the step is about.
    mutating func add(_ yaml: String, steps: [Step], answer: JSONValue?, error: ControlError?) {
        var lines = yaml.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
        let margin = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        lines = lines.map { String($0.dropFirst(margin)) }
        if steps.count == 1, case .command(let command) = steps[0].action, case .succeeds = command.outcome,
            !lines[0].hasPrefix("{"), !lines[0].hasPrefix("- ")
        {
            if let error {
                lines.append("fails: \(error.name ?? error.code.map(String.init) ?? error.domain)")
            } else if let answer, let seen = Self.lasting(answer, command.command.result) {
                lines.append("expect: \(ShellLine.flow(seen))")
            }
        }
        entries.append(Entry(lines: lines))
    }

    /// Takes the last text back.
    ///
    /// - Returns: Whether there was one.
    mutating func removeLast() -> Bool { entries.popLast() != nil }

    /// The scenario.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - topology: The name of the cast.
    func scenario(named name: String, topology: String) -> String {
        var lines = ["name: \(ShellLine.flow(.string(name)))", "lab: \(topology)", "steps:"]
        for entry in entries {
            // A list that was pasted has its dashes already.
            let isList = entry.lines.first?.hasPrefix("- ") ?? false
            for (index, line) in entry.lines.enumerated() {
                lines.append("  " + (isList ? line : (index == 0 ? "- " : "  ") + line))
            }
        }
        return lines.joined(separator: "\n") + "\n"
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
