// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabFile
import LabPoints
import LabReports
import LabSystem
import LabVocabulary
public import ScenarioEngine
import ScenarioLanguage
import Synchronization

/// The source of a shell's lines.
public protocol ShellInput {
    /// A line without its end; nil at the end of the input.
    /// - Parameters:
    ///   - prompt: The terminal's prompt.
    ///   - completing: Takes a text; returns its last word and the possible completions.
    func line(prompt: String, completing: @escaping (String) -> (word: String, choices: [String])) -> String?

    /// Adds lines to the input history.
    /// - Parameter isSecret: Whether they contain something that must not outlive the session.
    func remember(_ lines: [String], isSecret: Bool)

    /// A line read without echo, without its end; nil at the end of the input.
    /// - Parameter name: What the terminal asks for.
    func secretLine(named name: String) -> String?

    /// Ends the input: no more lines follow. Any thread may call it.
    var end: @Sendable () -> Void { get }
    /// Whether a person types, who can correct mistakes. A file ends at its first mistake.
    var isInteractive: Bool { get }
}

/// A person or a file that gives steps to a running instance: `lab shell` and `lab record`.
///
/// Not thread-safe, but for ``interrupt``; ``run()`` is called once, on a thread that may block.
public final class ShellSession {
    private let steps: LiveSteps
    private let input: any ShellInput
    private let print: (String) -> Void
    private let printError: (String) -> Void
    private let isRecording: Bool
    /// The actor of lines without one; nil if each line must name its own.
    private let actor: ShellActor?
    private var record: SessionRecord
    private var typed: [String] = []
    /// When the last step ended, on the machine's monotonic clock; nil before the first one.
    private var lastEnd: UInt64?

    /// A session with an instance.
    /// - Parameters:
    ///   - labFile: The lab file for running a saved scenario.
    ///   - actor: The app for lines without an actor; nil for none.
    ///   - isRecording: Whether a failing command does not end the session even in a file of steps.
    /// - Throws: if the instance cannot be followed; ``BadUsage`` if it has no such app.
    public init(
        with connection: InstanceConnection, labFile: String, as actor: String? = nil, isRecording: Bool,
        input: any ShellInput,
        print: @escaping (String) -> Void, printError: @escaping (String) -> Void
    ) throws {
        let run = connection.manifest.runDirectory
        steps = try LiveSteps(
            for: connection, directory: "\(run)/shell-\(ProcessInfo.processInfo.processIdentifier)",
            labFile: Files.absolute(labFile))
        record = SessionRecord(of: steps)
        self.isRecording = isRecording
        self.actor = try actor.map { try ShellActor($0, in: connection) }
        self.input = input
        self.print = print
        self.printError = printError
    }

    /// Ends the current step. Any thread may call it.
    public var interrupt: @Sendable () -> Void { { [underWay = steps.underWay] in underWay.interrupt() } }
    /// Ends the input, and with it the session. Any thread may call it.
    public var endInput: @Sendable () -> Void { input.end }

    /// Reads lines until they end.
    /// - Returns: ``RunOutcome/passed``; for lines of a file the outcome of the first mistake.
    public func run() throws -> RunOutcome {
        defer { steps.stop() }
        while let lines = nextLines() {
            let text = lines.joined(separator: "\n")
            let line = text.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            typed.append(text)
            defer { input.remember(lines, isSecret: steps.redactor.redact(text) != text) }
            if actor?.answer(line) == true { continue }
            let words = line.split(separator: " ").map(String.init)
            let outcome: RunOutcome
            if let word = ShellWord.Own(rawValue: words[0]) {
                if word == .quit { break }
                outcome = perform(word, Array(words.dropFirst()))
            } else {
                outcome = try perform(text)
            }
            guard outcome == .passed || input.isInteractive else { return outcome }
        }
        return .passed
    }

    /// The secrets that a saved scenario reads from the environment, by the names of its values.
    public var secrets: [String: String] { record.secrets.reduce(into: [:]) { $0[$1.name] = $1.text } }
    /// Number of texts in a saved scenario.
    public var count: Int { record.count }

    /// Writes the steps as a scenario.
    /// - Throws: ``BadUsage`` if there are no steps, the file exists, or it cannot be written.
    public func save(to path: String) throws {
        guard count > 0 else { throw BadUsage(sentence: "there are no steps to save yet") }
        let path = path.hasSuffix(".yaml") ? path : "\(path).yaml"
        try Self.checkTarget(path)
        let name = Files.name(of: path).dropLast(".yaml".count).replacing("-", with: " ")
        do {
            try Files.write(
                Data(record.scenario(named: name.prefix(1).uppercased() + name.dropFirst()).utf8), to: path,
                mode: 0o644)
        } catch let error as SystemError {
            throw BadUsage(sentence: "\(path) cannot be written: \(error.sentence)")
        }
        print("saved as \(path); run it with `lab run \(ShellWord.quoted(path))`")
        let variables = record.secrets.map(\.variable)
        if !variables.isEmpty { print("it reads secrets from the environment: \(variables.joined(separator: ", "))") }
    }

    /// How the last run of the record, which did not pass, differs from the session; a sentence for each step.
    /// - Parameter labFile: The lab file beside which the run was recorded; nil searches for it.
    /// - Throws: ``BadUsage`` if the lab file does not exist.
    public func differences(inReplayBeside labFile: String?) throws -> [String] {
        let report = try RecordedRuns(labFile: labFile, near: ".").lastReport()
        return (report?.results ?? []).flatMap(\.failures).compactMap(record.recorded.difference)
    }

    /// Creates the folder of a file that will be written.
    /// - Throws: ``BadUsage`` if the file exists, or none can be written.
    public static func checkTarget(_ path: String) throws {
        guard !Files.exists(path) else { throw BadUsage(sentence: "\(path) already exists; name another file") }
        do {
            try Files.createDirectory(Files.directory(of: Files.absolute(path)), mode: 0o755)
            // Permissions alone do not suffice: a disk may be full, and not every folder accepts files.
            try Files.touch(path)
            try Files.remove(path)
        } catch let error as SystemError {
            throw BadUsage(sentence: "\(path) cannot be written: \(error.sentence)")
        }
    }

    /// A line, or the lines up to an empty one if the first one begins a list or a block.
    private func nextLines() -> [String]? {
        let completion = { [steps, actor, snapshots = record.snapshots] (line: String) in
            let completion = ShellCompletion(
                actors: steps.instance.actors, types: steps.types, ownWords: ShellWord.Own.allCases.map(\.rawValue),
                snapshots: { ((try? snapshots.list()) ?? []).map(\.name) })
            return actor?.candidates(line, by: completion) ?? completion.candidates(line)
        }
        guard let first = input.line(prompt: "\(actor?.name ?? "lab")> ", completing: completion) else { return nil }
        var lines = [first]
        guard ShellLine.opensBlock(first) else { return lines }
        while let line = input.line(prompt: "...> ", completing: completion), !line.trimmed.isEmpty {
            lines.append(line)
        }
        return lines
    }

    private func perform(_ text: String) throws -> RunOutcome {
        let yaml: String
        do {
            yaml = try steps.yaml(actor?.addressed(text) ?? text, secretLine: input.secretLine)
        } catch let error as BadUsage {
            steps.hideSecrets(ofRefused: text)
            printError("error: \(steps.redactor.redact("\(error)"))")
            return .badInput
        }
        let begin = MonotonicClock.nanoseconds()
        let pause = lastEnd.map { begin - $0 } ?? 0
        defer { lastEnd = MonotonicClock.nanoseconds() }
        let outcome = try outcome(of: yaml)
        let foundOut: ControlError?
        switch record.add(yaml, outcome, after: pause) {
        case .kept(let error): foundOut = error
        case .leftOut:
            foundOut = nil
            printError(
                "not in the record: a secret is in the middle of the text or on several lines; "
                    + "give it as a value of its own, on one line")
        }
        switch outcome {
        case .refused(let complaints):
            printError(steps.redactor.redact(complaints.trimmed))
            return .badInput
        case .done(_, let answer):
            if let answer, !answer.isNull { print(steps.redactor.redact(answer).prettyPrinted()) }
            return .passed
        case .failed(let failures, _, _):
            if let foundOut, isRecording {
                print("failed with \(steps.redactor.redact(foundOut.text)); the record expects it")
                return .passed
            }
            for failure in failures { printError(FailureText(isColoured: false).render(failure.inShell).trimmed) }
            return failures.contains { $0.verdict == .failed } ? .failed : .inconclusive
        }
    }

    /// Carries out a text. While it waits for an answer to a dialog of the actor, the next lines are answers.
    private func outcome(of yaml: String) throws -> LiveSteps.Outcome {
        guard let actor, input.isInteractive else { return try steps.perform(yaml) }
        let outcome = Mutex<Result<LiveSteps.Outcome, any Error>?>(nil)
        // Safe: this thread does not use the steps until the other one has ended.
        nonisolated(unsafe) let steps = steps
        try DialogWatch(of: actor.name, in: steps.events).during {
            let result = Result { try steps.perform(yaml) }
            outcome.withLock { $0 = result }
        } onDialog: {
            answer(actor)
        }
        // `during` returns when its body has.
        return try outcome.withLock { $0 }!.get()
    }

    /// Reads lines until one of them answers the open dialog; the end of the input cancels it.
    private func answer(_ actor: ShellActor) {
        let words = AuthenticationAnswer.allCases.map(\.rawValue)
        let known = listed(words.map { "`\($0)`" }, by: "and")
        while actor.isAsking {
            let line = input.line(prompt: "answer \(actor.name)> ") { line in
                (line, words.filter { $0.hasPrefix(line) })
            }
            let word = line?.trimmed ?? AuthenticationAnswer.cancel.rawValue
            if actor.answer(word) { return }
            if actor.isAsking { printError("`\(word)` is not an answer; possible answers are \(known)") }
        }
    }

    /// The typed texts, each with its number.
    private var numberedHistory: String {
        let width = String(typed.count).count
        return typed.enumerated().map { index, text in
            let number = String(index + 1)
            let lines = steps.redactor.redact(text).split(separator: "\n", omittingEmptySubsequences: false)
            let margin = String(repeating: " ", count: width - number.count)
            return "\(margin)\(number)  " + lines.joined(separator: "\n" + String(repeating: " ", count: width + 2))
        }.joined(separator: "\n")
    }

    private static func snapshotName(_ words: [String], after word: ShellWord.Own) throws(BadUsage) -> String {
        guard words.count == 1 else {
            throw BadUsage(sentence: "name one snapshot: `\(word.rawValue) before`; `snapshots` lists them")
        }
        return words[0]
    }

    private func perform(_ word: ShellWord.Own, _ words: [String]) -> RunOutcome {
        do {
            switch word {
            case .help: print(try ShellHelp(actors: steps.instance.actors).text(about: words.first))
            case .kept:
                for (name, value) in steps.kept { print("\(name): \(value.description)") }
            case .history: print(numberedHistory)
            case .undo:
                print(record.removeLast() ? "the last step was removed from the record" : "the record is empty")
            case .save:
                guard let path = words.first else {
                    throw BadUsage(sentence: "name the file: `save Scenarios/mine.yaml`")
                }
                try save(to: path)
            case .snapshot:
                let name = try Self.snapshotName(words, after: word)
                try record.takeSnapshot(name)
                print("snapshot \(name) of \(steps.instance.manifest.id) was taken")
                lastEnd = nil
            case .restore:
                print(try record.restoreSnapshot(Self.snapshotName(words, after: word)))
                lastEnd = nil
            case .snapshots: for line in try record.snapshots.lines() { print(line) }
            case .quit: break
            }
            return .passed
        } catch {
            printError("error: \(error)")
            return error is LabFailure ? .inconclusive : .badInput
        }
    }
}

extension StepFailure {
    /// Without the parts that only help a reader who did not type the step.
    fileprivate var inShell: StepFailure {
        var failure = self
        failure.place = nil
        failure.source = ""
        failure.replay = ""
        failure.sharing = nil
        failure.link = nil
        return failure
    }
}

/// Waits for the end of a step or a dialog of an app.
///
/// Thread rule: any thread.
final class DialogWatch: Sendable {
    private let events: TraceBoard
    private let app: String

    /// - Parameter events: the events of the instance's processes.
    init(of app: String, in events: TraceBoard) {
        self.events = events
        self.app = app
    }

    /// Performs work on a thread of its own, and meanwhile calls a closure on the caller's thread for each dialog.
    /// - Parameters:
    ///   - body: the long work.
    ///   - onDialog: called when the app has opened a dialog.
    /// - Throws: `SystemError` when the kernel has no descriptor left.
    func during(_ body: @escaping @Sendable () -> Void, onDialog: () -> Void) throws {
        let bell = try EventDescriptor()
        let isOver = Atomic(false)
        try events.ringing(bell, for: .init(processes: [app])) {
            var known = events.generation
            // Reading a step needs as much stack as its file is nested.
            let thread = runOnThread(name: "step", stackSize: 8 << 20) {
                body()
                isOver.store(true, ordering: .releasing)
                bell.signal()
            }
            while true {
                let new = events.events(after: known)
                known += new.count
                if new.contains(where: { $0.process == app && $0.name == .biometryPrompted }) { onDialog() }
                if isOver.load(ordering: .acquiring) { break }
                _ = try bell.wait()
            }
            thread.join()
        }
    }
}
