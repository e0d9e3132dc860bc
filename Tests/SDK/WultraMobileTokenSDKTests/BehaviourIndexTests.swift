import Foundation
import TestSupport
import Testing

@Suite("Every behaviour of the client is a test or a scenario by name (mobile-token.md, section 23)", .endsInTime)
struct BehaviourIndexTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

    @Test("Every test and every scenario that the index names exists")
    func names() throws {
        let tests = try TestNames(below: Self.tests)
        let scenarios = Project.file("Scenarios")
        for (group, bullets) in Behaviours.groups {
            #expect(tests.missing(among: bullets.flatMap(\.tests)) == [], "\(group) names tests that do not exist")
            for path in bullets.flatMap(\.scenarios) {
                let isThere = FileManager.default.fileExists(atPath: scenarios.appending(path: path).path)
                #expect(isThere, "\(group): there is no scenario \(path)")
            }
            let isHeld = bullets.allSatisfy { !$0.tests.isEmpty || !$0.scenarios.isEmpty }
            #expect(isHeld, "a bullet of \(group) has neither test nor scenario")
        }
    }

    @Test("The index has one entry for every bullet of the client")
    func bullets() throws {
        let chapter = try SpecificationChapter.bullets(of: 23, in: Project.file("docs/spec/mobile-token.md"))
        // The last group is the server's, whose tests have an index of their own.
        #expect(chapter.last?.heading == "Server")
        #expect(chapter.dropLast().map(\.heading) == Behaviours.groups.map(\.name))
        for (wanted, have) in zip(chapter, Behaviours.groups) {
            #expect(wanted.count == have.bullets.count, "bullets of \(wanted.heading)")
        }
    }
}
