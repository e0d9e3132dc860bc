internal import Foundation
internal import LabFile
internal import LabKit
internal import LabSystem

/// A collection of scenarios as a page: what each shows, and the chapters, limits, errors, faults and fault points that
/// none of them shows.
struct CatalogueIndex {
    let scenarios: [Scenario]

    /// The page in Markdown. Links lead to the files by the given paths.
    var text: String {
        let files = Self.files(of: scenarios)
        return
            ([
                "# Catalogue\n\n\(scenarios.count) scenarios in \(files.count) files; `lab list --index` writes this page.\n",
                directories(of: files), chapters(in: files), limits(in: files),
                coverage(
                    "By kind of fault",
                    FaultKind.all.map { kind in
                        Subject(name: "`\(kind.title)`", files: files.filter { $0.faults.contains(kind) })
                    }),
            ]
            + Explanation.Subject.allCases.filter(\.isShownByScenarios).map { subject in
                coverage(
                    subject.title,
                    Explanation.all.filter { $0.subject == subject }.map { explanation in
                        Subject(
                            name: "`\(explanation.name)`", files: files.filter { $0.shows(explanation) },
                            obstacle: explanation.whyNotShown)
                    })
            }).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// A file of scenarios: one, or one per row.
    private struct File {
        let path: String
        let scenarios: [Scenario]
        /// The codes and fault points in its steps.
        let names: Set<String>
        let faults: Set<FaultKind>

        var link: String { "[\(Files.name(of: path))](\(path))" }

        /// Whether the file shows a code or a fault point; a system error is often given by its number, which is long
        /// enough to be unique among the domains.
        func shows(_ explanation: Explanation) -> Bool {
            let number = explanation.code.map(String.init) ?? ""
            return names.contains(explanation.name) || number.count >= 4 && names.contains(number)
        }
    }

    private static func files(of scenarios: [Scenario]) -> [File] {
        unique(scenarios.map(\.file.path)).map { path in
            let own = scenarios.filter { $0.file.path == path }
            let commands = own.flatMap(\.allSteps).flatMap(\.commands)
            return File(
                path: path, scenarios: own,
                names: own.reduce(into: []) { $0.formUnion(ScenarioCoverage(of: $1).names) },
                faults: Set(FaultKind.all.filter { kind in commands.contains(where: kind.isDone) }))
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
                let manual = first.manual.isEmpty ? "" : ". Manual: \(first.manual.joined(separator: "; "))"
                return "- [\(name.onOneVisibleLine)](\(file.path))\(rows)\(about)\(manual)\n"
            }
            return "## \(Files.name(of: directory))\n\n\(lines.joined())"
        }.joined(separator: "\n")
    }

    /// The scenarios of each chapter of the manuals; empty for scenarios that name none.
    private func chapters(in files: [File]) -> String {
        guard scenarios.contains(where: { !$0.manual.isEmpty }) else { return "" }
        let manuals = ManualChapter.manuals.map { manual in
            coverage(
                manual, level: "###",
                ManualChapter.all.filter { $0.manual == manual }.map { chapter in
                    Subject(
                        name: chapter.title, files: files.filter { $0.scenarios[0].manual.contains(chapter.name) },
                        obstacle: chapter.obstacle)
                })
        }
        return (["## By chapter of the manuals\n"] + manuals).joined(separator: "\n")
    }

    /// The scenarios of each limit of the platform; empty for scenarios that name none.
    private func limits(in files: [File]) -> String {
        guard scenarios.contains(where: { $0.tags.contains { $0.hasPrefix(PlatformLimit.prefix) } }) else { return "" }
        return coverage(
            "By platform limit",
            PlatformLimit.all.map { limit in
                Subject(
                    name: "`\(limit.name)`: \(limit.subject); \(limit.figure); \(limit.reference)",
                    files: files.filter { $0.scenarios[0].tags.contains(limit.tag) })
            })
    }

    /// A subject of scenarios.
    private struct Subject {
        let name: String
        /// The scenarios that show it.
        let files: [File]
        /// Why no scenario can show it; nil if one can.
        var obstacle: String?
    }

    /// The scenarios of each subject, and the subjects without a scenario.
    private func coverage(_ title: String, level: String = "##", _ subjects: [Subject]) -> String {
        let rows = subjects.filter { !$0.files.isEmpty }.map { subject in
            // A name shown by many scenarios is not listed with each of them.
            let more = subject.files.count > 5 ? ", and \(subject.files.count - 5) more" : ""
            return "| \(subject.name) | \(subject.files.prefix(5).map(\.link).joined(separator: ", "))\(more) |\n"
        }
        let missing = subjects.filter(\.files.isEmpty)
        let table = rows.isEmpty ? "" : "| name | scenarios |\n| --- | --- |\n\(rows.joined())"
        let open = missing.filter { $0.obstacle == nil }.map(\.name)
        let rest = open.isEmpty ? "" : "Not shown: \(open.joined(separator: ", ")).\n"
        return "\(level) \(title)\n\n"
            + [table, rest, unreachable(missing)].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The subjects that no scenario can show, with the reasons.
    private func unreachable(_ subjects: [Subject]) -> String {
        let reasons = Self.unique(subjects.compactMap(\.obstacle))
        guard !reasons.isEmpty else { return "" }
        let lines = reasons.map { reason in
            let names = subjects.filter { $0.obstacle == reason }.map(\.name)
            return "- \(names.joined(separator: ", ")): \(reason.trimmingSuffix("."))\n"
        }
        return "No scenario can show:\n\n\(lines.joined())"
    }
}

extension Explanation.Subject {
    /// Whether the scenarios name subjects of this kind at all, so that missing ones are worth reporting.
    fileprivate var isShownByScenarios: Bool {
        switch self {
        case .verdict, .stepFailure, .labError: false
        case .sdkError, .transportError, .networkingError, .scannedCodeError, .watchError, .deviceError, .serverError,
            .faultPoint:
            true
        }
    }
}

extension Explanation {
    /// The cause that explains why no scenario can cause it.
    fileprivate var whyNotShown: String? { canBeShown ? nil : causes.first { $0.hasPrefix("Nothing") } }
}

extension Step {
    /// The commands in the step and in those inside it.
    fileprivate var commands: [CommandStep] {
        if case .command(let command) = action { return [command] }
        return inner.flatMap(\.commands)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
