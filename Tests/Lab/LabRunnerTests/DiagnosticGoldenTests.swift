import Foundation
import LabFile
import LabKit
import LabRunner
import TestSupport
import Testing

@Suite("Every error in a file has its exact diagnostic", .endsInTime)
struct DiagnosticGoldenTests {
    @Test("The output matches the recorded one", arguments: TestFiles.cases(in: "Golden"))
    func printOut(of name: String) {
        let directory = "\(TestFiles.directory)/Golden/\(name)"
        let outcome = Self.read(name)
        let found = outcome.diagnostics + outcome.warnings
        let text = DiagnosticRenderer(secrets: outcome.secrets).render(found)
        GoldenFile(path: "\(directory)/expected.txt").check(
            text.replacing("\(TestFiles.directory)/Golden/\(name)/", with: ""))
        #expect(!found.isEmpty, "a golden case must hold a mistake")
        #expect(outcome.scenarios.isEmpty != outcome.diagnostics.isEmpty, "a file with mistakes gives no scenario")
    }

    @Test("Diagnostics are sorted by place")
    func sorted() {
        for name in TestFiles.cases(in: "Golden") {
            let places = Self.read(name).diagnostics.filter { $0.place.file.path.hasSuffix("scenario.yaml") }
                .map(\.place.range.start)
            #expect(places == places.sorted(), "\(name)")
        }
    }

    @Test("Every diagnostic has a golden file")
    func complete() throws {
        let source = try Project.text(of: "Sources/Lab/LabFile/Diagnostics/DiagnosticKind.swift")
        let declared = Set(source.matches(of: /\n    case ([a-zA-Z0-9]+)/).map { String($0.1) })
        #expect(declared.count > 40, "the declarations were not found in the source")
        var covered = Set(
            TestFiles.cases(in: "Golden").flatMap { Self.read($0).diagnostics + Self.read($0).warnings }.map(
                \.kind.identifier))
        // Its file would be a megabyte; `SourceFileTests` makes one.
        covered.insert("fileTooLarge")
        // Every case here has a lab file; `SuiteTests` have a folder without one.
        covered.insert("missingLabFile")
        #expect(declared.subtracting(covered).sorted() == [])
    }

    private static func read(_ name: String) -> SuiteReader.Outcome {
        let golden = "\(TestFiles.directory)/Golden"
        let own = "\(golden)/\(name)/lab.yaml"
        let labFile = FileManager.default.fileExists(atPath: own) ? own : "\(golden)/lab.yaml"
        return SuiteReader(labPath: labFile, environment: [:]).read(["\(golden)/\(name)/scenario.yaml"])
    }
}
