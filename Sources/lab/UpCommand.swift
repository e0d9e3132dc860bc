import ArgumentParser
import Glibc
import LabRunner
import LabSystem

/// `lab up`: starts an instance and keeps it until Ctrl-C.
struct UpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Starts an instance in the foreground; Ctrl-C ends it.")

    @Option(help: "The topology; otherwise the default one of the lab file.")
    var topology: String?

    @Option(help: "The lab file; otherwise lab.yaml is looked for upwards from here.")
    var lab: String?

    @Option(help: "Seed of the lab's random values.")
    var seed: UInt64?

    func run() throws {
        let interruption = Interruption()
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in interruption.set() }
        let session = InteractiveSession(
            topology: topology, labFile: lab, seed: seed, interruption: interruption,
            print: { Console.print($0) }, printError: { Console.error($0) })
        throw try session.run()
    }
}
