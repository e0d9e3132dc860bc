internal import Foundation
internal import LabFile
internal import LabKit
internal import LabSystem

/// A collection of scenarios as a page: what each shows, and which errors, faults and fault points none of them shows.
struct CatalogueIndex {
    let scenarios: [Scenario]

    /// The page in Markdown. Links lead to the files by the paths that were given.
    var text: String {
        let files = Self.files(of: scenarios)
        let commands = Vocabulary.lab.commands.filter { $0.ending != nil }
        return
            ([
                "# Catalogue\n\n\(scenarios.count) scenarios in \(files.count) files; `lab list --index` writes this page.\n",
                directories(of: files),
            ]
            + Explanation.Subject.allCases.filter(\.isShownByScenarios).map { subject in
                coverage(
                    subject.title, Explanation.all.filter { $0.subject == subject }, by: \.name, in: files,
                    // Errors of the system are often meant by their numbers.
                    isShown: { explanation, file in
                        let number = explanation.code.map(String.init) ?? ""
                        return file.words.contains(explanation.name) || file.words.contains(number)
                    }, canBeShown: \.canBeShown)
            } + [
                coverage(
                    "Faults in words", Self.unique(commands.map(\.name)), by: \.self, in: files,
                    isShown: { name, file in file.commands.contains(name) })
            ]).joined(separator: "\n")
    }

    /// A file of scenarios: one, or a row for each.
    private struct File {
        let path: String
        let scenarios: [Scenario]
        /// The words of the text that can be names.
        let words: Set<String>
        let commands: Set<String>

        var link: String { "[\(Files.name(of: path))](\(path))" }
    }

    private static func files(of scenarios: [Scenario]) -> [File] {
        unique(scenarios.map(\.file.path)).map { path in
            let own = scenarios.filter { $0.file.path == path }
            let text = own.first?.file.text ?? ""
            let words = text.matches(of: #/[A-Za-z_][A-Za-z0-9_.]*|[0-9]{4,}/#)
            return File(
                path: path, scenarios: own, words: Set(words.map { String($0.0).trimmingSuffix(".") }),
                commands: Set(own.flatMap(\.allSteps).flatMap(\.commandNames)))
        }
    }

    private static func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    private func directories(of files: [File]) -> String {
        let directories = Self.unique(files.map { Files.directory(of: $0.path) })
        return directories.map { directory in
            let own = files.filter { Files.directory(of: $0.path) == directory }
            let lines = own.map { file in
                let first = file.scenarios[0]
                let name = first.row == nil ? first.name : String(first.name.prefix { $0 != "[" }).trimmed
                let rows = first.row == nil ? "" : " (\(file.scenarios.count) rows)"
                let about = first.about.map { ". \($0.onOneVisibleLine.trimmingSuffix("."))" } ?? ""
                return "- [\(name.onOneVisibleLine)](\(file.path))\(rows)\(about)\n"
            }
            return "## \(Files.name(of: directory))\n\n\(lines.joined())"
        }.joined(separator: "\n")
    }

    /// Who shows each of some names, and those that nobody shows.
    private func coverage<Thing>(
        _ title: String, _ things: [Thing], by name: (Thing) -> String, in files: [File],
        isShown: (Thing, File) -> Bool, canBeShown: (Thing) -> Bool = { _ in true }
    ) -> String {
        let shown = things.map { thing in (thing, files.filter { isShown(thing, $0) }) }
        let rows = shown.filter { !$0.1.isEmpty }.map { thing, files in
            // A name that many show is no news in each of them.
            let more = files.count > 5 ? ", and \(files.count - 5) more" : ""
            return "| `\(name(thing))` | \(files.prefix(5).map(\.link).joined(separator: ", "))\(more) |\n"
        }
        let missing = shown.filter(\.1.isEmpty).map(\.0)
        let table = rows.isEmpty ? "" : "| name | scenarios |\n| --- | --- |\n\(rows.joined())"
        let rest = [
            sentence("Not shown", missing.filter(canBeShown).map(name)),
            sentence("No scenario can cause", missing.filter { !canBeShown($0) }.map(name)),
        ].compactMap(\.self)
        return "## \(title)\n\n" + ([table] + rest).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func sentence(_ what: String, _ names: [String]) -> String? {
        names.isEmpty ? nil : "\(what): \(names.map { "`\($0)`" }.joined(separator: ", ")).\n"
    }
}

extension Explanation.Subject {
    /// Whether scenarios name such things, so that it says something when none does.
    fileprivate var isShownByScenarios: Bool {
        switch self {
        case .verdict, .stepFailure, .labError: false
        case .sdkError, .networkingError, .scannedCodeError, .watchError, .deviceError, .serverError, .faultPoint: true
        }
    }
}

extension Step {
    /// The names of the commands in the step and in those inside it.
    fileprivate var commandNames: [String] {
        if case .command(let command) = action { return [command.command.name] }
        return inner.flatMap(\.commandNames)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
