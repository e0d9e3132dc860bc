// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The compiler sees that each entry of the lists is declared once; that code uses it, only the source shows.
@Suite("The fault points, events and quirks of the lab are used", .endsInTime)
struct PointUseTests {
    private static let declarations = "Sources/System/LabPoints/"

    @Test func `Every event that a scenario can wait for is emitted by some code`() throws {
        try expect(entries(of: "TraceEventName"), in: members(ofCalls: #/\b(?:emit|trace)\(/#), "emits")
    }

    @Test func `Every quirk is a decision of some code`() throws {
        try expect(entries(of: "Quirk"), in: members(ofCalls: #/\bkeeps\(/#), "keeps")
    }

    @Test func `Every fault point is passed by some code`() throws {
        // `LabTools` explains the points and draws from them; it passes none.
        let users = try sources().filter { $0.module != "LabTools" }
        let points = try entries(of: "FaultPoint")
        expect(points, in: Set(points.filter { point in users.contains { $0.text.contains(".\(point)") } }), "passes")
    }

    private func expect(_ entries: [String], in used: Set<String>, _ verb: String) {
        #expect(entries.count > 20)
        for name in entries where !used.contains(name) {
            Issue.record("no code \(verb) `\(name)`; do it, or remove the entry")
        }
    }

    private func entries(of list: String) throws -> [String] {
        try Project.text(of: "\(Self.declarations)\(list).swift").matches(of: #/(?m)^    case (\w+) = "/#)
            .map { String($0.1) }
    }

    private func sources() throws -> [SourceText] {
        try Repository.swiftFiles(below: "Sources").filter { !$0.path.hasPrefix(Self.declarations) }
    }

    /// The `.member` arguments of all calls that begin with a pattern, in all sources.
    private func members(ofCalls begin: Regex<Substring>) throws -> Set<String> {
        var members: Set<String> = []
        for file in try sources() {
            let code = file.codeLines.map(\.text).joined(separator: "\n")
            // Simple boundaries: in Unicode's sense `sandbox.trace` is one word.
            for call in code.matches(of: begin.wordBoundaryKind(.simple)) {
                var depth = 1
                let arguments = code[call.range.upperBound...].prefix { character in
                    if character == "(" { depth += 1 }
                    if character == ")" { depth -= 1 }
                    return depth > 0
                }
                members.formUnion(arguments.matches(of: /\.(\w+)/).map { String($0.1) })
            }
        }
        return members
    }
}
