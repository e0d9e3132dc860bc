// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LabDashboard
import LabSystem
import LabTools
import ScenarioEngine
import ScenarioLanguage

/// `lab up`: starts an instance and keeps it until Ctrl-C.
struct UpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Starts an instance in the foreground; Ctrl-C ends it.",
        discussion: """
            Two hosts can play one topology together: the one with the phone says --only PHONE --listen HOST:PORT, and prints \
            the command that the other one joins with. Server, clock and faults belong to the first one.
            """)

    @Option(help: "The topology; otherwise the default one of the lab file.")
    var topology: String?

    @Option(help: "The lab file; otherwise lab.yaml is looked for upwards from here.")
    var lab: String?

    @Option(help: "Seed of the lab's random values.")
    var seed: UInt64?

    @Option(help: "Only this device is played here, another host plays the rest; may be repeated.")
    var only: [String] = []

    @Option(help: "Where another host's lab may join this one, encrypted: HOST:PORT, the address of an interface.")
    var listen: String?

    @Option(help: "Joins the lab that listens there, tcp://HOST:PORT.")
    var join: String?

    @Option(help: "The key of the joined labs: written by --listen (.lab/join.key), read by --join.")
    var key: String?

    @Flag(help: "Serve a web dashboard with all events and commands of the instance on 127.0.0.1.")
    var dashboard = false

    @Option(help: "The port of --dashboard; otherwise the system chooses one.")
    var dashboardPort: Int?

    func run() throws {
        guard dashboard || dashboardPort == nil else {
            throw BadUsage(sentence: "--dashboard-port is the port of --dashboard; write that too")
        }
        guard (0...65_535).contains(dashboardPort ?? 0) else {
            throw BadUsage(sentence: "--dashboard-port takes a port, 0 to 65535; 0 lets the system choose")
        }
        guard !dashboard || join == nil else {
            throw BadUsage(
                sentence: "--dashboard belongs to the lab that has server and clock; write it there, not with --join")
        }
        let part = try LabPart.read(only: only, listen: listen, join: join, key: key)
        let interruption = Interruption()
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in interruption.set() }
        let session = InteractiveSession(
            topology: topology, labFile: lab, seed: seed, part: part,
            beside: { [dashboard, dashboardPort] connection in
                guard dashboard else { return {} }
                let page = try Dashboard(serving: try LivePage(about: connection), port: dashboardPort ?? 0)
                Console.print("Dashboard: \(page.address)")
                return { page.stop() }
            }, interruption: interruption,
            print: { Console.print($0) }, printError: { Console.error($0) })
        throw try session.run()
    }
}

/// `lab server`: becomes the lab's server program.
struct ServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Runs the lab's PowerAuth server by itself; `lab server --help` lists its options.",
        helpNames: [])

    @Argument(parsing: .captureForPassthrough, help: "Options of lab-server.")
    var arguments: [String] = []

    func run() throws {
        let path = try Executables.find().path("lab-server")
        throw LabFailure("\(path) could not be started: \(try ProcessImage.replace(path, arguments))")
    }
}
