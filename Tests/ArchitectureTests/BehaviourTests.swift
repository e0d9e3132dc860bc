// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Every behaviour that must hold has its tests or scenarios", .endsInTime)
struct BehaviourTests {
    /// The chapters of the specification whose behaviours have names.
    private static let documents = [
        "mobile-token.md", "networking.md", "rest-api.md", "sdk.md", "server.md", "sharing.md",
    ]

    /// The behaviours that scenarios show with processes side by side, by document: their tags `document:name`.
    private let scenarios: [String: Set<String>]

    init() throws {
        var scenarios: [String: Set<String>] = [:]
        for file in try Repository.textFiles() where file.path.hasPrefix("Scenarios/") {
            for line in file.text.split(separator: "\n") where line.hasPrefix("tags:") {
                for tag in line.matches(of: #/"([a-z-]+\.md):([^"]+)"/#) {
                    scenarios[String(tag.1), default: []].insert(String(tag.2))
                }
            }
        }
        self.scenarios = scenarios
    }

    /// The names of a document's behaviours: in bold at the beginning of a line, or in brackets at the end of a heading.
    private func names(of document: String) throws -> Set<String> {
        let chapter = try Project.text(of: "docs/spec/\(document)").split(separator: "\n")
            .drop { !($0.hasPrefix("## ") && $0.hasSuffix(". Behaviours that must hold")) }.dropFirst()
            // Those of the clients of rest-api.md stand in sdk.md as well.
            .prefix { !$0.hasPrefix("## ") && $0 != "Client:" }
        var names: Set<String> = []
        for line in chapter {
            if let match = line.prefixMatch(of: #/(?:[-*] )?\*\*([A-Z]-\d+)\*\* |### .+\(([A-Z]-\d+)\)$/#) {
                let name = String(match.1 ?? match.2 ?? "")
                #expect(names.insert(name).inserted, "\(document): two behaviours are named \(name)")
            } else if line.hasPrefix("- ") || line.hasPrefix("* ") {
                Issue.record("\(document): name this behaviour: \(line)")
            }
        }
        return names
    }

    @Test func `Each behaviour has a test or a scenario, and tests and scenarios name no others`() throws {
        for document in Self.documents {
            Verification.check(document, has: try names(of: document), verifiedBy: scenarios[document, default: []])
        }
        let lists = Set(Verification.all.map(\.list)).union(scenarios.keys)
        #expect(
            lists == Set(Self.documents).union(["security.md", "size", "exit code"]), "a list has no check or no test")
    }

    @Test func `Every behaviour of apps that share is tested with parallel processes`() throws {
        // S: several apps. I: what they share. The others are about one app.
        let shared = try names(of: "sharing.md").filter { $0.hasPrefix("S-") || $0.hasPrefix("I-") }
        #expect(shared.count == 15)
        let processes = Verification.all.filter {
            $0.list == "sharing.md" && $0.file.hasPrefix("Tests/EndToEndTests/")
        }
        let shown = scenarios["sharing.md", default: []].union(processes.map(\.rule))
        #expect(shared.subtracting(shown).sorted() == [], "these are shown within one process only")
    }
}
