// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import TestSupport
import Testing

@Suite("Links and references of pages resolve", .endsInTime)
struct PageTests {
    private let pages: [SourceText]

    init() throws { pages = try Repository.textFiles().filter { $0.path.hasSuffix(".md") } }

    @Test func `Every link of a page has its file and its heading`() throws {
        let headings = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, $0.anchors) })
        var count = 0
        for page in pages {
            let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
            for link in page.links where !link.contains("://") {
                count += 1
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let target = parts[0].isEmpty ? page.path : Self.normalized("\(folder)/\(parts[0])")
                let url = Project.file(target)
                #expect(FileManager.default.fileExists(atPath: url.path), "\(page.path) links to \(link)")
                guard parts.count == 2, let anchors = headings[target] else { continue }
                #expect(anchors.contains(parts[1]), "\(page.path) links to \(link): no such heading")
            }
        }
        #expect(count > 250, "links are no longer found")
    }

    @Test func `Every picture of a page is made by 'make pictures', and every made one is on a page`() throws {
        let made = try Project.text(of: "Tools/scripts/pictures").matches(of: #/[a-z-]+\.png/#).map { String($0.0) }
        let shown = pages.flatMap { $0.text.matches(of: #/!\[[^\]]+\]\([^)]*?([^\/)]+\.png)\)/#).map { String($0.1) } }
        #expect(made.count >= 5 && Set(shown) == Set(made))
    }

    @Test func `The README of each folder of docs links to every page in it`() throws {
        #expect(try #require(pages.first { $0.path == "README.md" }).links.contains("docs/README.md"))
        for folder in ["docs", "docs/spec"] {
            let links = try #require(pages.first { $0.path == "\(folder)/README.md" }).links
            for page in pages where page.path.hasPrefix("\(folder)/") && page.path != "\(folder)/README.md" {
                let name = String(page.path.dropFirst(folder.count + 1))
                guard !name.contains("/") else { continue }
                #expect(links.contains(name), "\(folder)/README.md does not link to \(name)")
            }
        }
    }

    @Test func `Every quirk has its row in docs/quirks.md`() throws {
        let page = try Project.text(of: "docs/quirks.md")
        for quirk in Quirk.allCases { #expect(page.contains("`\(quirk)`"), "docs/quirks.md does not name \(quirk)") }
    }

    @Test
    func `Every defect of sharing has one row, in order, that decides it and names switches and scenarios that exist`()
        throws
    {
        let page = try Project.text(of: "docs/quirks.md")
        let numbers = try Project.text(of: "docs/spec/sharing.md").matches(of: #/\n\| (D\d+) \|/#)
            .map { String($0.1) }
        #expect(numbers.count == 30)
        let rows = page.split(separator: "\n").compactMap { line -> [String]? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.first?.wholeMatch(of: #/D\d+/#) == nil ? nil : cells
        }
        #expect(rows.compactMap(\.first) == numbers)

        let scenarios = try Repository.textFiles().filter { $0.path.hasPrefix("Scenarios/") }
        for row in rows {
            let decision = row.count > 3 ? row[3] : ""
            #expect(
                decision.contains(/^(`|none: )/) || row[2].hasPrefix("the same"),
                "\(row[0]) has neither a switch nor a reason for none, and is not kept")
            for name in decision.matches(of: #/`((?:sharing|sdk)\.\w+)`/#).map({ String($0.1) }) {
                #expect(Quirk(rawValue: name) != nil, "\(row[0]) names the switch \(name), which does not exist")
            }
            for path in decision.matches(of: #/Scenarios/[\w\/*-]+(?:\.yaml)?/#).map({ String($0.0) }) {
                let start = path.prefix { $0 != "*" }
                #expect(scenarios.contains { $0.path.hasPrefix(start) }, "\(row[0]) names \(path), which is not there")
            }
        }
        for quirk in Quirk.allCases where quirk.rawValue.hasPrefix("sharing.") {
            for way in ["(with quirk \(quirk))", "(without quirk \(quirk))"] {
                let isShown = scenarios.contains { $0.path.hasPrefix("Scenarios/quirks/") && $0.text.contains(way) }
                #expect(isShown, "no scenario of Scenarios/quirks is named \"… \(way)\"")
            }
        }
    }

    @Test func `The Swift samples of README import library products only`() throws {
        let manifest = try Project.text(of: "Package.swift")
        let products = manifest.matches(of: #/\.library\(name: "(\w+)"/#).map { String($0.1) }
        let samples = try Project.text(of: "README.md").components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        #expect(!samples.isEmpty)
        for name in samples.flatMap({ $0.matches(of: #/(?m)^import (\w+)/#).map { String($0.1) } }) {
            #expect(products.contains(name) || ["Foundation", "Testing"].contains(name), "README imports \(name)")
        }
    }

    private static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}

extension SourceText {
    /// The targets of a page's links, outside of blocks of code.
    fileprivate var links: [String] {
        prose.flatMap { line in line.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.1) } }
    }

    /// The names by which links reach the headings of a page.
    fileprivate var anchors: Set<String> {
        var anchors: Set<String> = []
        for line in prose {
            guard let heading = line.prefixMatch(of: #/#{1,6} /#) else { continue }
            let kept = line[heading.range.upperBound...].lowercased().filter {
                $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " "
            }
            let anchor = kept.replacing(" ", with: "-")
            anchors.insert(anchors.contains(anchor) ? "\(anchor)-1" : anchor)
        }
        return anchors
    }

    private var prose: [Substring] {
        var isCode = false
        return text.split(separator: "\n").filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode
        }
    }
}
