import ArgumentParser
import Foundation
import LabProgram
import LabRunner
import LabSystem

/// The lab's command line.
///
/// Every wrong use, an unknown flag too, ends with exit code 2 and one message.
@main
struct Lab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Plays phones, watches and a PowerAuth server as processes, and checks what each of them saw.",
        version: "lab \(LabVersion.current)",
        subcommands: [
            InitCommand.self, RunCommand.self, ShowCommand.self, ListCommand.self, CheckCommand.self,
            FormatCommand.self, MergeCommand.self, HistoryCommand.self, DiffCommand.self, StatsCommand.self,
            BundleCommand.self, StressCommand.self,
            UpCommand.self,
            ShellCommand.self, RecordCommand.self,
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
        } catch let error as BadUsage {
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
