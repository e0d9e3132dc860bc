import ArgumentParser
import LabKit
import LabRunner

/// `lab steps`: prints the vocabulary.
struct StepsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "steps", abstract: "Lists every command with its parameters and its answer.")

    @Flag(help: "Print JSON with a version, for programs.")
    var json = false

    func run() throws {
        Console.print(json ? VocabularyReference.json().prettyPrinted() : VocabularyReference.text())
    }
}

/// `lab schema`: prints the JSON Schema of scenarios.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Prints the JSON Schema of scenario files, for editors.")

    func run() throws {
        Console.print(ScenarioSchema.json().prettyPrinted())
    }
}

/// `lab faults`: prints the fault points.
struct FaultsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults", abstract: "Lists the points at which a fault can be armed.")

    func run() throws {
        for point in FaultPoint.all {
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

    func run() throws {
        Console.print(json ? EventReference.json().prettyPrinted() : EventReference.text())
    }
}

/// `lab quirks`: prints the switches for defects of the original.
struct QuirksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quirks", abstract: "Lists the defects of the original that a peer can bring back.")

    func run() throws {
        for quirk in Quirk.all { Console.print("\(quirk.rawValue)  \(quirk.summary)") }
    }
}
