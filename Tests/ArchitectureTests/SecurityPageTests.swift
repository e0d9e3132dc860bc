import Foundation
import TestSupport
import Testing

@Suite("docs/security.md is correct", .endsInTime)
struct SecurityPageTests {
    /// The cells of one row: who, may, checked in, test.
    private let rows: [[String]]

    init() throws {
        rows = try Project.text(of: "docs/security.md").split(separator: "\n")
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| who |") && !$0.hasPrefix("| --- ") }
            .map { row in
                row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
    }

    @Test("Every row says who, what, where and by which test")
    func cells() {
        #expect(rows.count >= 9)
        for row in rows { #expect(row.count == 4 && !row.contains(""), "\(row)") }
    }

    @Test("Every place is a file of the server")
    func places() {
        for row in rows where row.count == 4 {
            let paths = row[2].matches(of: #/`([^`]+)`/#).map { String($0.1) }
            #expect(!paths.isEmpty, "\(row[0]): nothing is said to check it")
            for path in paths {
                let url = Project.file("Sources/Server/PowerAuthServer/\(path)")
                #expect(FileManager.default.fileExists(atPath: url.path), "\(row[0]): there is no \(path)")
            }
        }
    }

    @Test("Every test exists by name")
    func tests() throws {
        let tests = try TestNames(below: Project.file("Tests"))
        for row in rows where row.count == 4 {
            let names = row[3].matches(of: #/"([^"]+)"/#).map { String($0.1) }
            #expect(!names.isEmpty, "\(row[0]): no test holds it")
            #expect(tests.missing(among: names) == [], "\(row[0]) names tests that do not exist")
        }
    }

    @Test("Every limit of the settings has its row in docs/lab-server.md")
    func limits() throws {
        let page = try Project.text(of: "docs/lab-server.md")
        let declaration = try Project.text(of: "Sources/Server/PowerAuthServer/Server/TrafficLimits.swift")
        let names = declaration.matches(of: #/public var (\w+)/#).map { String($0.1) }
        #expect(!names.isEmpty)
        for name in names { #expect(page.contains(name), "docs/lab-server.md does not name \(name)") }
    }
}
