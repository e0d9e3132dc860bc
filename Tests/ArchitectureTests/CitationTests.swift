// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Citations of the specification resolve", .endsInTime)
struct CitationTests {
    /// The only file that may hold wrong citations: this one, to show that they are found.
    private static let ownPath = "Tests/ArchitectureTests/CitationTests.swift"

    private static let read = Result { try Chapter.all() }

    private let chapters: [String: Chapter]

    init() throws { chapters = try Self.read.get() }

    @Test func `Every citation of every file names a place that exists`() throws {
        #expect(chapters.count == 11)
        var count = 0
        for file in try Repository.textFiles() where file.path != Self.ownPath {
            for block in file.blocks {
                let citations = citations(in: block)
                for mistake in mistakes(in: block, with: citations, of: file.path) {
                    Issue.record("\(file.path):\(block.line): \(mistake)")
                }
                count += citations.count
            }
        }
        #expect(count > 600, "citations are no longer found")
    }

    @Test(
        arguments: [
            ("sdk.md, section 99", "there is no section 99"),
            ("sdk.md, sections 5.1, 5.2 and 5.99", "there is no section 5.99"),
            ("sdk.md, section 15, item 99", "section 15 has no item 99"),
            ("watch.md, section 6.6, item 1", "section 6.6 has more than one item 1"),
            ("sharing.md, D7 and D999", "it has no D999"),
            ("sdk.md 5.5", "not in the form"), ("sdk.md, 5.5", "not in the form"), ("sdk.md §5", "not in the form"),
            ("protocol-4.md, section 99", "there is no section 99"), ("sdk.md, section 15, row 5", "not in the form"),
            ("`sdk.md` section 5", "not in the form"),
            ("sdk.md, sections 5.1, 5.2", "not in the form"), ("as section 5.1 says", "names no chapter"),
            ("as §5.1 says", "names no chapter"),
        ])
    func `Wrong citations are found`(text: String, objection: String) {
        let found = mistakes(in: TextBlock(line: 1, text: text), of: "Sources/Any.swift")
        #expect(found.contains { $0.contains(objection) }, "\(found)")
    }

    @Test(
        arguments: [
            "sdk.md", "protocol-4.md, section 3", "sdk.md, section 5.5",
            "sdk.md, sections 5.1 to 5.5 and section 15, items 1, 2 and 3).",
            "sdk.md, sections 5.1, 5.3 and 5.5 to 5.7",
            "sharing.md, section 3.7, steps 5 and 6)", "sharing.md, D7", "sharing.md, section 3.2, and I-8",
            "watch.md, P1 to P4", "RFC 7515, section 2", "docs/spec/sdk.md 5",
            "[5.1](sdk.md#51-powerauthconfiguration)",
        ])
    func `Right citations are accepted`(text: String) {
        #expect(mistakes(in: TextBlock(line: 1, text: text), of: "Sources/Any.swift") == [])
    }

    private func citations(in block: TextBlock) -> [Citation] {
        Citation.all(in: block.text) { chapters[$0] != nil }
    }

    private func mistakes(in block: TextBlock, of path: String) -> [String] {
        mistakes(in: block, with: citations(in: block), of: path)
    }

    private func mistakes(in block: TextBlock, with citations: [Citation], of path: String) -> [String] {
        var mistakes: [String] = []
        for citation in citations {
            let quoted = "\"\(block.text[citation.range])\""
            if citation.isMalformed { mistakes.append("\(quoted) goes on, but not in the form of CONTRIBUTING.md") }
            for place in citation.places {
                guard let objection = chapters[citation.chapter]?.objection(to: place) else { continue }
                mistakes.append("\(quoted): \(objection)")
            }
        }
        // The chapters cite their own sections; all other files also name the chapter.
        let home = path.hasPrefix("docs/spec/") ? chapters[String(path.dropFirst("docs/spec/".count))] : nil
        for reference in block.bareReferences where !citations.contains(where: { $0.range.contains(reference.at) }) {
            guard let home else {
                mistakes.append("\"\(reference.text)\" names no chapter")
                continue
            }
            if let objection = home.objection(to: .section(reference.section)) {
                mistakes.append("\"\(reference.text)\": \(objection)")
            }
        }
        return mistakes
    }
}
