// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LabCore
import LabProgram
import LabReports
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// The lab's command line.
///
/// Every wrong use, an unknown flag too, ends with exit code 2 and one message.
struct LabCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Plays phones, watches and a PowerAuth server as processes, and checks what each of them saw.",
        version: "lab \(LabVersion.current)",
        subcommands: [
            InitCommand.self, RunCommand.self, ShowCommand.self, ListCommand.self, CheckCommand.self,
            FormatCommand.self, MergeCommand.self, HistoryCommand.self, DiffCommand.self, StatsCommand.self,
            ScreenshotCommand.self, BundleCommand.self, StressCommand.self, ExploreCommand.self,
            UpCommand.self,
            ShellCommand.self, RecordCommand.self,
            SnapshotCommand.self, RestoreCommand.self, SnapshotsCommand.self,
            ExecCommand.self, PsCommand.self, TraceCommand.self, LogsCommand.self, InspectCommand.self,
            DownCommand.self, ClockCommand.self, ServerCommand.self, StepsCommand.self, EventsCommand.self,
            ExplainCommand.self, SchemaCommand.self, FaultsCommand.self, QuirksCommand.self, DoctorCommand.self,
        ])

    /// Refuses arguments that are not UTF-8: parts of them would silently become other characters.
    private static func checkArguments() throws {
        for position in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[position] else { continue }
            if String(validatingCString: bytes) == nil {
                throw BadUsage(sentence: "argument \(position) is not UTF-8")
            }
        }
    }

    static func main() {
        // Before any other thread exists, so that only the thread that waits for them gets these signals.
        Signals.block([SIGINT, SIGTERM, SIGHUP])
        Signals.ignore(SIGPIPE)
        do {
            try checkArguments()
            try UnknownCommand.check(Array(CommandLine.arguments.dropFirst()), of: Self.self)
            var command = try parseAsRoot()
            try command.run()
        } catch let outcome as RunOutcome {
            Foundation.exit(outcome.rawValue)
        } catch let error where error is BadUsage || error is SnapshotError {
            Console.error("error: \(error)")
            Foundation.exit(RunOutcome.badInput.rawValue)
        } catch let error where error is LabFailure || error is DamagedRecord {
            Console.error("error: \(error)")
            Foundation.exit(RunOutcome.inconclusive.rawValue)
        } catch {
            Program.finish(self, with: error)
        }
    }
}

// Commands end with an outcome by throwing it.
extension RunOutcome: Error {}

/// An unknown word in the place of a command. The parser would report an extra argument, without listing the commands.
enum UnknownCommand {
    /// Refuses such a word in the command line after the program's name.
    static func check(_ words: [String], of root: any ParsableCommand.Type) throws {
        var command = root
        var path = root.configuration.commandName ?? ""
        for word in words {
            let known = command.configuration.subcommands
            guard !known.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
            guard let next = known.first(where: { $0.configuration.commandName ?? $0._commandName == word }) else {
                let names = known.map { $0.configuration.commandName ?? $0._commandName }
                let advice = nearest(word, among: names).map { "; did you mean `\(path) \($0)`?" } ?? "."
                throw BadUsage(
                    sentence: "there is no command `\(path) \(word)`\(advice) `\(path) --help` lists all commands")
            }
            command = next
            path += " \(word)"
        }
    }
}
