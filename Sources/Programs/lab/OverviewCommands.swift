import ArgumentParser
import LabRunner

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
