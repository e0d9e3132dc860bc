// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabFile
import LabPoints
import ScenarioEngine
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioLanguage

@Suite("Every error in a file has its exact diagnostic", .endsInTime)
struct DiagnosticGoldenTests {
    @Test(arguments: TestFiles.cases(in: "Golden")) func `The output matches the recorded one`(of name: String) {
        let directory = "\(TestFiles.directory)/Golden/\(name)"
        let outcome = Self.read(name)
        let found = outcome.diagnostics + outcome.warnings
        let text = DiagnosticRenderer(secrets: outcome.secrets).render(found)
        GoldenFile(path: "\(directory)/expected.txt").check(
            text.replacing("\(TestFiles.directory)/Golden/\(name)/", with: ""))
        #expect(!found.isEmpty, "a golden case must hold a mistake")
        #expect(outcome.scenarios.isEmpty != outcome.diagnostics.isEmpty, "a file with mistakes gives no scenario")
    }

    @Test func `Diagnostics are sorted by place`() {
        for name in TestFiles.cases(in: "Golden") {
            let places = Self.read(name).diagnostics.filter { $0.place.file.path.hasSuffix("scenario.yaml") }
                .map(\.place.range.start)
            #expect(places == places.sorted(), "\(name)")
        }
    }

    @Test func `Every diagnostic has a golden file`() throws {
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

@Suite("Every kind of step failure has its exact explanation", .endsInTime)
struct FailureGoldenTests {
    @Test(arguments: TestFiles.cases(in: "Failures"))
    func `The output matches the recorded one`(of name: String) async throws {
        let directory = "\(TestFiles.directory)/Failures/\(name)"
        let text = try String(contentsOfFile: "\(directory)/scenario.yaml", encoding: .utf8)
        let answers = try? Data(contentsOf: URL(filePath: "\(directory)/answers.json"))
        let run = try await FakeRun(
            file: SourceFile(path: "scenario.yaml", text: text),
            answers: try answers.map { try FakeAnswers(json: $0) } ?? FakeAnswers()
        ) { lab in
            if name == "last-events" { try lab.emit(.stateSaved, of: "main", ["bytes": 120]) }
        }
        let report = TerminalReport(isColoured: false).render(run.result)
        GoldenFile(path: "\(directory)/expected.txt").check(Self.normalised(report))
        #expect(run.result.verdict != .passed)
    }

    /// Times and counts of attempts differ between runs.
    static func normalised(_ text: String) -> String {
        text.replacing(/[0-9]+(\.[0-9]+)? (ms|s)\b/, with: "N ms").replacing(/[0-9]+ attempts/, with: "N attempts")
    }
}
