// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import LabControl
import LabCore
import LabSystem
import LabTools
import ScenarioEngine
import ScenarioLanguage

/// `lab shell`: steps typed into a running instance.
struct ShellCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Takes steps from the keyboard or a pipe and carries them out at once.",
        discussion: """
            Joins the running instance of this lab.yaml; without one it starts an instance and ends it at the end. A line is a \
            step as in a scenario, or its short form `main createActivation name=phone as created`. `help` explains the rest, Tab \
            completes. `save FILE` writes what was done as a scenario. Exit codes of lines from a pipe: 0 all were carried out, \
            1 a step failed, 2 a line is not a step, 3 a verdict is open.
            """)

    @OptionGroup var options: InstanceOptions

    @Option(help: "Start an instance of this topology.")
    var topology: String?

    @Option(
        name: .customLong("as"),
        help: "Speak for this app: a line that names no actor is a command to it, and answers to its dialogs are typed."
    )
    var actor: String?

    func run() throws {
        // A topology asks for an instance of one's own, also when one runs here.
        if let topology, let instance = options.instance {
            throw BadUsage(
                sentence:
                    "--topology \(topology) starts an instance, and --instance \(instance) names one that runs: write one of them"
            )
        }
        if topology == nil, let connection = try options.findIfRunning() {
            guard let labFile = connection.manifest.labFile else {
                throw BadUsage(sentence: "the instance was not made from a lab.yaml, which steps are read beside")
            }
            let shell = try Shell.session(with: connection, labFile: labFile, as: actor)
            throw try Shell.interrupting(shell) { try shell.run() }
        }
        throw try Shell.inOwnInstance(topology: topology, lab: nil, as: actor) { try $0.run() }
    }
}

/// `lab record`: a shell whose steps become a scenario.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Takes steps as `lab shell` does, writes them as a scenario, and runs that.",
        discussion: """
            Answers that are the same every time, flags and words, become expectations; a command that failed becomes a step \
            that is expected to fail so; a text that was read in an answer and typed becomes a reference to it. `undo` leaves \
            the last step out. Exit codes: 0 the scenario passed, 1 a step or the scenario failed, 2 bad input, 3 a verdict is \
            open.
            """)

    @Argument(help: "The scenario to write; it must not exist.")
    var file: String

    @Option(help: "The topology; otherwise the default one of the lab file.")
    var topology: String?

    @Option(help: "The lab file; otherwise lab.yaml is looked for upwards from here.")
    var lab: String?

    func run() throws {
        let path = file.hasSuffix(".yaml") ? file : "\(file).yaml"
        // Before the session, so that no steps are lost at its end.
        try ShellSession.checkTarget(path)
        var secrets: [String: String]?
        var session: ShellSession?
        let outcome = try Shell.inOwnInstance(topology: topology, lab: lab, isRecording: true) { shell in
            let outcome = try shell.run()
            if shell.count > 0 {
                try shell.save(to: path)
                secrets = shell.secrets
                session = shell
            }
            return outcome
        }
        guard let secrets else {
            Console.error("nothing was done, so \(path) was not written")
            throw outcome
        }
        guard outcome == .passed else {
            Console.error("\(path) holds what was done before the mistake; it was not run")
            throw outcome
        }
        // What was seen once must be seen again, or the record is worth nothing.
        var options = RunOptions(paths: [path])
        options.settings = secrets
        options.labFile = lab ?? SuiteReader.findLabFile(near: ".")
        let printer = Console.progress()
        let replay = SuiteRunner(
            options: options, printer: printer, interruption: try InterruptingSignals.interruption(telling: printer),
            writeErrors: { Console.error($0) }
        ).run()
        if replay == .failed || replay == .inconclusive {
            for difference in try session?.differences(inReplayBeside: options.labFile) ?? [] {
                Console.error(difference)
            }
        }
        throw replay
    }
}

/// What `lab shell` and `lab record` have in common.
enum Shell {
    static func session(
        with connection: InstanceConnection, labFile: String, as actor: String? = nil, isRecording: Bool = false
    ) throws -> ShellSession {
        let isTerminal = isatty(0) == 1 && isatty(1) == 1
        let history = ShellHistory(path: "\(Files.directory(of: labFile))/.lab/shell-history")
        let input: any ShellInput =
            isTerminal ? LineEditor(history: history).map { $0 as any ShellInput } ?? PipedLines() : PipedLines()
        if isTerminal { Console.print("instance \(connection.manifest.id); `help` lists the commands") }
        return try ShellSession(
            with: connection, labFile: labFile, as: actor, isRecording: isRecording, input: input,
            print: { Console.print($0) },
            printError: { Console.error($0) })
    }

    /// Does something while Ctrl-C ends the step under way, and the other signals the program.
    static func interrupting(_ shell: ShellSession, during body: () throws -> RunOutcome) throws -> RunOutcome {
        let (interrupt, endInput) = (shell.interrupt, shell.endInput)
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { signal in
            interrupt()
            // The end of the input ends the session, and with it everything that it has started.
            if signal != SIGINT { endInput() }
        }
        return try body()
    }

    /// Does something in a session with an instance that is started before and ended after it.
    static func inOwnInstance(
        topology: String?, lab: String?, as actor: String? = nil, isRecording: Bool = false,
        _ body: (ShellSession) throws -> RunOutcome
    ) throws -> RunOutcome {
        guard
            let own = try OwnInstance(topology: topology, labFile: lab, seed: nil, printError: { Console.error($0) })
        else { throw RunOutcome.badInput }
        let result = Result {
            let shell = try session(with: try own.start(), labFile: own.labFile, as: actor, isRecording: isRecording)
            return try interrupting(shell) { try body(shell) }
        }
        let complaints = own.stop()
        for complaint in complaints { Console.error("error: \(complaint)") }
        let outcome = try result.get()
        return outcome == .passed && !complaints.isEmpty ? .inconclusive : outcome
    }
}
