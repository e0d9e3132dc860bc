import ArgumentParser
import Foundation
import LabRunner

/// `lab init`: begins a project.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes lab.yaml and a first scenario that passes, and schemas for editors. Keeps what is there.")

    @Argument(help: "The folder of the project.")
    var directory = "."

    func run() throws {
        try ImmediateEnd.onSignals()
        for file in try ProjectTemplate(directory: directory).write() {
            Console.print("\(file.isNew ? "wrote" : "kept ")  \(file.path)")
        }
        let place = directory == "." ? "" : "cd \(directory) && "
        Console.print("\nPlay it: \(place)lab run")
    }
}

/// `lab doctor`: looks at the machine.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Looks for everything that the lab needs of the machine, and says what to do.",
        discussion: "Exit codes: 0 everything is there, 3 something is missing.")

    func run() throws {
        try ImmediateEnd.onSignals()
        let findings = Doctor(environment: ProcessInfo.processInfo.environment).examine()
        for finding in findings {
            Console.print("\(finding.isFine ? "✓" : "✗") \(finding.subject): \(finding.state)")
            if let advice = finding.advice { Console.print("    \(advice)") }
        }
        if findings.contains(where: { !$0.isFine }) { throw RunOutcome.inconclusive }
    }
}
