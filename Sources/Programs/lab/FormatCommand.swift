import ArgumentParser
import Foundation
import LabRunner

/// `lab format`: puts files into the lab's shape.
struct FormatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Rewrites scenarios, files of steps and lab.yaml with the usual spaces and lines.",
        discussion: """
            Comments, the order of keys and every value stay. A file with a mistake of syntax stays as it is. Exit codes: 0 \
            everything is formatted, 1 --check found a file that is not, 2 mistakes.
            """)

    @Argument(help: "Files, directories that are searched for them, or - for standard input.")
    var paths: [String] = []

    @Flag(help: "Change nothing; name the files that would change.")
    var check = false

    func run() throws {
        try ImmediateEnd.onSignals()
        let formatting = FileFormatting(
            check ? .checks : .rewrites, print: { Console.write($0, to: 1) }, writeErrors: { Console.write($0, to: 2) })
        guard paths.contains(FileFormatting.standardInput) else { throw try formatting.run(try chosenPaths()) }
        guard paths.count == 1 else { throw BadUsage(sentence: "- stands for standard input, and no path beside it") }
        throw formatting.run(standardInput: try Console.readText("YAML"))
    }

    /// The lab file and the folder of scenarios of the project here, unless something else was asked for.
    private func chosenPaths() throws -> [String] {
        guard paths.isEmpty else { return paths }
        let usual = ["lab.yaml", "Scenarios"].filter { FileManager.default.fileExists(atPath: $0) }
        guard usual.first == "lab.yaml" else {
            throw BadUsage(sentence: "`lab format` needs files or directories: there is no lab.yaml here")
        }
        return usual
    }
}
