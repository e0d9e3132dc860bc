import Foundation
import TestSupport
import Testing

/// Checks the source of the vocabulary, which a test at run time cannot see.
@Suite("Source of the vocabulary", .endsInTime)
struct VocabularySourceTests {
    private let files: [SourceText]

    init() throws {
        files = try Repository.swiftFiles(below: "Sources/Lab/LabKit/Vocabulary")
    }

    @Test("No meaning is written twice")
    func meaningsStandOnce() {
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

    @Test("Every declared command is in the vocabulary")
    func commandsAreListed() {
        let text = files.map(\.text).joined()
        let declared = text.matches(of: /public struct (\w+): Command \{/).map { String($0.1) }
        #expect(declared.count > 80, "the commands were not found")
        for name in declared {
            #expect(text.contains("\(name).self"), "\(name) stands in none of the lists of `Vocabulary`")
        }
    }
}
