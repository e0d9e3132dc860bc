public import ArgumentParser
import Foundation
public import LabRunner

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
        let project = try ProjectTemplate(
            directory: directory, cast: cast.map(ProjectCast.init), buildServer: ci)
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
