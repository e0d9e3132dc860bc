// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabVocabulary
import ScenarioEngine
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioLanguage

@Suite("The catalogue index lists what each scenario shows, and what no scenario shows", .endsInTime)
struct CatalogueIndexTests {
    private static let catalogue = SuiteReader(labPath: Project.path("lab.yaml"), environment: [:])
        .read([Project.path("Scenarios")])

    /// The page of the project's own catalogue, seen from `docs`.
    private static var page: String {
        let chapters = ManualChapter.all.map { chapter in
            CatalogueIndex.Subject(name: chapter.name, obstacle: chapter.obstacle) {
                $0.first.manual.contains(chapter.name)
            }
        }
        let limits = PlatformLimit.all.map { limit in
            CatalogueIndex.Subject(name: "`\(limit.name)`: \(limit.subject); \(limit.figure); \(limit.reference)") {
                $0.first.tags.contains(limit.tag)
            }
        }
        return CatalogueIndex(
            of: Self.catalogue.scenarios,
            sections: [
                CatalogueIndex.Section(title: "By chapter of the manuals", subjects: chapters),
                CatalogueIndex.Section(title: "By platform limit", subjects: limits),
            ]
        ).text.replacing("](\(Project.root.path)/", with: "](../")
    }

    private func index(of files: [String: String]) throws -> String {
        let workspace = try SuiteWorkspace(files)
        let (outcome, text) = workspace.output { options, print in
            SuiteOverview(options: options, environment: [:], print: print, writeErrors: print).index()
        }
        #expect(outcome == .passed, "\(text)")
        return text
    }

    private func section(_ title: String, of text: String) throws -> String {
        let rest = try #require(text.components(separatedBy: "# \(title)\n").dropFirst().first, "\(title)")
        return rest.components(separatedBy: "\n#").first ?? ""
    }

    @Test func `A scenario names chapters in its own words, and each chapter lists its scenarios`() throws {
        let text = try index(of: [
            "one.yaml": "name: One\nmanual: \"SDK: Password Change\"\nsteps:\n  - main: hasValidActivation\n",
            "two.yaml":
                "name: Two\nmanual: [\"SDK: Password Change\", \"Our manual: A|B\"]\nsteps:\n  - main: kill\n",
        ])
        #expect(text.contains("- [Two](two.yaml). Manual: SDK: Password Change; Our manual: A|B\n"), "\(text)")
        #expect(
            try section("By chapter of the manuals", of: text) == """

                | name | scenarios |
                | --- | --- |
                | Our manual: A\\|B | [two.yaml](two.yaml) |
                | SDK: Password Change | [one.yaml](one.yaml), [two.yaml](two.yaml) |

                """)
    }

    @Test func `A section without subjects is omitted`() throws {
        let text = try index(of: ["one.yaml": "name: One\ntags: [limits]\nsteps:\n  - main: kill\n"])
        #expect(!text.contains("By chapter"), "\(text)")
    }

    @Test func `What a collection adds has its scenarios, what none of them shows, and what none can show`() throws {
        let workspace = try SuiteWorkspace(["one.yaml": "name: One\ntags: [a]\nsteps:\n  - main: kill\n"])
        let found = SuiteReader(labPath: workspace.directory.file("lab.yaml"), environment: [:])
            .read([workspace.directory.path])
        let letters: [(String, String?)] = [("a", nil), ("b", nil), ("c", "it is closed."), ("d", "it is closed.")]
        let subjects = letters.map { letter, obstacle in
            CatalogueIndex.Subject(name: letter, obstacle: obstacle) { $0.first.tags.contains(letter) }
        }
        let text = CatalogueIndex(
            of: found.scenarios, sections: [CatalogueIndex.Section(title: "By letter", subjects: subjects)]
        ).text.replacing("\(workspace.directory.path)/", with: "")
        #expect(
            try section("By letter", of: text) == """

                | name | scenarios |
                | --- | --- |
                | a | [one.yaml](one.yaml) |

                Not shown: b.

                No scenario can show:

                - c, d: it is closed

                """)
    }

    @Test func `A fault is identified by its actor and by the word that selects the effect`() throws {
        let text = try section(
            "By kind of fault",
            of: index(of: [
                "one.yaml": """
                name: One
                steps:
                  - server: drop
                    with: { endpoint: status }
                  - repeat: 2
                    steps:
                      - main: kill
                """
            ]))
        #expect(text.contains("| `server: drop, lost: request` | [one.yaml](one.yaml) |"), "\(text)")
        #expect(text.contains("| `app: kill` | [one.yaml](one.yaml) |"), "\(text)")
        for missing in [
            "`server: drop, lost: answer`", "`server: kill`", "`link: drop`", "`faults: arm, action: delay`",
        ] {
            #expect(!text.contains("| \(missing) |") && text.contains(missing), "\(missing)")
        }
    }

    @Test func `An error code counts where a step uses it, not where its text appears`() throws {
        let words = """
            name: The encryption of unknown things, networkError
            values: { unknown: missingActivation }
            steps:
              - main: sendRequest
                with: { path: /x, encryption: application, body: { text: timeSynchronization } }
                expect: { body: { text: { not: biometryCancel } } }
              - note: invalidToken
                main: activationIdentifier
                fails: { code: { not: wrongParameter } }
            """
        let shown = try section("Errors of the SDKs, `PowerAuthErrorDomain`", of: index(of: ["words.yaml": words]))
        #expect(!shown.contains("| `"), "\(shown)")
        let meant = """
            name: Codes
            rows:
              - { id: a, code: networkError }
            steps:
              - main: activationIdentifier
                fails: missingActivation
              - main: activationIdentifier
                fails: { code: "${row.code}" }
              - main: activationIdentifier
                fails: { code: { oneOf: [encryption, invalidToken] } }
              - race:
                  - - main: canStartActivation
                  - - main: hasValidActivation
                winners: 1
                others: { code: wrongParameter }
              - main: delegateCalls
                expect: { contains: { call: didFinish, code: 7005 } }
            """
        let text = try index(of: ["meant.yaml": meant])
        for name in ["missingActivation", "networkError", "encryption", "invalidToken", "wrongParameter"] {
            #expect(text.contains("| `\(name)` | [meant.yaml](meant.yaml) |"), "\(name)")
        }
        #expect(text.contains("| `deviceNotPaired` | [meant.yaml](meant.yaml) |"))
    }

    @Test(arguments: Sizes.around(5))
    func `Five scenarios of a subject are linked, and the others counted`(count: Int) throws {
        let files = (1...count).map { number in
            ("\(number).yaml", "name: N\nmanual: Signing\nsteps:\n  - main: kill\n")
        }
        let text = try section("By chapter of the manuals", of: index(of: Dictionary(uniqueKeysWithValues: files)))
        let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("| Signing |") })
        let links = (1...min(count, 5)).map { "[\($0).yaml](\($0).yaml)" }.joined(separator: ", ")
        #expect(row.hasSuffix("| \(links)\(count > 5 ? ", and \(count - 5) more" : "") |"), "\(row)")
    }

    @Test func `A table is one file with its rows, and what the file is about stands behind its name`() throws {
        let rows = "rows: [{ id: low }, { id: high }]\n"
        let text = try index(of: [
            "a.yaml": "name: A\nabout: The first.\nsteps:\n  - main: kill\n",
            "b.yaml": "name: B\nabout: Two\n\(rows)manual: \"SDK: Configuration\"\nsteps:\n  - main: kill\n",
        ])
        #expect(text.hasPrefix("# Catalogue\n\n3 scenarios in 2 files; "), "\(text)")
        #expect(text.contains("\n- [A](a.yaml). The first\n- [B](b.yaml) (2 rows). Two. Manual: SDK: Configuration\n"))
    }

    @Test
    func `The project's catalogue shows everything that a scenario can show, and its page is up to date`() throws {
        #expect(Self.catalogue.diagnostics.isEmpty, "\(Self.catalogue.diagnostics)")
        let text = Self.page
        for line in text.split(separator: "\n") where line.hasPrefix("Not shown") { Issue.record("\(line)") }
        for title in ["By chapter of the manuals", "By platform limit", "By kind of fault", "Fault points"] {
            #expect(text.contains("\n## \(title)\n"), "\(title)")
        }
        GoldenFile(path: Project.path("docs/catalogue.md")).check(text)
    }

    @Test func `Every project scenario has an 'about', and names declared limits and chapters that can be shown`() {
        let limits = Set(PlatformLimit.all.map(\.tag))
        let chapters = Set(ManualChapter.all.filter { $0.obstacle == nil }.map(\.name))
        for scenario in Self.catalogue.scenarios {
            #expect(scenario.about != nil, "\(scenario.id)")
            for tag in scenario.tags where tag.hasPrefix(PlatformLimit.prefix) {
                #expect(limits.contains(tag), "\(scenario.id): \(tag)")
            }
            for chapter in scenario.manual { #expect(chapters.contains(chapter), "\(scenario.id): \(chapter)") }
        }
        #expect(limits.count == PlatformLimit.all.count)
        #expect(Set(ManualChapter.all.map(\.name)).count == ManualChapter.all.count)
    }

    @Test func `Every fault that can be ended is a kind of fault, and every kind can be armed`() {
        let kinds = FaultKind.all
        #expect(Set(kinds.map(\.title)).count == kinds.count)
        for command in Vocabulary.lab.commands where command.ending != nil && !FaultKind.harmless.contains(command.name)
        {
            for actor in command.actors {
                #expect(kinds.contains { $0.actor == actor && $0.command == command.name }, "\(actor) \(command.name)")
            }
        }
        for kind in kinds { #expect(kind.actor.command(named: kind.command, of: nil) != nil, "\(kind.title)") }
        for action in FaultActionWord.allCases {
            #expect(kinds.contains { $0.command == "arm" && $0.word == action.rawValue }, "\(action)")
        }
    }
}
