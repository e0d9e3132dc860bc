// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import LabReports
import LabVocabulary
import ScenarioEngine
import ScenarioLanguage

/// The app that a shell acts as, if every line is a command to it: the prompt of an app that was started by hand.
struct ShellActor {
    let name: String
    private let device: String
    private let instance: InstanceConnection

    /// - Throws: ``BadUsage`` if the instance has no app of that name.
    init(_ name: String, in instance: InstanceConnection) throws {
        guard let (device, _) = instance.manifest.topology.app(named: name) else {
            let known = instance.manifest.topology.apps.map(\.name)
            let advice =
                nearest(name, among: known).map { "did you mean `\($0)`?" }
                ?? "its apps are \(listed(known, by: "and"))"
            throw BadUsage(sentence: "the instance has no app `\(name)`; \(advice)")
        }
        self.name = name
        self.device = device.name
        self.instance = instance
    }

    /// A line with the actor prepended, unless it is a step in YAML or begins with another actor.
    func addressed(_ text: String) -> String {
        guard let first = text.split(whereSeparator: \.isWhitespace).first.map(String.init),
            !text.trimmed.contains("\n"), !first.hasPrefix("{"), !first.hasPrefix("-"), !first.hasSuffix(":")
        else { return text }
        let isCommand = instance.actors.command(named: first, of: name) != nil
        let isActor = instance.actors[first] != nil || ReservedWords.stepWords.contains(first)
        return isCommand || !isActor ? "\(name) \(text)" : text
    }

    /// The possible next words: the actor's own commands, and those that every shell takes.
    func candidates(_ line: String, by completion: ShellCompletion) -> (word: String, choices: [String]) {
        let own = completion.candidates("\(name) \(line)")
        guard !line.contains(" ") else {
            let isCommand = addressed(line) != line
            return isCommand ? own : completion.candidates(line)
        }
        let others = completion.candidates(line).choices.filter { !own.choices.contains($0) }
        return (own.word, (own.choices + others).sorted())
    }

    /// Whether a dialog of the app is waiting for the owner of the device.
    var isAsking: Bool {
        let prompt = try? ActorSession(instance: instance).call(BiometryPrompt(), by: device, timeout: Self.patience)
        return prompt?.app == name
    }

    /// Answers the open dialog; false when the word is not an answer, or no dialog of the app is open.
    func answer(_ word: String) -> Bool {
        guard let answer = AuthenticationAnswer(rawValue: word), isAsking else { return false }
        var command = AnswerBiometry()
        command.answer = answer
        return (try? ActorSession(instance: instance).call(command, by: device, timeout: Self.patience)) != nil
    }

    private static let patience = LabDuration.seconds(5).stretched
}

/// The repeatable steps of a session, without the secrets that were typed: kept by `lab shell`, `lab record` and the
/// dashboard.
///
/// Not thread-safe, like the steps.
struct SessionRecord {
    let steps: LiveSteps
    private(set) var recorded = RecordedSteps()
    /// Number of texts left out of the record because they would contain a secret.
    private(set) var leftOut = 0
    /// The restored snapshot that the record begins with, if it was not taken in this session; nil for none.
    private var foreignBeginning: String?
    /// The record at the time of each snapshot that was taken in this session, by its name.
    private var marks: [String: Mark] = [:]

    private struct Mark {
        /// Distinguishes the snapshot from a later one of the same name.
        let facts: String?
        let recorded: RecordedSteps
        let leftOut: Int
        let foreignBeginning: String?
        let memory: LiveSteps.Memory
    }

    init(of steps: LiveSteps) { self.steps = steps }

    /// The result of adding a text.
    enum Addition {
        /// It is recorded, or cannot be repeated. `foundOut` is the error of a command without an expectation.
        case kept(foundOut: ControlError?)
        /// It is left out: the record would contain a secret.
        case leftOut
    }

    /// Adds a text that was carried out, after a pause in nanoseconds.
    mutating func add(_ yaml: String, _ outcome: LiveSteps.Outcome, after pause: UInt64 = 0) -> Addition {
        if case .refused = outcome { return .kept(foundOut: nil) }
        // A text from an answer that was typed again becomes a reference to the answer.
        guard let kept = steps.withoutSecrets(yaml, except: recorded.wasAnswered) else {
            leftOut += 1
            return .leftOut
        }
        return .kept(foundOut: recorded.add(kept, outcome, after: pause))
    }

    /// Removes the last text of the record; false without one.
    mutating func removeLast() -> Bool { recorded.removeLast() }

    var count: Int { recorded.entries.count }
    /// The secrets that a scenario reads from the environment.
    var secrets: [GivenSecret] { recorded.used(of: steps.given) }

    // MARK: Snapshots, which are no steps: a scenario begins with an instance of its own

    /// The instance's snapshots.
    var snapshots: InstanceSnapshots { InstanceSnapshots(of: steps.instance, labVersion: LabVersion.current) }

    /// Takes a snapshot, and notes the record at this moment. Blocks.
    /// - Throws: as ``InstanceSnapshots/take(_:in:)``.
    mutating func takeSnapshot(_ name: String) throws {
        try snapshots.take(name)
        marks[name] = Mark(
            facts: facts(of: name), recorded: recorded, leftOut: leftOut, foreignBeginning: foreignBeginning,
            memory: steps.memory)
    }

    /// Restores a snapshot. The record, and what steps have kept, become what they were when it was taken; both begin anew
    /// if that was not in this session. Blocks.
    /// - Returns: What it means for the record, in a sentence.
    /// - Throws: as ``InstanceSnapshots/restore(_:from:)``; then the record stays as it is.
    mutating func restoreSnapshot(_ name: String) throws -> String {
        let facts = facts(of: name)
        try snapshots.restore(name)
        let restored = "the instance is as in snapshot \(name)"
        guard let mark = marks[name], mark.facts == facts else {
            (recorded, leftOut, foreignBeginning) = (RecordedSteps(), 0, name)
            steps.goBack(to: nil)
            return "\(restored); the record begins anew, because the snapshot was not taken in this session"
        }
        (recorded, leftOut, foreignBeginning) = (mark.recorded, mark.leftOut, mark.foreignBeginning)
        steps.goBack(to: mark.memory)
        return "\(restored), and so is the record: \(FailureText.counted(count, "step"))"
    }

    private func facts(of name: String) -> String? {
        (try? snapshots.list())?.first { $0.name == name }?.facts
    }

    func scenario(named name: String) -> String {
        var remark = ""
        if let foreignBeginning {
            remark +=
                "# The steps began with the snapshot \(foreignBeginning), whose state a run of them does not have.\n"
        }
        if leftOut > 0 {
            remark +=
                "# Not here, because a secret is in the middle of the text or on several lines: \(leftOut) of the steps.\n"
        }
        let text = recorded.scenario(named: name, topology: steps.instance.manifest.topology.name, secrets: steps.given)
        return remark + steps.redactor.redact(text)
    }
}
