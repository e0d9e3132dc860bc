import Foundation
import LabFile
import LabKit
import TestSupport
import Testing

@testable import LabRunner

@Suite("Every kind of step failure has its exact explanation", .endsInTime)
struct FailureGoldenTests {
    @Test("The output matches the recorded one", arguments: TestFiles.cases(in: "Failures"))
    func printOut(of name: String) async throws {
        let directory = "\(TestFiles.directory)/Failures/\(name)"
        let text = try String(contentsOfFile: "\(directory)/scenario.yaml", encoding: .utf8)
        let answers = try? Data(contentsOf: URL(filePath: "\(directory)/answers.json"))
        let run = try await onThread {
            try FakeRun(
                file: SourceFile(path: "scenario.yaml", text: text),
                answers: try answers.map { try FakeAnswers(json: $0) } ?? FakeAnswers()
            ) { lab in
                if name == "last-events" { try lab.emit(.stateSaved, of: "main", ["bytes": 120]) }
            }
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
