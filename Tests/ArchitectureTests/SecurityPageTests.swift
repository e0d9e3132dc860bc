// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("docs/security.md is correct", .endsInTime)
struct SecurityPageTests {
    private static let path = "docs/security.md"

    /// The cells of one row: rule, who, may, checked in, tests.
    private let rows: [[String]]

    init() throws { rows = try Project.text(of: Self.path).split(separator: "\n").compactMap { Self.row(in: $0) } }

    /// The cells of a line; nil if it is no row of a rule.
    private static func row(in line: Substring) -> [String]? {
        guard line.hasPrefix("| "), !line.hasPrefix("| rule |"), !line.hasPrefix("| --- ") else { return nil }
        return line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `Every row says its rule, who, what and where`() {
        #expect(rows.count >= 30)
        for row in rows { #expect(row.count == 5 && !row.dropLast().contains(""), "\(row)") }
        #expect(Set(rows.map { Self.rule(of: $0) }).count == rows.count, "two rules have one name")
    }

    @Test func `Every place is a file of the server`() {
        for row in rows where row.count == 5 {
            let paths = row[3].matches(of: #/`([^`]+)`/#).map { String($0.1) }
            #expect(!paths.isEmpty, "\(row[0]): nothing is said to check it")
            for path in paths {
                let url = Project.file("Sources/Server/PowerAuthServer/\(path)")
                #expect(FileManager.default.fileExists(atPath: url.path), "\(row[0]): there is no \(path)")
            }
        }
    }

    @Test func `Every rule has its tests, and the page links to their files`() throws {
        Verification.check("security.md", has: Set(rows.map { Self.rule(of: $0) }))
        let marks = Verification.all.filter { $0.list == "security.md" }
        let files = Dictionary(grouping: marks, by: \.rule).mapValues { $0.map(\.file).sorted() }
        let lines = try Project.text(of: Self.path).split(separator: "\n", omittingEmptySubsequences: false)
        let page = lines.map { line -> String in
            guard let row = Self.row(in: line) else { return String(line) }
            let links = files[Self.rule(of: row), default: []].map { file in
                "[\(URL(filePath: file).deletingPathExtension().lastPathComponent)](../\(file))"
            }
            let cells = row.prefix(4) + [links.joined(separator: ", ")]
            return "| \(cells.joined(separator: " | ")) |"
        }
        GoldenFile(path: Project.path(Self.path)).check(page.joined(separator: "\n"))
    }

    /// The name of a row's rule, which stands in backquotes.
    private static func rule(of row: [String]) -> String { row[0].replacing("`", with: "") }

    @Test func `Every limit of the settings has its row in docs/lab-server.md`() throws {
        let page = try Project.text(of: "docs/lab-server.md")
        let declaration = try Project.text(of: "Sources/Server/PowerAuthServer/Server/TrafficLimits.swift")
        let names = declaration.matches(of: #/public var (\w+)/#).map { String($0.1) }
        #expect(!names.isEmpty)
        for name in names { #expect(page.contains(name), "docs/lab-server.md does not name \(name)") }
    }
}
