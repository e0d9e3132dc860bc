// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
public import LabTools
import ScenarioEngine
import ScenarioLanguage

/// `lab init`: begins a project.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes lab.yaml and first scenarios that pass, and schemas for editors. Keeps what is there.",
        discussion: """
            Only the schemas are written anew: they follow the version of the lab, and the own apps that a lab.yaml names \
            which was there before.
            """)

    @Argument(help: "The folder of the project.")
    var directory = "."

    @Option(
        help: """
            Who takes part, of phone, wallet (a second app), widget (an app extension) and watch; with steps to include and \
            three scenarios at least.
            """)
    var cast: String?

    @Option(help: "Also write the file of a build server that runs the scenarios with each change: github or gitlab.")
    var ci: ProjectTemplate.BuildServer?

    func run() throws {
        try ImmediateEnd.onSignals()
        let project = try ProjectTemplate(directory: directory, cast: cast.map(ProjectCast.init), buildServer: ci)
        for file in try project.write(complain: { Console.error($0) }) {
            let change = file.change.rawValue
            Console.print("\(change.padding(toLength: 5, withPad: " ", startingAt: 0))  \(file.path)")
        }
        let place = directory == "." ? "" : "cd \(directory) && "
        Console.print("\nPlay it: \(place)lab run")
    }
}

/// `lab doctor`: looks at the machine.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks the machine for everything that the lab needs, and says what to do.",
        discussion: "Exit codes: 0 everything is there, 3 something is missing.")

    @Flag(help: "First remove leftovers of instances whose processes were all killed.")
    var clean = false

    func run() throws {
        try ImmediateEnd.onSignals()
        if clean { for path in try Doctor.clean() { Console.print("removed \(path)") } }
        let findings = Doctor(environment: ProcessInfo.processInfo.environment).examine()
        for finding in findings {
            Console.print("\(Self.mark(finding)) \(finding.subject): \(finding.state)")
            if let advice = finding.advice { Console.print("    \(advice)") }
        }
        if findings.contains(where: { !$0.isFine }) { throw RunOutcome.inconclusive }
    }

    private static func mark(_ finding: Doctor.Finding) -> String {
        finding.advice == nil ? "✓" : finding.isOptional ? "!" : "✗"
    }
}

extension ProjectTemplate.BuildServer: ExpressibleByArgument {}

/// `lab list`: lists scenarios.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists scenarios with their names, tags and quarantine; starts nothing.")

    @OptionGroup var selection: SelectionOptions

    @Flag(help: "Print JSON with a version, for programs.")
    var json = false

    @Flag(help: "Print a page in Markdown: what each scenario shows, and which errors and faults none of them shows.")
    var index = false

    func run() throws {
        guard !(json && index) else { throw BadUsage(sentence: "--json and --index exclude each other") }
        let overview = Console.overview(try selection.runOptions(of: "list"))
        throw index ? overview.index() : overview.list(asJSON: json)
    }
}

/// `lab check`: reads scenarios and reports mistakes in them.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Reads scenarios and reports every mistake in them; runs nothing.",
        discussion: """
            Exit codes: 0 no mistakes, 2 mistakes. The directory of a recorded stress run is held against the rules once \
            more: 0 they hold, 1 one is broken, 3 it is not known.
            """)

    @OptionGroup var selection: SelectionOptions

    func run() throws {
        if selection.paths.count == 1, let stress = RecordedStress(at: selection.paths[0]) {
            throw try stress.check(look: Console.look(of: 1)) { Console.write($0, to: 1) }
        }
        throw Console.overview(try selection.runOptions(of: "check")).check()
    }
}

extension Console {
    /// An overview of scenarios on standard output.
    static func overview(_ options: RunOptions) -> SuiteOverview {
        SuiteOverview(options: options, print: { write($0, to: 1) }, writeErrors: { write($0, to: 2) })
    }
}

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
