// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabFile
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// A collection of scenarios as a page: what each shows, and the errors, faults and fault points that none of them
/// shows.
struct CatalogueIndex {
    /// A heading, and the subjects below it.
    struct Section {
        let title: String
        let subjects: [Subject]
    }

    /// What scenarios may show.
    struct Subject {
        let name: String
        /// Why no scenario can show it; nil if one can.
        var obstacle: String?
        /// Whether a file shows it.
        let isShown: (File) -> Bool
    }

    /// A file of scenarios: one, or one per row.
    struct File {
        let path: String
        /// At least one.
        let scenarios: [Scenario]
        /// The codes and fault points in its steps.
        fileprivate let names: Set<String>
        fileprivate let faults: Set<FaultKind>

        /// The rows have the header in common.
        var first: Scenario { scenarios[0] }
        fileprivate var link: String { "[\(Files.name(of: path))](\(path))" }

        /// Whether the file shows a code or a fault point; a system error is often given by its number, which is long
        /// enough to be unique among the domains.
        fileprivate func shows(_ explanation: Explanation) -> Bool {
            let number = explanation.code.map(String.init) ?? ""
            return names.contains(explanation.name) || number.count >= 4 && names.contains(number)
        }
    }

    private let files: [File]
    private let sections: [Section]

    /// - Parameters:
    ///   - scenarios: The collection, in the order of the page.
    ///   - sections: The subjects of this collection; nil stands for the chapters of manuals that its scenarios name.
    init(of scenarios: [Scenario], sections: [Section]? = nil) {
        files = Self.unique(scenarios.map(\.file.path)).map { path in
            let own = scenarios.filter { $0.file.path == path }
            let commands = own.flatMap(\.allSteps).flatMap(\.commands)
            return File(
                path: path, scenarios: own,
                names: own.reduce(into: []) { $0.formUnion(ScenarioCoverage(of: $1).names) },
                faults: Set(FaultKind.all.filter { kind in commands.contains(where: kind.isDone) }))
        }
        self.sections = sections ?? [Self.namedChapters(in: scenarios)]
    }

    private static func namedChapters(in scenarios: [Scenario]) -> Section {
        Section(
            title: "By chapter of the manuals",
            subjects: Set(scenarios.flatMap(\.manual)).sorted().map { chapter in
                // A bar would begin another cell.
                Subject(name: chapter.onOneVisibleLine.replacing("|", with: "\\|")) {
                    $0.first.manual.contains(chapter)
                }
            })
    }

    /// The page in Markdown. Links lead to the files by the given paths.
    var text: String {
        let count = files.reduce(0) { $0 + $1.scenarios.count }
        let head = "# Catalogue\n\n\(count) scenarios in \(files.count) files; `lab list --index` writes such a page.\n"
        let faults = Section(
            title: "By kind of fault",
            subjects: FaultKind.all.map { kind in Subject(name: "`\(kind.title)`") { $0.faults.contains(kind) } })
        let names = Explanation.Subject.allCases.filter(\.isShownByScenarios).map { subject in
            Section(
                title: subject.title,
                subjects: Explanation.all.filter { $0.subject == subject }.map { explanation in
                    Subject(name: "`\(explanation.name)`", obstacle: explanation.obstacle) { $0.shows(explanation) }
                })
        }
        let parts = [head, directories] + (sections + [faults] + names).map(coverage)
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    private var directories: String {
        Self.unique(files.map { Files.directory(of: $0.path) }).map { directory in
            let lines = files.filter { Files.directory(of: $0.path) == directory }.map { file in
                let first = file.first
                let name = first.row == nil ? first.name : String(first.name.prefix { $0 != "[" }).trimmed
                let rows = first.row == nil ? "" : " (\(file.scenarios.count) rows)"
                let about = first.about.map { ". \($0.onOneVisibleLine.trimmingSuffix("."))" } ?? ""
                let manual = first.manual.isEmpty ? "" : ". Manual: \(first.manual.joined(separator: "; "))"
                return "- [\(name.onOneVisibleLine)](\(file.path))\(rows)\(about)\(manual.onOneVisibleLine)\n"
            }
            return "## \(Files.name(of: directory))\n\n\(lines.joined())"
        }.joined(separator: "\n")
    }

    /// The scenarios of each subject, and the subjects without a scenario; empty for a section without subjects.
    private func coverage(of section: Section) -> String {
        guard !section.subjects.isEmpty else { return "" }
        let subjects = section.subjects.map { subject in (subject: subject, files: files.filter(subject.isShown)) }
        let rows = subjects.filter { !$0.files.isEmpty }.map { subject, files in
            // A name shown by many scenarios is not listed with each of them.
            let more = files.count > 5 ? ", and \(files.count - 5) more" : ""
            return "| \(subject.name) | \(files.prefix(5).map(\.link).joined(separator: ", "))\(more) |\n"
        }
        let missing = subjects.filter(\.files.isEmpty).map(\.subject)
        let table = rows.isEmpty ? "" : "| name | scenarios |\n| --- | --- |\n\(rows.joined())"
        let open = missing.filter { $0.obstacle == nil }.map(\.name)
        let rest = open.isEmpty ? "" : "Not shown: \(open.joined(separator: ", ")).\n"
        return "## \(section.title)\n\n"
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
        case .verdict, .stepFailure, .cause, .labError, .restError: false
        case .sdkError, .transportError, .networkingError, .scannedCodeError, .watchError, .deviceError, .serverError,
            .faultPoint:
            true
        }
    }
}

extension Explanation {
    /// Why no scenario can cause it; nil if one can.
    fileprivate var obstacle: String? { if case .unreachable = reachability { causes.first } else { nil } }
}

extension Step {
    /// The commands in the step and in those inside it.
    fileprivate var commands: [CommandStep] { command.map { [$0] } ?? inner.flatMap(\.commands) }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
