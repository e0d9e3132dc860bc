import Foundation
import TestSupport
import Testing

@Suite("Every behaviour is a test by name (mobile-token.md, section 23)", .endsInTime)
struct BehaviourIndexTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let specification = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/spec/mobile-token.md")

    @Test("Every test that the index names exists")
    func names() throws {
        let texts = try TestNames.texts(below: Self.tests)
        for (group, bullets) in Behaviours.groups {
            for name in bullets.flatMap(\.tests) {
                let isThere = texts.contains(Data(name.utf8))
                #expect(isThere, "\(group): no test is called \"\(name)\"")
            }
            #expect(bullets.allSatisfy { !$0.tests.isEmpty }, "a bullet of \(group) has no test")
        }
    }

    @Test("The index has one entry for every bullet of the client")
    func bullets() throws {
        let text = try String(contentsOf: Self.specification, encoding: .utf8)
        var counts: [(name: String, count: Int)] = []
        for line in text.split(separator: "\n").drop(while: { !$0.hasPrefix("## 23.") }).dropFirst() {
            if line.hasPrefix("## ") { break }
            if let heading = line.wholeMatch(of: #/\*\*(.+)\*\*/#) {
                counts.append((String(heading.1), 0))
            } else if line.hasPrefix("* "), !counts.isEmpty {
                counts[counts.count - 1].count += 1
            }
        }
        #expect(counts.last?.name == "Server")
        #expect(counts.dropLast().map(\.name) == Behaviours.groups.map(\.name))
        for (wanted, have) in zip(counts, Behaviours.groups) {
            #expect(wanted.count == have.bullets.count, "bullets of \(wanted.name)")
        }
    }
}
