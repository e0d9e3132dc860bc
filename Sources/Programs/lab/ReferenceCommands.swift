// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LabControl
import LabCore
import LabPoints
import LabTools
import ScenarioEngine
import ScenarioLanguage

/// The own apps of the project in whose folder a command is given.
enum OwnCommandsNearby {
    /// The programs that the lab file here names. A problem with one is reported, and the others are still described.
    static func find() -> OwnPrograms {
        let own = OwnPrograms.near(".")
        if let complaint = own.complaint { Console.error(complaint) }
        return own
    }
}

/// `lab steps`: prints the vocabulary.
struct StepsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "steps", abstract: "Lists every command with its parameters and its answer, or describes one.")

    @Argument(help: "The command.")
    var name: String?

    @Flag(help: "Print JSON with a version, for programs.")
    var json = false

    func run() throws {
        let own = OwnCommandsNearby.find()
        if json {
            Console.print(try VocabularyReference.json(of: name, with: own).prettyPrinted())
        } else {
            Console.print(
                try name.map { try VocabularyReference.text(of: $0, with: own) } ?? VocabularyReference.text(with: own))
        }
    }
}

/// `lab schema`: prints the JSON Schemas of the files that people write.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of scenario files, for editors, or of the lines of a history, for programs.")

    @Flag(help: "The schema of files of steps that `include` reads.")
    var include = false

    @Flag(help: "The schema of lab.yaml.")
    var lab = false

    @Flag(help: "The schema of a line of history.jsonl in the records of a run.")
    var history = false

    func run() throws {
        guard [include, lab, history].count(where: \.self) <= 1 else {
            throw BadUsage(sentence: "--include, --lab and --history are different schemas; ask for one")
        }
        guard !history else { return Console.print(HistoryEvent.schema.prettyPrinted()) }
        let kind: ScenarioSchema.Kind = include ? .include : lab ? .lab : .scenario
        Console.print(ScenarioSchema.json(of: kind, with: OwnCommandsNearby.find()).prettyPrinted())
    }
}

/// `lab faults`: prints the fault points.
struct FaultsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults", abstract: "Lists the points at which a fault can be armed.")

    func run() throws {
        for point in FaultPoint.allCases {
            let owners = point.owners.map(\.rawValue).joined(separator: ", ")
            let actions = point.actions.map(\.rawValue).joined(separator: ", ")
            Console.print("\(point.rawValue)  \(point.summary) [\(owners): \(actions)]")
        }
    }
}

/// `lab events`: prints the events of traces.
struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Lists the events of traces, which a scenario can wait for, with their fields."
    )

    @Flag(help: "Print JSON with a version, for programs.")
    var json = false

    func run() throws { Console.print(json ? EventReference.json().prettyPrinted() : EventReference.text()) }
}

/// `lab explain`: prints what a name means and what to do about it.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains an error, a verdict, a way to fail, a cause or a fault point, and what to do about it.",
        discussion: "Without a name, lists the names that are explained.")

    @Argument(help: "A name, or the reason or a cause of a failure as it was printed.")
    var name: String?

    @Flag(help: "Print everything that is explained.")
    var all = false

    func run() throws {
        guard let name else { return Console.print(all ? ExplanationReference.text() : ExplanationReference.names()) }
        guard !all else { throw BadUsage(sentence: "`lab explain` takes a name or --all") }
        if let quirk = Quirk(rawValue: name) {
            let place = "An app has it with `quirks: [\(name)]` in lab.yaml; `lab quirks` lists all (docs/quirks.md)."
            return Console.print("Defects of the original that the lab fixes\n\n\(name)  \(quirk.summary)\n  \(place)")
        }
        let found = try Explanation.find(name).map { "\($0.subject.title)\n\n\(ExplanationReference.text($0))\n" }
        Console.print(found.joined(separator: "\n"))
        Console.print("The page of all errors is docs/errors.md; `lab explain --all` prints it.")
    }
}

/// `lab quirks`: prints the switches for defects of the original.
struct QuirksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quirks", abstract: "Lists the defects of the original that a peer can bring back.")

    func run() throws {
        for quirk in Quirk.allCases { Console.print("\(quirk.rawValue)  \(quirk.summary)") }
    }
}
