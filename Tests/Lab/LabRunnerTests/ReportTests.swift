import Foundation
import LabKit
import LabSystem
import TestSupport
import Testing

@testable import LabRunner

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Reports have the same content in every format", .endsInTime)
struct ReportTests {
    @Test("JSON survives a round trip")
    func json() throws {
        let report = JSONReport(seed: 9, seconds: 2, results: [.sample(.failed)])
        let read = try JSONDecoder().decode(JSONReport.self, from: report.rendered())
        #expect(read.version == 1)
        #expect(read.seed == 9)
        #expect(read.results.first?.failures.first?.place == "a/b.yaml:3:5")
    }

    @Test("A report is written into a pipe or a device, or through a link, without replacing it")
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
        #expect(throws: LabFailure.self) { try file("pipe").write(Data("unread".utf8)) }
        let reader = try FileDescriptor.open("\(directory)/pipe", flags: O_RDONLY | O_NONBLOCK)
        try file("pipe").write(Data("three".utf8))
        #expect(try reader.readToEnd() == Data("three".utf8))

        let full = #expect(throws: LabFailure.self) { try file("/dev/full").write(Data("four".utf8)) }
        #expect(full?.description.hasPrefix("the report /dev/full could not be written: ") == true)
        #expect(throws: BadUsage.self) { try file(directory) }
    }

    @Test("Paths and rows are quoted where a shell would change them")
    func shellWords() {
        #expect(ShellWord.quoted("Scenarios/a.yaml") == "Scenarios/a.yaml")
        #expect(ShellWord.quoted("[3]") == "'[3]'")
        #expect(ShellWord.quoted("it's") == "'it'\\''s'")
    }

    @Test("Scenarios that did not run are counted and named")
    func notRun() throws {
        var waiting = ScenarioResult.sample(.passed)
        waiting.verdict = .notRun
        let terminal = TerminalReport(isColoured: false)
        #expect(
            terminal.summary(
                [.sample(.passed), waiting], seconds: 2, seed: 5, directory: nil, showsCosts: false)
                == "1 passed, 1 not run in 2.00 s, seed 5\n")
        let document = try XMLDocument(data: Data(JUnitReport.render([waiting], seconds: 2).utf8))
        #expect(try document.nodes(forXPath: "//testcase/error[@message='not run'][@type='notRun']").count == 1)
        #expect(document.rootElement()?.attribute(forName: "errors")?.stringValue == "1")
        let json = try JSONReport(seed: 1, seconds: 1, results: [waiting]).rendered()
        #expect(String(decoding: json, as: UTF8.self).contains("\"verdict\" : \"notRun\""))
    }

    @Test("Rounds that differ are summarised with the seeds of those that did not pass")
    func flakiness() {
        let terminal = TerminalReport(isColoured: false)
        func round(_ number: Int, _ verdict: Verdict) -> ScenarioResult {
            var round = ScenarioResult.sample(verdict)
            (round.round, round.seed) = (number, UInt64(100 + number))
            if number > 1 { round.id += "~\(number)" }
            return round
        }
        #expect(
            terminal.flakiness([round(1, .passed), round(2, .failed), round(3, .passed), round(4, .inconclusive)])
                == "a/b.yaml: 2 of 4 rounds passed; the others with seeds 102, 104\n")
        #expect(
            terminal.flakiness([round(1, .passed), round(2, .failed), round(3, .notRun)])
                == "a/b.yaml: 1 of 2 rounds passed; the others with seed 102\n")
        #expect(terminal.flakiness([round(1, .passed), round(2, .passed)]) == "")
        #expect(terminal.flakiness([round(1, .failed)]) == "")
    }

    @Test("No text in a result controls the terminal")
    func controls() {
        var result = ScenarioResult.sample(.failed)
        result.name = "A \u{1B}[31mred\u{1B}[0m\nname"
        result.id = "a\u{1B}]0;title\u{7}.yaml"
        result.quarantine = "\u{9B}2J"
        result.failures[0].reason = "it said \u{1B}[2J"
        result.failures[0].trace = ["main#1 \u{1B}c"]
        result.failures[0].includedAt = ["\u{1B}[31msteps.yaml:1:1"]
        result.failures[0].differences = [
            Difference(
                path: "\u{1B}", expected: "\u{1B}", actual: "\r", place: "\u{1B}", hint: "\u{1B}",
                excerpt: "\u{1B}")
        ]
        let text = TerminalReport(isColoured: false).render(result)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) })
        #expect(text.contains("A \\u001B[31mred\\u001B[0m name"), "\(text)")
    }

    @Test("The summary counts verdicts and shows the runner's own cost")
    func summary() {
        let text = TerminalReport(isColoured: false).summary(
            [.sample(.passed), .sample(.failed)], seconds: 2, seed: 5, directory: "/d")
        #expect(
            text == """
                step overhead: median 0.40 ms, p99 0.40 ms over 4 commands
                launch to first answer: median 20.00 ms, longest 20.00 ms over 2 processes
                ✗ A <b> & "c" \\u0001  a/b.yaml
                    a/b.yaml:3:5: main: x: it failed with <x> & ]]>\\u001B[0m
                    state: expected "ACTIVE", actual "BLOCKED"
                1 passed, 1 failed in 2.00 s, seed 5, recorded in /d

                """)
    }

    @Test("A run of several scenarios ends with those that did not pass and why; at most twenty")
    func recap() {
        let terminal = TerminalReport(isColoured: false)
        var failed = ScenarioResult.sample(.failed)
        failed.failures[0].reason = "no answer"
        failed.failures[0].causes = ["the server was stopped", "it was not started"]
        var waiting = ScenarioResult.sample(.passed)
        waiting.verdict = .notRun
        let known = ScenarioResult.sample(.failed, quarantine: "known")
        #expect(
            terminal.recap([.sample(.passed), failed, waiting, known]) == [
                "✗ A <b> & \"c\" \\u0001  a/b.yaml", "    a/b.yaml:3:5: main: x: no answer",
                "    because the server was stopped",
            ])
        #expect(terminal.recap([failed]) == [])
        for count in Sizes.ofBatches(20) {
            let many = terminal.recap(Array(repeating: failed, count: count))
            #expect(many.count == 3 * min(count, 20) + (count > 20 ? 1 : 0))
            #expect((many.last == "and \(count - 20) more, above") == (count > 20))
        }
    }
}
