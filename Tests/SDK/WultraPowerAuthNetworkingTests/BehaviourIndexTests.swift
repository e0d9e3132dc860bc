import Foundation
import TestSupport
import Testing

@Suite("Every behaviour is a test by name (networking.md, section 16)", .endsInTime)
struct BehaviourIndexTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

    @Test("Every test that the index names exists")
    func names() throws {
        let tests = try TestNames(below: Self.tests)
        for (subject, bullets) in Behaviours.tests {
            #expect(tests.missing(among: bullets.joined()) == [], "\(subject) names tests that do not exist")
        }
    }

    @Test("The index has one entry for every bullet of the specification")
    func bullets() throws {
        let chapter = try Project.text(of: "docs/spec/networking.md")
            .components(separatedBy: "\n## 16. ")[1].components(separatedBy: "\n## ")[0]
        var counts: [(subject: String, count: Int)] = []
        for line in chapter.split(separator: "\n").dropFirst() {
            if line.hasPrefix("* ") {
                counts[counts.count - 1].count += 1
            } else if line.count < 30, !line.hasPrefix("---") {
                counts.append((String(line), 0))
            }
        }
        #expect(counts.map(\.subject) == Behaviours.tests.map(\.subject))
        #expect(counts.map(\.count) == Behaviours.tests.map(\.bullets.count))
    }
}
