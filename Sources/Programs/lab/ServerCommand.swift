import ArgumentParser
import Glibc
import LabRunner
import LabSystem

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
