public import Foundation
import LabFile
import LabKit

/// Lists and checks scenarios without starting anything.
///
/// Thread rule: any thread.
public struct SuiteOverview {
    private let options: RunOptions
    private let environment: [String: String]
    private let print: (String) -> Void
    private let writeErrors: (String) -> Void

    /// An overview.
    ///
    /// - Parameters:
    ///   - options: The selected scenarios.
    ///   - environment: Environment variables.
    ///   - print: Takes pieces of text, for standard output.
    ///   - writeErrors: Takes diagnostics, for standard error.
    public init(
        options: RunOptions, environment: [String: String] = ProcessInfo.processInfo.environment,
        print: @escaping (String) -> Void, writeErrors: @escaping (String) -> Void
    ) {
        self.options = options
        self.environment = environment
        self.print = print
        self.writeErrors = writeErrors
    }

    private func find(reportsWarnings: Bool = false) -> SuiteSearch.Found? {
        SuiteSearch(
            options: options, environment: environment, reportsWarnings: reportsWarnings, print: print,
            writeErrors: writeErrors
        ).find()
    }

    /// Lists identifiers, titles, tags and quarantine.
    public func list(asJSON: Bool) -> RunOutcome {
        guard let found = find() else { return .badInput }
        if asJSON {
            let entries = found.scenarios.map { scenario -> JSONValue in
                var entry: [String: JSONValue] = [
                    "id": .string(scenario.id), "name": .string(scenario.name), "file": .string(scenario.file.path),
                    "tags": .array(scenario.tags.map(JSONValue.string)),
                ]
                if !scenario.manual.isEmpty { entry["manual"] = .array(scenario.manual.map(JSONValue.string)) }
                entry["quarantine"] = scenario.quarantine.map { .string($0.sentence) }
                return .object(entry)
            }
            print(JSONValue.object(["version": 1, "scenarios": .array(entries)]).prettyPrinted() + "\n")
            return .passed
        }
        for scenario in found.scenarios {
            var parts = [scenario.id, scenario.name]
            if !scenario.tags.isEmpty { parts.append("[\(scenario.tags.joined(separator: ", "))]") }
            if let quarantine = scenario.quarantine { parts.append("quarantined: \(quarantine.sentence)") }
            if let obstacle = scenario.obstacle { parts.append("not run: \(obstacle)") }
            print(parts.map(\.onOneVisibleLine).joined(separator: "  ") + "\n")
        }
        return .passed
    }

    /// Prints a Markdown page about all of them.
    public func index() -> RunOutcome {
        guard let found = find() else { return .badInput }
        print(CatalogueIndex(of: found.scenarios).text)
        return .passed
    }

    /// Prints that there are no errors, or every error.
    public func check() -> RunOutcome {
        guard let found = find(reportsWarnings: true) else { return .badInput }
        let files = Set(found.scenarios.map(\.file.path)).count
        func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
        print("\(counted(found.scenarios.count, "scenario")) in \(counted(files, "file")): no mistakes\n")
        return .passed
    }

    /// Prints the steps of every scenario as they would be carried out, with all values known before.
    public func plan() -> RunOutcome {
        guard let found = find() else { return .badInput }
        let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        for scenario in found.scenarios { print(ScenarioPlan(scenario, seed: seed).text + "\n") }
        print("nothing was started; generated values are those of seed \(seed)\n")
        return .passed
    }
}
