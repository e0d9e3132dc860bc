// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
import Glibc
import LabControl
import LabCore
import LabProgram
import LabSystem

/// A program that plays apps, started by a device or by a person.
public protocol PeerProgram: ParsableCommand {
    /// Its command line.
    var options: PeerOptions { get set }
}

extension PeerProgram {
    /// Reads the command line of the process, plays the app, and ends the process.
    public static func main() { play() }

    /// Reads the command line of the process, plays the app, and ends the process.
    public static func play() -> Never {
        Program.run(Self.self) { arguments in
            AppLaunch(arguments: arguments).map { launch in
                var program = Self()
                program.options = PeerOptions(launch)
                return program
            }
        }
    }
}

/// The command line that all peers share.
public struct PeerOptions: ParsableArguments {
    /// Directory of the instance to join.
    @Option(help: "Directory of the instance to join.")
    public var instance: String?

    /// The `lab.yaml` from which the instance was made.
    @Option(help: "Join the live instance that was made from this lab.yaml.")
    public var lab: String?

    /// Actor name of the app to play.
    @Option(name: .customLong("as"), help: "Name of the app to play, as the topology lists it.")
    public var name: String

    /// Read commands from standard input.
    @Flag(help: "Read commands from standard input, also when it is not a terminal.")
    public var prompt = false

    /// Set by the device that launches the process.
    @Option(help: .hidden)
    public var incarnation: Int?

    /// One command to run, with its parameters.
    @Argument(help: "A command to run instead of a prompt, followed by its parameters as key=value.")
    public var command: [String] = []

    /// Creates empty options, as the parser needs them.
    public init() {}

    /// The options of a process that its device launches.
    init(_ launch: AppLaunch) {
        // What is not set here was not read either, and cannot be asked for.
        instance = launch.instance
        lab = nil
        name = launch.app
        prompt = false
        incarnation = launch.incarnation
        command = []
    }

    /// What `--help` of a peer explains.
    public static let discussion = """
        Joins a running instance (`lab up`): the one given by --instance, else by the environment variable \
        LAB_INSTANCE, else the only live one made from the file given by --lab, or from ./lab.yaml.

        With a command, runs it, prints the result as JSON and ends. On a terminal without a command, gives a prompt. \
        If the app runs already, commands go to the running process.

        A secret is not written on the command line: key=env:NAME takes it from the environment, key=@- asks for it.
        """
}

/// Makes sure that a device has an agent, for peers that no agent has started.
enum AgentLauncher {
    /// Finds the agent of a device, or starts it.
    ///
    /// Of two processes that start one at the same time, both find the one that was first: the second agent refuses.
    static func findOrStart(_ layout: InstanceLayout, _ manifest: InstanceManifest, device: String) throws {
        let client = try ControlClient(layout, .agent(device))
        defer { client.close() }
        let ping = { ControlRequest(command: "ping", actor: device) }
        if (try? client.call(ping(), timeout: .milliseconds(200))) != nil { return }
        let logs = manifest.runDirectory + "/logs"
        if !Files.exists(logs) { try Files.createDirectory(logs) }
        let logPath = "\(logs)/a.\(device).log"
        let log = try FileDescriptor.open(logPath, flags: O_WRONLY | O_CREAT | O_APPEND)
        // The agent stays when this process ends; it ends with the instance.
        let agent = try ChildProcess.spawn(
            executable: manifest.executablesDirectory + "/device-agent",
            arguments: AgentLaunch(instance: layout.root, device: device).arguments, standardOutput: .file(log),
            standardError: .file(log), newSession: true)
        do throws(ControlError) {
            _ = try client.call(ping(), timeout: .seconds(10).stretched, watching: try? ProcessWatch(pid: agent.pid))
        } catch {
            // One that has ended at once has found another one, or cannot work at all.
            if (try? client.call(ping(), timeout: .milliseconds(200).stretched)) != nil { return }
            let said = (try? Files.read(logPath)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let last = said.split(separator: "\n").last.map { "; it said: \($0)" } ?? ""
            throw PeerError.agentUnavailable(device: device, reason: "\(error.message)\(last)")
        }
    }
}

/// Finds the instance that a peer started by hand shall join.
enum InstanceToJoin {
    /// The instance named by the options, else by `LAB_INSTANCE`, else the only live one made from the lab file.
    /// - Throws: ``PeerError`` without such an instance, or with more than one.
    static func find(
        _ options: PeerOptions, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> InstanceLayout {
        if let root = options.instance { return InstanceLayout(root: Files.absolute(root)) }
        if options.lab == nil, let root = environment["LAB_INSTANCE"], !root.isEmpty {
            return InstanceLayout(root: Files.absolute(root))
        }
        let labFile = Files.absolute(options.lab ?? "lab.yaml")
        let live = try Instance.live(madeFrom: labFile)
        guard let first = live.first else { throw PeerError.noInstance(labFile: labFile) }
        guard live.count == 1 else { throw PeerError.severalInstances(labFile: labFile, roots: live.map(\.root)) }
        return first
    }
}
