// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import LabCore
import LabSystem
import LabVocabulary
import SimulatedDevice

/// The command line side of a peer: one command, or a prompt. On a terminal the prompt is `lab shell`, which edits lines,
/// completes them and answers dialogs; lines that come from elsewhere are read here.
///
/// Runs on a thread of its own, so that waiting for input never delays the control channel.
enum PeerCommandLine {
    /// Runs a request; gives the outcome once, on any thread.
    typealias Execute =
        @Sendable (
            ControlRequest, @escaping @Sendable (Result<JSONValue, ControlError>) -> Void
        ) -> Void

    /// Starts the thread that the options ask for: for a command, for a prompt, or none.
    static func start(
        _ options: PeerOptions, app: AppSpec, shell: TerminalShell, in sandbox: Sandbox, execute: @escaping Execute
    ) {
        // A process launched by its device has neither terminal nor command.
        let hasPrompt = options.prompt || (options.incarnation == nil && isatty(0) == 1)
        guard !options.command.isEmpty || hasPrompt else { return }
        let words = options.command
        let dialogs = DialogPrompter(sandbox)
        if words.isEmpty, shell.isPossible {
            // The shell takes the answers; the dialog is announced here.
            runOnThread(name: "command line") { withExtendedLifetime(dialogs) { () -> Void in shell.run() } }
            return
        }
        runOnThread(name: "command line") { run(words, app: app, dialogs, execute: execute) }
    }

    /// Talks to the process that plays the app already, and ends this one.
    static func talk(
        to app: AppSpec, in layout: InstanceLayout, _ options: PeerOptions, shell: TerminalShell, runningAs pid: Int32?
    ) throws -> Never {
        guard !options.command.isEmpty || options.prompt || isatty(0) == 1 else {
            throw PeerError.runsAlready(app: app.name, pid: pid)
        }
        if options.command.isEmpty, shell.isPossible { shell.run() }
        let client = try ControlClient(layout, .peer(app.name))
        run(options.command, app: app, nil) { request, completion in
            client.send(request, timeout: .minutes(60)) { reply in
                completion(reply.flatMap { reply in Result { () throws(ControlError) in try reply.get() } })
            }
        }
    }

    private static func run(_ words: [String], app: AppSpec, _ dialogs: DialogPrompter?, execute: Execute) -> Never {
        if words.isEmpty {
            prompt(app, dialogs, execute)
        } else {
            exit(perform(words, app, dialogs, execute) ? 0 : 1)
        }
    }

    private static func prompt(_ app: AppSpec, _ dialogs: DialogPrompter?, _ execute: Execute) -> Never {
        let isTerminal = isatty(0) == 1
        while true {
            if isTerminal { write("\(app.name)> ", to: .standardOutput) }
            guard let line = readLine() else { exit(0) }
            let words = CommandWords.split(line)
            switch words.first {
            case nil: continue
            case "exit", "quit": exit(0)
            case "help": write(CommandWords.help(for: app), to: .standardOutput)
            case let word? where dialogs?.answer(word) == true: continue
            default: _ = perform(words, app, dialogs, execute)
            }
        }
    }

    /// Runs one command and prints its outcome; false if it failed.
    private static func perform(
        _ words: [String], _ app: AppSpec, _ dialogs: DialogPrompter?, _ execute: Execute
    ) -> Bool {
        let request: ControlRequest
        do {
            request = try CommandWords.request(words, for: app)
        } catch {
            write("error: \(error)\n", to: .standardError)
            return false
        }
        let result = OneShot<Result<JSONValue, ControlError>>()
        // The dialogs of the command; closed at its end.
        let opened = Mailbox<Void>()
        dialogs?.bell.set { opened.send(()) }
        defer { dialogs?.bell.set {} }
        execute(request) { outcome in
            result.set(outcome)
            opened.close()
        }
        while opened.take() != nil {
            if let dialogs { answer(dialogs) }
        }
        switch result.wait() {
        case .success(let value):
            write(value.prettyPrinted() + "\n", to: .standardOutput)
            return true
        case .failure(let error):
            write("error: \(error)\n", to: .standardError)
            return false
        }
    }

    /// Reads lines until one of them answers the open dialog; without input the user has gone.
    private static func answer(_ dialogs: DialogPrompter) {
        while dialogs.isDialogOpen {
            guard let line = readLine() else {
                _ = dialogs.answer(AuthenticationAnswer.cancel.rawValue)
                return
            }
            if dialogs.answer(line.trimmingCharacters(in: .whitespaces)) { return }
        }
    }

    private static func write(_ text: String, to file: FileHandle) { file.write(Data(text.utf8)) }
}
