// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation

/// How every executable of the lab parses its command line and ends.
public enum Program {
    /// The exit codes that all executables share (docs/scenarios.md, "Verdicts").
    public enum ExitCode: Int32, Sendable {
        /// Everything went well, or help was asked for.
        case success = 0
        /// The command line cannot be used: an unknown flag, a missing or impossible value.
        case badInput = 2
        /// The program could not do its work.
        case failure = 3
    }

    /// Parses the command line of the process, runs the command, and ends the process.
    ///
    /// - Parameters:
    ///   - command: the executable's command; an error that it throws is printed as one message.
    ///   - launched: reads the words with which the lab itself starts the program, without the parser, which takes its
    ///     time; nil for all others.
    public static func run<Command: ParsableCommand>(
        _ command: Command.Type, launched: ([String]) -> Command? = { _ in nil }
    ) -> Never {
        do {
            if var command = launched(Array(CommandLine.arguments.dropFirst())) {
                try command.run()
            } else {
                var parsed = try command.parseAsRoot()
                try parsed.run()
            }
            exit(ExitCode.success.rawValue)
        } catch {
            finish(command, with: error)
        }
    }

    /// Prints what an error says, help to standard output and everything else to standard error, and ends the process.
    ///
    /// - Parameters:
    ///   - command: the command whose usage belongs to the message.
    ///   - error: what the parser or the command has thrown.
    public static func finish<Command: ParsableCommand>(_ command: Command.Type, with error: any Error) -> Never {
        let code: ExitCode =
            switch command.exitCode(for: error) {
            case .success: .success
            case .validationFailure: .badInput
            default: .failure
            }
        let stream = code == .success ? FileHandle.standardOutput : FileHandle.standardError
        // A closed stream takes the message away, not the exit code.
        var message = command.fullMessage(for: error)
        // The parser's own prefix is capitalised; all other messages of the lab begin like a compiler's.
        if message.hasPrefix("Error: ") { message = "error: " + message.dropFirst("Error: ".count) }
        try? stream.write(contentsOf: Data("\(message)\n".utf8))
        exit(code.rawValue)
    }
}
