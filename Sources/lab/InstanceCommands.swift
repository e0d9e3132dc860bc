import ArgumentParser
import Foundation
import LabKit
import LabRunner
import LabSystem

/// The instance that a command is about.
struct InstanceOptions: ParsableArguments {
    @Option(help: "Identifier or directory of the instance; otherwise LAB_INSTANCE, or the only one of this lab.yaml.")
    var instance: String?

    func find() throws -> InstanceConnection {
        try InstanceLookup.find(instance, labFile: SuiteReader.findLabFile(near: "."))
    }
}

/// `lab exec`: sends one command.
struct ExecCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Sends a command to an actor of a running instance and prints the answer.",
        discussion:
            "Values are read by the declared type. key=@- reads standard input, key=env:NAME the environment; secrets are given so."
    )

    @OptionGroup var options: InstanceOptions

    @Argument(help: "The actor: a peer, `server`, a device, a link, `faults` or `clock`.")
    var actor: String

    @Argument(help: "The command; `lab steps` lists them.")
    var command: String

    @Argument(help: "Parameters as key=value.")
    var values: [String] = []

    func run() throws {
        let connection = try options.find()
        let call = try CommandLineCall(
            actor: actor, command: command, words: values, in: connection,
            environment: ProcessInfo.processInfo.environment, readInput: Console.readInput)
        do {
            let result = try call.perform(in: connection)
            if !result.isNull { Console.print(result.prettyPrinted()) }
        } catch let error as ControlError {
            Console.error("\(actor): \(command) failed: \(error)")
            if let info = error.userInfo { Console.error(info.prettyPrinted()) }
            throw RunOutcome.failed
        }
    }
}

/// `lab ps`: lists instances and their processes.
struct PsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "Lists the running instances and their processes.")

    func run() throws {
        for connection in try InstanceLookup.all() {
            let manifest = connection.manifest
            let server = connection.serverReady.map { "\($0.baseURL) (pid \($0.pid))" } ?? "not ready"
            Console.print("\(manifest.id)  topology \(manifest.topology.name)  runner \(manifest.runnerPid)")
            Console.print("  server  \(server)")
            for device in manifest.topology.devices {
                guard let processes = try? connection.processes(of: device.name) else {
                    Console.print("  \(device.name)  its agent does not answer")
                    continue
                }
                for process in processes {
                    let pid = process.pid.map { "pid \($0), incarnation \(process.incarnation)" } ?? ""
                    Console.print("  \(process.app) on \(device.name)  \(process.state) \(pid)")
                }
            }
        }
    }
}

/// `lab down`: ends an instance.
struct DownCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "down", abstract: "Ends a running instance.")

    @OptionGroup var options: InstanceOptions

    func run() throws {
        let connection = try options.find()
        guard try InstanceLookup.end(connection) else {
            throw LabFailure("The instance \(connection.manifest.id) did not end within 10 s.")
        }
        Console.print("\(connection.manifest.id) has ended")
    }
}

/// `lab clock`: moves the clock of an instance.
struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Moves, stops or starts the clock of a running instance.",
        subcommands: [Advance.self, Freeze.self, Run.self])

    /// `lab clock advance 5m`.
    struct Advance: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Moves the clock forward.")
        @OptionGroup var options: InstanceOptions
        @Argument(help: "How far, for example 5m.") var duration: String

        func run() throws { try ClockCommand.perform(AdvanceClock.name, ["by=\(duration)"], options) }
    }

    /// `lab clock freeze`.
    struct Freeze: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Stops the clock.")
        @OptionGroup var options: InstanceOptions

        func run() throws { try ClockCommand.perform(FreezeClock.name, [], options) }
    }

    /// `lab clock run`.
    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lets the clock run with real time.")
        @OptionGroup var options: InstanceOptions

        func run() throws { try ClockCommand.perform(RunClock.name, [], options) }
    }

    static func perform(_ command: String, _ words: [String], _ options: InstanceOptions) throws {
        let connection = try options.find()
        let call = try CommandLineCall(
            actor: "clock", command: command, words: words, in: connection, environment: [:], readInput: { "" })
        _ = try call.perform(in: connection)
    }
}
