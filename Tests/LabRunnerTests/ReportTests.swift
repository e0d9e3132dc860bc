import Foundation
import LabKit
import LabSystem
import TestSupport
import Testing

@testable import LabRunner

@Suite("Reports say the same in every form", .endsInTime)
struct ReportTests {
    @Test("JSON is read back as what was written")
    func json() throws {
        let report = JSONReport(seed: 9, seconds: 2, results: [.sample(.failed)])
        let read = try JSONDecoder().decode(JSONReport.self, from: report.rendered())
        #expect(read.version == 1)
        #expect(read.seed == 9)
        #expect(read.results.first?.failures.first?.place == "a/b.yaml:3:5")
    }

    @Test("A report is written into a pipe, a device or through a link; none of them is replaced")
    func specialFiles() throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.path
        func file(_ name: String) throws -> ReportFile {
            try ReportFile(
                RunOptions.Report(format: .json, path: name.hasPrefix("/") ? name : "\(directory)/\(name)"), inputs: [])
        }
        try file("new.json").write(Data("one".utf8))
        try Files.symlink("\(directory)/link.json", to: "new.json")
        try file("link.json").write(Data("two".utf8))
        #expect(try Files.read("\(directory)/new.json") == Data("two".utf8))
        #expect(try Files.readLink("\(directory)/link.json") == "new.json")

        #expect(mkfifo("\(directory)/pipe", 0o600) == 0)
        #expect(throws: LabFailure.self) { try file("pipe").write(Data("nobody".utf8)) }
        let reader = try FileDescriptor.open("\(directory)/pipe", flags: O_RDONLY | O_NONBLOCK)
        try file("pipe").write(Data("three".utf8))
        #expect(try reader.readToEnd() == Data("three".utf8))

        let full = #expect(throws: LabFailure.self) { try file("/dev/full").write(Data("four".utf8)) }
        #expect(full?.description.hasPrefix("the report /dev/full could not be written: ") == true)
        #expect(throws: BadUsage.self) { try file(directory) }
    }

    @Test("Paths and rows are quoted when a shell would read them otherwise")
    func shellWords() {
        #expect(ShellWord.quoted("Scenarios/a.yaml") == "Scenarios/a.yaml")
        #expect(ShellWord.quoted("[3]") == "'[3]'")
        #expect(ShellWord.quoted("it's") == "'it'\\''s'")
    }

    @Test("The summary counts verdicts and shows the runner's own cost")
    func summary() {
        let text = TerminalReport(isColoured: false).summary(
            [.sample(.passed), .sample(.failed)], seconds: 2, seed: 5, directory: "/d")
        #expect(
            text == """
                1 passed, 1 failed in 2.00 s, seed 5
                step overhead: median 0.40 ms, p99 0.40 ms over 4 commands
                launch to first answer: median 20.00 ms, longest 20.00 ms over 2 processes
                recorded in /d

                """)
    }
}
