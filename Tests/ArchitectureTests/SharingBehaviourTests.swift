import Foundation
import TestSupport
import Testing

@Suite("Every behaviour of sharing is a test or a scenario by name (sharing.md, section 19)", .endsInTime)
struct SharingBehaviourTests {
    private static let tests = Project.file("Tests")

    @Test("The index has one entry for every name of the specification, in its order")
    func names() throws {
        #expect(SharingBehaviours.all.map(\.name) == (try Self.namesOfSpecification()))
    }

    @Test("Every test and every scenario that the index names exists")
    func places() throws {
        let all = try TestNames(below: Self.tests)
        let endToEnd = try TestNames(below: Self.tests.appending(path: "EndToEndTests"))
        for entry in SharingBehaviours.all {
            #expect(!entry.tests.isEmpty || !entry.processes.isEmpty, "\(entry.name) is shown by nothing")
            #expect(all.missing(among: entry.tests) == [], "\(entry.name) names tests that do not exist")
            let scenarios = entry.processes.filter { $0.hasSuffix(".yaml") }
            #expect(scenarios.filter(Self.isNoScenario) == [], "\(entry.name) names scenarios that do not exist")
            let processes = entry.processes.filter { !$0.hasSuffix(".yaml") }
            #expect(endToEnd.missing(among: processes) == [], "\(entry.name) names end-to-end tests that do not exist")
        }
    }

    @Test("Every behaviour of apps that share is tested with parallel processes")
    func processes() {
        // S: several apps. I: what they share. The others are about one app.
        let shared = SharingBehaviours.all.filter { $0.name.hasPrefix("S-") || $0.name.hasPrefix("I-") }
        #expect(shared.count == 15)
        for entry in shared {
            #expect(!entry.processes.isEmpty, "\(entry.name) is shown within one process only")
        }
    }

    private static func isNoScenario(_ path: String) -> Bool {
        !FileManager.default.fileExists(atPath: Project.file("Scenarios/\(path)").path)
    }

    /// The names of sharing.md, section 19: bold ones of bullets, those in the headings of sections without such bullets,
    /// and the numbers of sections without any.
    private static func namesOfSpecification() throws -> [String] {
        let lines = try Project.text(of: "docs/spec/sharing.md").split(separator: "\n")
            .drop { !$0.hasPrefix("## 19.") }.dropFirst().prefix { !$0.hasPrefix("## ") }
        var sections: [(name: String, bullets: [String])] = []
        for line in lines {
            if let heading = line.wholeMatch(of: #/### (19\.\d+) .*?(?:\((S-\d+)\))?/#) {
                sections.append((String(heading.2 ?? heading.1), []))
            } else if let bullet = line.prefixMatch(of: #/- \*\*([A-Z]-\d+)\*\*/#), !sections.isEmpty {
                sections[sections.count - 1].bullets.append(String(bullet.1))
            }
        }
        return sections.flatMap { $0.bullets.isEmpty ? [$0.name] : $0.bullets }
    }
}
