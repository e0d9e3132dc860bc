internal import Foundation
internal import LabFile
internal import LabKit
internal import LabSystem

/// Where a shell's lines come from.
public protocol ShellInput {
    /// A line without its end; nil at the end of the input.
    ///
    /// - Parameters:
    ///   - prompt: What a terminal shows before it.
    ///   - completing: The last word of a text, and what it can become.
    func line(prompt: String, completing: @escaping (String) -> (word: String, choices: [String])) -> String?

    /// Lets the user find lines again.
    ///
    /// - Parameter isSecret: Whether something in them must not outlive the session.
    func remember(_ lines: [String], isSecret: Bool)

    /// Whether a person types, who corrects what was wrong. A file ends at its first mistake.
    var isInteractive: Bool { get }
}

/// A person, or a file, who gives steps to a running instance: `lab shell` and `lab record`.
///
/// Not thread-safe, but for ``interrupt``; ``run()`` is called once, on a thread that may block.
public final class ShellSession {
    private let steps: LiveSteps
    private let input: any ShellInput
    private let print: (String) -> Void
    private let printError: (String) -> Void
    private let topology: String
    private let isRecording: Bool
    private var recorded = RecordedSteps()

    /// A session with an instance.
    ///
    /// - Parameters:
    ///   - connection: The instance.
    ///   - labFile: The lab file that a saved scenario will be run with.
    ///   - isRecording: Whether a command that fails is a step like others also in a file of steps.
    ///   - print: Takes answers.
    ///   - printError: Takes complaints.
    /// - Throws: when the instance cannot be followed.
    public init(
        with connection: InstanceConnection, labFile: String, isRecording: Bool, input: any ShellInput,
        print: @escaping (String) -> Void, printError: @escaping (String) -> Void
    ) throws {
        let run = connection.manifest.runDirectory
        steps = try LiveSteps(
            for: connection, directory: "\(run)/shell-\(ProcessInfo.processInfo.processIdentifier)",
            labFile: Files.absolute(labFile))
        self.isRecording = isRecording
        self.input = input
        self.print = print
        self.printError = printError
        topology = connection.manifest.topology.name
    }

    /// Ends the step under way. Any thread may call it.
    public var interrupt: @Sendable () -> Void { { [underWay = steps.underWay] in underWay.interrupt() } }

    /// Takes lines until they end.
    ///
    /// - Returns: ``RunOutcome/passed``; for lines of a file what the first wrong one came to.
    public func run() throws -> RunOutcome {
        defer { steps.stop() }
        while let lines = nextLines() {
            let text = lines.joined(separator: "\n")
            let line = text.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            defer { input.remember(lines, isSecret: steps.redactor.redact(text) != text) }
            let words = line.split(separator: " ").map(String.init)
            if let word = ShellWord.Own(rawValue: words[0]) {
                if word == .quit { break }
                guard perform(word, Array(words.dropFirst())) || input.isInteractive else { return .badInput }
            } else {
                let outcome = try perform(text)
                guard outcome == .passed || input.isInteractive else { return outcome }
            }
        }
        return .passed
    }

    /// How many texts a saved scenario would have.
    public var count: Int { recorded.entries.count }

    /// Writes what was done as a scenario.
    ///
    /// - Throws: ``BadUsage`` when there is nothing, a file of that name, or no way to write it.
    public func save(to path: String) throws {
        guard count > 0 else { throw BadUsage(sentence: "nothing was done yet that a scenario could repeat") }
        let path = path.hasSuffix(".yaml") ? path : "\(path).yaml"
        guard !Files.exists(path) else { throw BadUsage(sentence: "\(path) is there already; name another file") }
        let name = Files.name(of: path).dropLast(".yaml".count).replacing("-", with: " ")
        do {
            try Files.createDirectory(Files.directory(of: Files.absolute(path)), mode: 0o755)
            try Files.write(
                Data(recorded.scenario(named: name.prefix(1).uppercased() + name.dropFirst(), topology: topology).utf8),
                to: path, mode: 0o644)
        } catch let error as SystemError {
            throw BadUsage(sentence: "\(path) cannot be written: \(error.sentence)")
        }
        print("saved as \(path); run it with `lab run \(ShellWord.quoted(path))`")
    }

    /// A line, or the lines up to an empty one when the first one begins a list or a block.
    private func nextLines() -> [String]? {
        let completion = { [steps] (line: String) in
            ShellCompletion(
                actors: steps.instance.actors, types: steps.types, ownWords: ShellWord.Own.allCases.map(\.rawValue)
            ).candidates(line)
        }
        guard let first = input.line(prompt: "lab> ", completing: completion) else { return nil }
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
            yaml = try ShellLine.yaml(text)
        } catch let error as BadUsage {
            printError("error: \(error)")
            return .badInput
        }
        switch try steps.perform(yaml) {
        case .refused(let complaints):
            printError(complaints.trimmed)
            return .badInput
        case .done(let carriedOut, let answer):
            recorded.add(yaml, steps: carriedOut, answer: answer, error: nil)
            if let answer, !answer.isNull { print(steps.redactor.redact(answer).prettyPrinted()) }
            return .passed
        case .failed(let failures, let attempted, let error):
            if let error, attempted.count == 1, attempted[0].isAsGiven, error.domain != ControlError.labDomain {
                // Nothing was expected of it, so what it said is what the session has found out.
                recorded.add(yaml, steps: attempted, answer: nil, error: error)
                if isRecording {
                    print("failed with \(steps.redactor.redact(error.text)); the record expects it")
                    return .passed
                }
            }
            for failure in failures { printError(TerminalReport(isColoured: false).render(failure.inShell).trimmed) }
            return failures.contains { $0.verdict == .failed } ? .failed : .inconclusive
        }
    }

    /// - Returns: Whether it could be done.
    private func perform(_ word: ShellWord.Own, _ words: [String]) -> Bool {
        do {
            switch word {
            case .help: print(try ShellHelp(actors: steps.instance.actors).text(about: words.first))
            case .kept:
                for (name, value) in steps.kept { print("\(name): \(value.description)") }
            case .undo:
                print(recorded.removeLast() ? "the last step is not in the record any more" : "the record is empty")
            case .save:
                guard let path = words.first else {
                    throw BadUsage(sentence: "name the file: `save Scenarios/mine.yaml`")
                }
                try save(to: path)
            case .quit: break
            }
            return true
        } catch {
            printError("error: \(error)")
            return false
        }
    }
}

extension Step {
    /// Whether nothing is said about how it ends.
    fileprivate var isAsGiven: Bool {
        if case .command(let command) = action, case .succeeds = command.outcome { true } else { false }
    }
}

extension StepFailure {
    /// Without what only helps somebody who did not type the step.
    fileprivate var inShell: StepFailure {
        var failure = self
        failure.place = ""
        failure.source = ""
        failure.replay = ""
        failure.sharing = nil
        failure.link = nil
        return failure
    }
}
