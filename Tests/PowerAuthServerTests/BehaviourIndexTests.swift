import Foundation
import TestSupport
import Testing

@Suite("Every behaviour of the server is a test by name (mobile-token.md, section 23)", .endsInTime)
struct BehaviourIndexTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

    @Test("Every test that the index names exists")
    func names() throws {
        let texts = try TestNames.texts(below: Self.tests)
        for name in Behaviours.server.joined() {
            let isThere = texts.contains(Data(name.utf8))
            #expect(isThere, "no test is called \"\(name)\"")
        }
        #expect(Behaviours.server.allSatisfy { !$0.isEmpty }, "a bullet has no test")
    }

    @Test("The index has one entry for every bullet of the server")
    func bullets() throws {
        let page = Self.tests.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "docs/spec/mobile-token.md")
        let group = try SpecificationChapter.bullets(of: 23, in: page).first { $0.heading == "Server" }
        #expect(group?.count == Behaviours.server.count)
    }
}
