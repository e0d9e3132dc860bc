// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Checks the source of the vocabulary, which a test at run time cannot see.
@Suite("Source of the vocabulary", .endsInTime)
struct VocabularySourceTests {
    private let files: [SourceText]

    init() throws { files = try Repository.swiftFiles(below: "Sources/Lab/LabVocabulary/Commands") }

    @Test func `No meaning is written twice`() {
        var places: [String: [String]] = [:]
        for file in files {
            // A sentence between quotes: a meaning or a summary.
            for match in file.text.matches(of: /"([A-Z`][^"]*\.)"/) {
                places[String(match.1), default: []].append(file.path)
            }
        }
        #expect(places.count > 100, "the sentences were not found")
        for (sentence, paths) in places where paths.count > 1 {
            Issue.record("\"\(sentence)\" stands in \(paths.joined(separator: " and ")); share it as a `Meaning`")
        }
    }

    @Test func `Every declared command is in the vocabulary`() {
        let text = files.map(\.text).joined()
        let declared = text.matches(of: /public struct (\w+): Command \{/).map { String($0.1) }
        #expect(declared.count > 80, "the commands were not found")
        for name in declared {
            #expect(text.contains("\(name).self"), "\(name) stands in none of the lists of `Vocabulary`")
        }
    }

    @Test func `What a file of commands declares is answered in the file of handlers with the same subject`() throws {
        let declarations = Self.files(files, ending: "Commands.swift")
        let handlers = Self.files(try Repository.swiftFiles(below: "Sources"), ending: "Handlers.swift")
        #expect(declarations.map(\.subject).sorted() == handlers.map(\.subject).sorted())
        for (subject, text) in declarations {
            let answers = handlers.filter { $0.subject == subject }.map(\.text).joined()
            // Only the watch app has an SDK that can do it: `WatchApp` answers.
            for match in text.matches(of: /public struct (\w+): Command \{/) where match.1 != "UpdateActivationStatus" {
                let isAnswered = ["(", "."].contains { answers.contains("\($0)\(match.1).self") }
                #expect(isAnswered, "\(match.1) is declared in \(subject)Commands, not answered in \(subject)Handlers")
            }
        }
    }

    private static func files(_ files: [SourceText], ending end: String) -> [(subject: String, text: String)] {
        files.filter { $0.path.hasSuffix(end) }.map { file in
            (String((file.path.split(separator: "/").last ?? "").dropLast(end.count)), file.text)
        }
    }
}
