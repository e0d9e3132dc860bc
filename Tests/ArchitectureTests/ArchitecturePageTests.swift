import Foundation
import TestSupport
import Testing

@Suite("docs/architecture.md points to what exists", .endsInTime)
struct ArchitecturePageTests {
    @Test("Every file on the way of a step exists")
    func filesExist() throws {
        let page = try Project.text(of: "docs/architecture.md")
        let paths = page.matches(of: /`([A-Za-z0-9]+\/[A-Za-z0-9+\/]+\.swift)`/).map { String($0.1) }
        #expect(paths.count >= 10, "the way of a step was not found")
        for path in paths {
            #expect(Repository.place(named: path) != nil, "\(path) is gone")
        }
    }
}
