import Foundation
import LabKit
import TestSupport
import Testing

@testable import LabRunner

@Suite("The catalogue index lists what each scenario shows, and what no scenario shows", .endsInTime)
struct CatalogueIndexTests {
    private static let catalogue = SuiteReader(labPath: Project.path("lab.yaml"), environment: [:])
        .read([Project.path("Scenarios")])

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

    @Test("A scenario lists one or more chapters, and each chapter lists its scenarios")
    func chapters() throws {
        let text = try index(of: [
            "one.yaml":
                "name: One\nmanual: \"SDK: Password Change\"\nsteps:\n  - main: hasValidActivation\n",
            "two.yaml":
                "name: Two\nmanual: [\"SDK: Password Change\", \"Networking: SSL validation\"]\nsteps:\n  - main: kill\n",
        ])
        #expect(text.contains("- [Two](two.yaml). Manual: SDK: Password Change; Networking: SSL validation\n"))
        let chapters = try section("SDK", of: text)
        #expect(chapters.contains("| Password Change | [one.yaml](one.yaml), [two.yaml](two.yaml) |"), "\(chapters)")
        #expect(chapters.contains("Not shown: Configuration, "), "\(chapters)")
        #expect(chapters.contains("No scenario can show:\n\n- Supported Platforms, CocoaPods"), "\(chapters)")
        #expect(try section("Networking", of: text).contains("| SSL validation | [two.yaml](two.yaml) |"))
    }

    @Test("Sections without chapters or limits are omitted")
    func noChapters() throws {
        let text = try index(of: ["one.yaml": "name: One\ntags: [limits]\nsteps:\n  - main: kill\n"])
        #expect(!text.contains("By chapter") && !text.contains("By platform limit"), "\(text)")
    }

    @Test("A limit lists exactly the scenarios with its tag")
    func limits() throws {
        let text = try section(
            "By platform limit",
            of: index(of: [
                "one.yaml": "name: The app-group of one\ntags: [\"limit:watch-file\"]\nsteps:\n  - main: kill\n"
            ]))
        #expect(
            text.contains("| `watch-file`: file for the counterpart; 16 MiB; docs/watch.md | [one.yaml](one.yaml) |"))
        #expect(text.contains("Not shown: `shared-memory-name`") && text.contains("`app-group`: "), "\(text)")
    }

    @Test("A fault is identified by its actor and by the word that selects the effect")
    func faults() throws {
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

    @Test("An error code counts where a step uses it, not where its text appears")
    func codes() throws {
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

    @Test("The project's catalogue shows everything that a scenario can show")
    func catalogue() throws {
        #expect(Self.catalogue.diagnostics.isEmpty, "\(Self.catalogue.diagnostics)")
        let text = CatalogueIndex(scenarios: Self.catalogue.scenarios).text
        for line in text.split(separator: "\n") where line.hasPrefix("Not shown") { Issue.record("\(line)") }
        for title in ["By chapter of the manuals", "By platform limit", "By kind of fault", "Fault points"] {
            #expect(text.contains("\n## \(title)\n"), "\(title)")
        }
    }

    @Test("Every project scenario has an `about`, and every limit that it names is declared")
    func headers() {
        let known = Set(PlatformLimit.all.map(\.tag))
        for scenario in Self.catalogue.scenarios {
            #expect(scenario.about != nil, "\(scenario.id)")
            for tag in scenario.tags where tag.hasPrefix(PlatformLimit.prefix) {
                #expect(known.contains(tag), "\(scenario.id): \(tag)")
            }
        }
        #expect(known.count == PlatformLimit.all.count)
    }

    @Test("Every fault that can be ended is a kind of fault, and every kind can be armed")
    func faultKinds() {
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

    @Test("A chapter occurs once in its manual, and each manual has chapters that can be shown")
    func manuals() {
        let names = ManualChapter.all.map(\.name)
        #expect(Set(names).count == names.count)
        for manual in ManualChapter.manuals {
            #expect(ManualChapter.names.contains { $0.hasPrefix("\(manual): ") }, "\(manual)")
        }
        #expect(Set(ManualChapter.all.map(\.manual)) == Set(ManualChapter.manuals))
    }
}
