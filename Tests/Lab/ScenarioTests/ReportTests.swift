// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Reports have the same content in every format", .endsInTime)
struct ReportTests {
    @Test func `JSON survives a round trip`() throws {
        let report = JSONReport(seed: 9, seconds: 2, results: [.sample(.failed)])
        let read = try JSONDecoder().decode(JSONReport.self, from: report.rendered())
        #expect(read.version == 1)
        #expect(read.seed == 9)
        #expect(read.results.first?.failures.first?.place?.description == "a/b.yaml:3:5")
    }

    @Test
    func `A failure of the scenario as a whole has an empty place in JSON, and another text is not a place`() throws {
        var result = ScenarioResult.sample(.failed)
        result.failures[0].place = nil
        let written = try JSONValue(encoding: result)
        #expect(written["failures"]?[0]?["place"] == "")
        let read = try JSONDecoder().decode(ScenarioResult.self, from: written.encoded())
        #expect(try #require(read.failures.first).place == nil)
        let other = Data("[\"a.yaml:4\"]".utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([ReportedPlace].self, from: other) }
    }

    @Test func `Every member of a report survives a round trip, except the time that the runner itself took`() throws {
        var result = ScenarioResult.sample(.failed, quarantine: "known")
        result.remark = "a remark"
        result.round = 2
        let place = ReportedPlace(file: "a/b.yaml", line: 4, column: 5)
        result.skipped = [SkippedStep(step: "2", title: "main: x", place: place, reason: "no", times: 3)]
        var failure = try #require(result.failures.first)
        (failure.sentence, failure.row, failure.explain) = ("a sentence", "a row", "networkError")
        (failure.sharing, failure.link) = ("lab inspect sharing", "lab inspect link")
        (failure.includedAt, failure.details) = ([place], ["a detail"])
        (failure.causes, failure.events) = (["a cause"], ["an event"])
        failure.passed = EarlierPass(run: "a run", comparison: "lab diff")
        failure.actor = "main"
        result.failures = [failure]
        let circumstances = RunCircumstances(
            version: "1", arguments: ["run", "a.yaml"], began: "2026-03-01T09:30:01Z", cores: 2, system: "Linux",
            commit: "abc", isModified: true)
        let report = JSONReport(
            seed: 9, seconds: 2, results: [result], shard: ShardRecord(number: 1, count: 2, suite: ["a", "b"]),
            circumstances: circumstances)
        let written = try report.rendered()
        let read = try JSONDecoder().decode(JSONReport.self, from: written)
        #expect(try read.rendered() == written)
        #expect(read.circumstances == circumstances && read.shard == report.shard && read.seed == 9)
        let again = try #require(read.results.first)
        #expect(again.overheads == [] && again.launches == result.launches && again.skipped?.first?.times == 3)
        #expect(again.failures.first?.passed == failure.passed && again.failures.first?.actor == nil)
    }

    @Test
    func `A failure of a step leads those of the scenario as a whole, and its place is that of the result`() throws {
        var result = ScenarioResult.sample(.failed, id: "a.yaml~3")
        result.round = 3
        #expect(result.scenario == "a.yaml")
        let step = try #require(result.failures.first)
        var whole = step
        (whole.place, whole.title) = (nil, "")
        result.failures = [whole, step, step]
        #expect(result.leadingFailureIndex == 1)
        #expect(result.place == ReportedPlace(file: "a/b.yaml", line: 3, column: 5))
        result.failures = [whole, whole]
        #expect(result.leadingFailureIndex == 0)
        #expect(result.place == ReportedPlace(file: "a/b.yaml", line: 1, column: 1))
        #expect(whole.headline == whole.reason && step.headline == "main: x: \(step.reason)")
        result.failures = []
        #expect(result.leadingFailure == nil)
        for label in ["", "a.yaml", "a.yaml:1", "a.yaml:1:x", "a.yaml:x:1"] {
            #expect(ReportedPlace(rawValue: label) == nil)
        }
        #expect(ReportedPlace(rawValue: "a:b:1:2") == ReportedPlace(file: "a:b", line: 1, column: 2))
    }

    @Test func `A report is written into a pipe or a device, or through a link, without replacing it`() throws {
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
        let unread = #expect(throws: LabFailure.self) { try file("pipe").write(Data("unread".utf8)) }
        #expect(unread?.description.hasSuffix("/pipe could not be written: the pipe has no reader") == true)
        let reader = try FileDescriptor.open("\(directory)/pipe", flags: O_RDONLY | O_NONBLOCK)
        try file("pipe").write(Data("three".utf8))
        #expect(try reader.readToEnd() == Data("three".utf8))

        let full = #expect(throws: LabFailure.self) { try file("/dev/full").write(Data("four".utf8)) }
        #expect(full?.description.hasPrefix("the report /dev/full could not be written: ") == true)
        #expect(full?.description.contains("reader") == false)
        #expect(throws: BadUsage.self) { try file(directory) }
    }

    @Test func `A report that cannot be written, or would overwrite what is read, is refused before the run`() throws {
        let temporary = try TemporaryDirectory()
        for name in ["read.txt", "other.yaml", "old.json"] { try Files.touch(temporary.file(name)) }
        try Files.symlink(temporary.file("link.json"), to: "read.txt")
        try Files.symlink(temporary.file("new.json"), to: "old.json")
        func refusal(_ paths: String...) -> String? {
            let reports = paths.map {
                RunOptions.Report(format: .json, path: $0.hasPrefix("/") ? $0 : temporary.file($0))
            }
            let error = thrown {
                _ = try ReportFile.check(reports, inputs: [temporary.file("read.txt"), temporary.file("missing")])
            }
            return error.map { "\($0)".replacing("\(temporary.path)/", with: "") }
        }
        let overwrites = "it would overwrite a file that the lab reads; give the report a name of its own"
        let reasons = [
            "read.txt": overwrites, "link.json": overwrites, "other.yaml": overwrites,
            "none/a.json": "there is no directory none", "/dev/fd/99999": "there is no such open descriptor",
        ]
        for (path, reason) in reasons {
            #expect(refusal(path) == "the report \(path) cannot be written: \(reason)")
        }
        #expect(refusal("old.json") == nil && refusal("not-there.json") == nil && refusal("a.json", "b.json") == nil)
        #expect(refusal("/dev/null", "/dev/null") == nil, "a device takes one after the other")
        for second in ["old.json", "new.json"] {
            #expect(refusal("old.json", second) == "two reports would be written to \(second); give each its own file")
        }
    }

    @Test func `A path that means a descriptor of the process is one`() {
        let numbers: [(String, Int32?)] = [
            ("-", 1), ("/dev/stdout", 1), ("/dev/stderr", 2), ("/dev/fd/7", 7), ("/proc/self/fd/8", 8),
            ("/dev/fd/x", nil), ("/dev/fd", nil), ("stdout", nil), ("/dev/null", nil),
        ]
        for (path, number) in numbers {
            #expect(RunOptions.Report(format: .json, path: path).descriptor == number, "\(path)")
        }
    }

    @Test func `Paths and rows are quoted where a shell would change them`() {
        #expect(ShellWord.quoted("Scenarios/a.yaml") == "Scenarios/a.yaml")
        #expect(ShellWord.quoted("[3]") == "'[3]'")
        #expect(ShellWord.quoted("it's") == "'it'\\''s'")
    }

    @Test func `Scenarios that did not run are counted and named`() throws {
        var waiting = ScenarioResult.sample(.passed)
        waiting.verdict = .notRun
        let terminal = TerminalReport(isColoured: false)
        #expect(
            terminal.summary([.sample(.passed), waiting], seconds: 2, seed: 5, directory: nil, showsCosts: false)
                == "1 passed, 1 not run in 2.00 s, seed 5\n")
        let document = try XMLDocument(data: Data(JUnitReport.render([waiting], seconds: 2).utf8))
        #expect(try document.nodes(forXPath: "//testcase/error[@message='not run'][@type='notRun']").count == 1)
        #expect(document.rootElement()?.attribute(forName: "errors")?.stringValue == "1")
        let json = try JSONReport(seed: 1, seconds: 1, results: [waiting]).rendered()
        #expect(String(decoding: json, as: UTF8.self).contains("\"verdict\": \"notRun\""))
    }

    @Test func `Rounds that differ are summarised with the seeds of those that did not pass`() {
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

    @Test func `No text in a result controls the terminal`() {
        var result = ScenarioResult.sample(.failed)
        result.name = "A \u{1B}[31mred\u{1B}[0m\nname"
        result.id = "a\u{1B}]0;title\u{7}.yaml"
        result.quarantine = "\u{9B}2J"
        result.failures[0].reason = "it said \u{1B}[2J"
        result.failures[0].trace = ["main#1 \u{1B}c"]
        let place = ReportedPlace(file: "\u{1B}[31msteps.yaml", line: 1, column: 1)
        result.failures[0].includedAt = [place]
        var failure = result.failures[0]
        (failure.title, failure.sentence, failure.place) = ("\u{1B}t", "\u{1B}s", place)
        (failure.source, failure.row, failure.details) = ("> 1 | \u{1B}", "\u{1B}r", ["\u{1B}d"])
        (failure.causes, failure.events, failure.replay) = (["\u{1B}c"], ["\u{1B}e"], "\u{1B}")
        failure.passed = EarlierPass(run: "\u{1B}", comparison: "\u{1B}")
        result.failures[0] = failure
        result.remark = "\u{1B}"
        result.skipped = [SkippedStep(step: "2", title: "\u{1B}", place: place, reason: "\u{1B}", times: 1)]
        result.failures[0].differences = [
            Difference(
                path: "\u{1B}", expected: "\u{1B}", actual: "\r", place: place, hint: "\u{1B}", excerpt: "\u{1B}")
        ]
        let text = TerminalReport(isColoured: false).render(result)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) })
        #expect(text.contains("A \\u001B[31mred\\u001B[0m name"), "\(text)")
    }

    @Test func `The summary counts verdicts and shows the runner's own cost`() {
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

    @Test(.verifies("size", "TerminalReport.recapLimit"))
    func `A run of several scenarios ends with those that did not pass and why; at most twenty`() {
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
