import Foundation
import TestSupport
import Testing

@Suite("Every behaviour of the server is a test by name", .endsInTime)
struct BehaviourIndexTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let specification = Project.file("docs/spec")

    /// How many bullets each group of a chapter has, where groups begin with a line of their own without marks.
    private static func bullets(of chapter: Int, in page: String) throws -> [(heading: String, count: Int)] {
        let text = try String(contentsOf: specification.appending(path: page), encoding: .utf8)
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("## \(chapter).") }.dropFirst()
        var groups: [(heading: String, count: Int)] = []
        for line in lines.prefix(while: { !$0.hasPrefix("## ") }) {
            if line.hasPrefix("- ") {
                groups[groups.count - 1].count += 1
            } else {
                groups.append((String(line), 0))
            }
        }
        return groups.filter { $0.count > 0 }
    }

    @Test("Every test that the indexes name exists")
    func names() throws {
        let bullets =
            Behaviours.server + ServerBehaviours.powerAuthServer.flatMap(\.bullets) + ServerBehaviours.mobileAPI
        #expect(try TestNames(below: Self.tests).missing(among: bullets.joined()) == [])
        #expect(bullets.allSatisfy { !$0.isEmpty }, "a bullet has no test")
    }

    @Test("The index has one entry for every bullet of the Mobile Token API (mobile-token.md, section 23)")
    func mobileToken() throws {
        let page = Self.specification.appending(path: "mobile-token.md")
        let group = try SpecificationChapter.bullets(of: 23, in: page).first { $0.heading == "Server" }
        #expect(group?.count == Behaviours.server.count)
    }

    @Test("The index has one entry for every bullet of the back office (server.md, section 29)")
    func powerAuthServer() throws {
        let groups = try Self.bullets(of: 29, in: "server.md")
        #expect(groups.map(\.heading) == ServerBehaviours.powerAuthServer.map(\.heading))
        #expect(groups.map(\.count) == ServerBehaviours.powerAuthServer.map(\.bullets.count))
    }

    @Test("The index has one entry for every bullet of the mobile API (rest-api.md, section 13)")
    func mobileAPI() throws {
        let group = try Self.bullets(of: 13, in: "rest-api.md").first { $0.heading == "Server:" }
        #expect(group?.count == ServerBehaviours.mobileAPI.count)
    }
}
