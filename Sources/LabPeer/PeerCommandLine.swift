import Dispatch
import Foundation
import Glibc
import LabKit
import LabSystem

/// The command line side of a peer: one command, or a prompt.
///
/// Runs on a thread of its own, so that waiting for input never delays the control channel.
enum PeerCommandLine {
    /// Runs a request; gives the outcome once, on any thread.
    typealias Execute =
        @Sendable (
            ControlRequest, @escaping @Sendable (Result<JSONValue, ControlError>) -> Void
        ) -> Void

    /// Starts the thread that the options ask for: for a command, for a prompt, or none at all.
    static func start(_ options: PeerOptions, app: AppSpec, execute: @escaping Execute) {
        // A process launched by its device has neither terminal nor command.
        let hasPrompt = options.prompt || (options.incarnation == nil && isatty(0) == 1)
        guard !options.command.isEmpty || hasPrompt else { return }
        let words = options.command
        runOnThread(name: "command line") { run(words, app: app, execute: execute) }
    }

    /// Talks to the process that plays the app already, and ends this one.
    static func talk(
        to app: AppSpec, in layout: InstanceLayout, _ options: PeerOptions, runningAs pid: Int32?
    ) throws -> Never {
        guard !options.command.isEmpty || options.prompt || isatty(0) == 1 else {
            throw PeerError.runsAlready(app: app.name, pid: pid)
        }
        let client = try ControlClient(layout, name: "p.\(app.name)")
        run(options.command, app: app) { request, completion in
            client.send(request, timeout: .minutes(60)) { reply in
                completion(reply.flatMap { reply in Result { () throws(ControlError) in try reply.get() } })
            }
        }
    }

    private static func run(_ words: [String], app: AppSpec, execute: Execute) -> Never {
        if words.isEmpty {
            prompt(app, execute)
        } else {
            exit(perform(words, app, execute) ? 0 : 1)
        }
    }

    private static func prompt(_ app: AppSpec, _ execute: Execute) -> Never {
        let isTerminal = isatty(0) == 1
        while true {
            if isTerminal { write("\(app.name)> ", to: .standardOutput) }
            guard let line = readLine() else { exit(0) }
            let words = CommandWords.split(line)
            switch words.first {
            case nil: continue
            case "exit", "quit": exit(0)
            case "help": write(CommandWords.help(for: app), to: .standardOutput)
            default: _ = perform(words, app, execute)
            }
        }
    }

    /// Runs one command and prints its outcome; false if it failed.
    private static func perform(_ words: [String], _ app: AppSpec, _ execute: Execute) -> Bool {
        let request: ControlRequest
        do {
            request = try CommandWords.request(words, for: app)
        } catch {
            write("error: \(error)\n", to: .standardError)
            return false
        }
        let done = DispatchSemaphore(value: 0)
        let result = Slot()
        execute(request) { outcome in
            result.outcome = outcome
            done.signal()
        }
        done.wait()
        switch result.outcome {
        case .success(let value)?: write(value.prettyPrinted() + "\n", to: .standardOutput)
        case .failure(let error)?: write("error: \(error)\n", to: .standardError)
        case nil: return false
        }
        if case .success? = result.outcome { return true } else { return false }
    }

    private static func write(_ text: String, to file: FileHandle) {
        file.write(Data(text.utf8))
    }

    /// One outcome on its way between two threads.
    private final class Slot: @unchecked Sendable {
        // Sendable is safe: written before the semaphore is signalled, read after it was waited for.
        var outcome: Result<JSONValue, ControlError>?
    }
}
