// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import Yams

@Suite("The descriptions of mutants fit the code", .endsInTime)
struct MutantTests {
    /// The fields of a description that the test needs; docs/mutants.md lists all.
    private struct Mutant: Decodable {
        let name: String
        let file: String
        let original: String
        let tests: String
    }

    /// The mutants by the module whose page describes them.
    private let pages: [String: [Mutant]]

    init() throws {
        let directory = Project.file("Tools/Mutants")
        var pages: [String: [Mutant]] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        where file.pathExtension == "yaml" {
            let text = try String(contentsOf: file, encoding: .utf8)
            pages[file.deletingPathExtension().lastPathComponent] = try YAMLDecoder().decode([Mutant].self, from: text)
        }
        self.pages = pages
    }

    @Test func `Every fragment occurs exactly once in a file of its module`() throws {
        #expect(pages.values.joined().count >= 40)
        for (module, mutants) in pages {
            let folder = try #require(Repository.modules[module], "there is no module \(module)")
            for mutant in mutants {
                #expect(mutant.file.hasPrefix("\(folder)/"), "\(mutant.name): \(mutant.file)")
                let count = try Project.text(of: mutant.file).ranges(of: mutant.original).count
                #expect(count == 1, "\(mutant.name): its original occurs \(count) times in \(mutant.file)")
            }
        }
    }

    @Test func `No two fragments overlap: all mutants are in one build`() throws {
        for (file, mutants) in Dictionary(grouping: pages.values.joined(), by: \.file) {
            let text = try Project.text(of: file)
            let places = mutants.compactMap { mutant in text.range(of: mutant.original).map { (mutant.name, $0) } }
                .sorted { $0.1.lowerBound < $1.1.lowerBound }
            for (one, next) in zip(places, places.dropFirst()) where one.1.overlaps(next.1) {
                Issue.record("\(one.0) and \(next.0) overlap in \(file)")
            }
        }
    }

    @Test func `No two mutants have one name`() {
        let names = pages.values.joined().map(\.name)
        for name in Set(names) where names.count(where: { $0 == name }) > 1 {
            Issue.record("\(name) is the name of several mutants")
        }
    }

    @Test func `The tests of a mutant exist, and read something else than the repository's text`() throws {
        let suites = try Repository.swiftFiles(below: "Tests").flatMap { file in
            file.text.matches(of: #/\b(?:struct|class) (\w+Tests)\b/#).map { "\(file.module).\($0.1)" }
        }
        for mutant in pages.values.joined() {
            let tests = try Regex(mutant.tests)
            let found = suites.filter { $0.contains(tests) }
            #expect(!found.isEmpty, "\(mutant.name): no suite fits \(mutant.tests)")
            #expect(!found.contains { $0.hasPrefix("ArchitectureTests.") }, "\(mutant.name): \(mutant.tests)")
        }
    }

    @Test
    func `The line of every mutant that counts as equivalent is in its file, and its reason is written down`() throws {
        struct Equivalent: Decodable {
            let file: String
            let line: String
            let reason: String
        }
        let text = try Project.text(of: "Tools/Mutants/Random/equivalent.yaml")
        for entry in try YAMLDecoder().decode([Equivalent].self, from: text) {
            let lines = try Project.text(of: entry.file).split(separator: "\n")
            let isThere = lines.contains { $0.trimmingCharacters(in: .whitespaces) == entry.line }
            #expect(isThere, "\(entry.file) no longer has the line: \(entry.line)")
            #expect(entry.reason.hasSuffix("."), "\(entry.file): \(entry.line)")
        }
    }
}
