// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LabControl
import LabCore
import LabSystem
import LabVocabulary
import ScenarioEngine
import ScenarioLanguage

/// The instance that a command is about.
struct InstanceOptions: ParsableArguments {
    @Option(help: "Identifier or directory of the instance; otherwise LAB_INSTANCE, or the only one of this lab.yaml.")
    var instance: String?

    func find() throws -> InstanceConnection {
        try InstanceLookup.find(instance, labFile: SuiteReader.findLabFile(near: "."))
    }

    /// The same, but nil when no instance is named and none runs here.
    func findIfRunning() throws -> InstanceConnection? {
        try InstanceLookup.findIfRunning(instance, labFile: SuiteReader.findLabFile(near: "."))
    }
}

/// `lab exec`: sends one command.
struct ExecCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Sends a command to an actor of a running instance and prints the answer.",
        discussion:
            """
            Values are read by the declared type. key=@- reads standard input, key=env:NAME the environment; secrets are given \
            so. Exit codes: 0 the command succeeded, 1 it failed, 2 bad input.
            """
    )

    @OptionGroup var options: InstanceOptions

    @Argument(
        help: "The actor: a peer, `server`, a device, a link, `faults` or `clock`.",
        completion: .custom(ExecCompletion.actors))
    var actor: String

    @Argument(help: "The command; `lab steps` lists them.", completion: .custom(ExecCompletion.commands))
    var command: String

    @Argument(help: "Parameters as key=value.", completion: .custom(ExecCompletion.parameters))
    var values: [String] = []

    func run() throws { try Self.perform(actor, command, values, in: options) }

    /// Sends a command to an actor and prints the answer.
    static func perform(_ actor: String, _ command: String, _ words: [String], in options: InstanceOptions) throws {
        try ImmediateEnd.onSignals()
        let connection = try options.find()
        let call = try CommandLineCall(
            actor: actor, command: command, words: words, in: connection,
            environment: ProcessInfo.processInfo.environment, readInput: Console.readInput)
        do {
            if let obstacle = call.obstacle(in: connection) { Console.error(obstacle) }
            let result = try call.perform(in: connection)
            if !result.isNull { Console.print(result.prettyPrinted()) }
        } catch let failure as CommandLineCall.Failure {
            Console.error("error: \(actor): \(command) failed: \(failure.error)")
            if let info = failure.error.userInfo { Console.error(info.prettyPrinted()) }
            for cause in failure.causes { Console.error("  because \(cause)") }
            throw RunOutcome.failed
        }
    }
}

/// `lab ps`: lists instances and their processes.
struct PsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "Lists the running instances and their processes.")

    @Flag(help: "Print JSON with a version, for programs.")
    var json = false

    func run() throws {
        try ImmediateEnd.onSignals()
        let overview = InstanceOverview(of: try InstanceLookup.all())
        guard !json else { return Console.write(try overview.json(), to: 1) }
        for line in overview.lines { Console.print(line) }
    }
}

/// `lab trace`: shows what the processes of an instance do.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Shows what the processes of a running instance have done, in the order of time.")

    @OptionGroup var options: InstanceOptions

    @Argument(help: "Only these processes: apps, devices, `server`, `clock`.")
    var processes: [String] = []

    @Option(help: "Only this event, or family of events such as `lock`; may be repeated. `lab events` lists them.")
    var event: [String] = []

    @Flag(name: .shortAndLong, help: "Follow new events until the instance ends.")
    var follow = false

    func run() throws {
        try ImmediateEnd.onSignals()
        let trace = try InstanceTrace(of: options.find(), processes: processes, events: event)
        if follow {
            try trace.follow { Console.print($0) }
        } else {
            for line in try trace.lines() { Console.print(line) }
        }
    }
}

/// `lab logs`: shows what the processes of an instance write.
struct LogsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Shows what the processes of a running instance have written into their logs.")

    @OptionGroup var options: InstanceOptions

    @Argument(help: "Only these processes: apps, devices, `server`.")
    var processes: [String] = []

    @Flag(name: .shortAndLong, help: "Follow new lines until the instance ends.")
    var follow = false

    func run() throws {
        try ImmediateEnd.onSignals()
        let logs = try InstanceLogs(of: options.find(), processes: processes)
        if follow { try logs.follow { Console.print($0) } } else { try logs.tell { Console.print($0) } }
    }
}

/// `lab down`: ends an instance.
struct DownCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "down", abstract: "Ends a running instance.")

    @OptionGroup var options: InstanceOptions

    func run() throws {
        try ImmediateEnd.onSignals()
        let connection = try options.find()
        let patience = LabDuration.seconds(10).stretched
        guard try InstanceLookup.end(connection, timeout: patience) else {
            throw LabFailure("The instance \(connection.manifest.id) did not end within \(patience).")
        }
        Console.print("\(connection.manifest.id) has ended")
    }
}

/// `lab clock`: reads and moves the clock of an instance.
struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Reads, moves, stops or starts the clock of a running instance.",
        subcommands: [Read.self, Advance.self, Freeze.self, Run.self], defaultSubcommand: Read.self)

    /// `lab clock read`, or only `lab clock`.
    struct Read: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the lab's time, and how the clock runs.")
        @OptionGroup var options: InstanceOptions

        func run() throws { try ExecCommand.perform("clock", ReadClock.name, [], in: options) }
    }

    /// `lab clock advance 5m`.
    struct Advance: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Moves the clock forward.")
        @OptionGroup var options: InstanceOptions
        // `-5m` is a wrong duration, not a flag.
        @Argument(parsing: .allUnrecognized, help: "How far, for example 5m.") var duration: [String]

        func run() throws {
            if let flag = duration.first(where: { $0.hasPrefix("--") }) {
                throw BadUsage(sentence: "`lab clock advance` has no option `\(flag)`")
            }
            guard duration.count == 1 else {
                throw BadUsage(sentence: "`lab clock advance` takes one duration, for example 5m")
            }
            try ExecCommand.perform("clock", AdvanceClock.name, ["by=\(duration[0])"], in: options)
        }
    }

    /// `lab clock freeze`.
    struct Freeze: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Stops the clock.")
        @OptionGroup var options: InstanceOptions

        func run() throws { try ExecCommand.perform("clock", FreezeClock.name, [], in: options) }
    }

    /// `lab clock run`.
    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lets the clock run with real time, or faster.")
        @Option(help: "Seconds of lab time in a second.") var rate = 1
        @OptionGroup var options: InstanceOptions

        func run() throws { try ExecCommand.perform("clock", RunClock.name, ["rate=\(rate)"], in: options) }
    }
}

/// Completes `lab exec` by the instance that runs here; without one there is nothing to complete.
enum ExecCompletion {
    @Sendable static func actors(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        completion(for: words)?.names ?? []
    }

    /// The commands of the actor that was typed.
    @Sendable static func commands(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        guard let actor = typed(words).first else { return [] }
        return completion(for: words)?.commands(of: actor) ?? []
    }

    /// The parameters of the command that was typed.
    @Sendable static func parameters(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let typed = typed(words)
        guard typed.count > 1 else { return [] }
        return completion(for: words)?.parameters(of: typed[1], by: typed[0]) ?? []
    }

    private static func completion(for words: [String]) -> CallCompletion? {
        let name = words.firstIndex(of: "--instance").flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        let connection = try? InstanceLookup.find(name, labFile: SuiteReader.findLabFile(near: "."))
        return connection.map { CallCompletion(in: $0) }
    }

    /// What stands behind `exec`, without the option that names an instance.
    private static func typed(_ words: [String]) -> [String] {
        var rest = Array(words.drop { $0 != "exec" }.dropFirst())
        if let option = rest.firstIndex(of: "--instance") { rest.removeSubrange(option..<min(option + 2, rest.count)) }
        return rest
    }
}
