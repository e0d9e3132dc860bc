import Foundation
import TestSupport
import Testing

@Suite("Every behaviour is a test by name (sdk.md, section 12)", .endsInTime)
struct BehaviourIndexTests {
    @Test("Every test that the index names exists")
    func names() throws {
        let tests = try TestNames(below: Project.file("Tests"))
        for (section, bullets) in Behaviours.tests {
            #expect(tests.missing(among: bullets.joined()) == [], "\(section) names tests that do not exist")
        }
    }

    @Test("The index has one entry for every bullet of the specification")
    func bullets() throws {
        let text = try Project.text(of: "docs/spec/sdk.md")
        var counts: [(section: String, count: Int)] = []
        for line in text.split(separator: "\n") {
            if let heading = line.firstMatch(of: #/^### (12\.\d+) /#) {
                counts.append((String(heading.1), 0))
            } else if line.hasPrefix("## ") || line.hasPrefix("### ") {
                if counts.last?.section.isEmpty == false { counts.append(("", 0)) }
            } else if line.hasPrefix("- "), !counts.isEmpty {
                counts[counts.count - 1].count += 1
            }
        }
        let wanted = counts.filter { !$0.section.isEmpty }
        #expect(wanted.count == 15)
        #expect(wanted.map(\.section) == Behaviours.tests.map(\.section))
        for (wanted, have) in zip(wanted, Behaviours.tests) {
            #expect(wanted.count == have.bullets.count, "bullets of \(wanted.section)")
        }
    }
}
