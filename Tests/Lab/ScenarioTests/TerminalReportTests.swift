// SPDX-License-Identifier: Apache-2.0

import LabControl
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine

@Suite("The text of a result", .endsInTime)
struct TerminalReportTests {
    private static let plain = TerminalReport(isColoured: false)
    private static let coloured = TerminalReport(isColoured: true)
    private static let plainFailure = FailureText(isColoured: false)
    private static let colouredFailure = FailureText(isColoured: true)

    /// A failure in which every member has a value of its own.
    private static var failure: StepFailure {
        StepFailure(
            verdict: .failed, step: "3", title: "main: x", sentence: "main does x",
            place: ReportedPlace(file: "a.yaml", line: 3, column: 5),
            includedAt: [
                ReportedPlace(file: "b.yaml", line: 2, column: 3), ReportedPlace(file: "c.yaml", line: 9, column: 1),
            ], row: "rows.csv:2:1: id = \"b\"",
            source: "> 3 | - main: x\n  4 |   with: {}", reason: "it failed",
            differences: [
                Difference(
                    path: "a.b", expected: "1", actual: "2", place: ReportedPlace(file: "a.yaml", line: 4, column: 7),
                    hint: "near", excerpt: " 4 | x: 1\n   |    ^\n"),
                Difference(
                    path: "", expected: "3", actual: "4", place: ReportedPlace(file: "a.yaml", line: 5, column: 7),
                    hint: nil, excerpt: ""),
            ],
            details: ["d: 1"], causes: ["c 1", "c 2"], events: ["e 1", "e 2"], trace: ["t 1"], explain: "networkError",
            sharing: "lab inspect sharing main", link: "lab inspect link pairing",
            passed: EarlierPass(run: "20260301-093001-1a2b", comparison: "lab diff x latest"), replay: "lab run a.yaml")
    }

    @Test func `Every member of a failure has its line, always in the same order`() {
        #expect(
            Self.plainFailure.render(Self.failure) == """
                  a.yaml:3:5: failed: main: x: it failed
                      main does x
                      > 3 | - main: x
                        4 |   with: {}
                    included at b.yaml:2:3
                    included at c.yaml:9:1
                    with the row at rows.csv:2:1: id = "b"
                    - a.b: 1   expected at a.yaml:4:7
                    + a.b: 2   actual: near
                      4 | x: 1
                        |    ^
                    - 3   expected at a.yaml:5:7
                    + 4   actual
                      d: 1
                    because c 1
                    because c 2
                    what happened in this step:
                      e 1
                      e 2
                    last events:
                      t 1
                    what it means: lab explain networkError
                    what apps shared then: lab inspect sharing main
                    how the link was then: lab inspect link pairing
                    it passed in 20260301-093001-1a2b: lab diff x latest
                    run it again: lab run a.yaml
                """)
    }

    @Test func `What a failure lacks has no line, and a sentence that the source shows is not repeated`() {
        let whole = StepFailure(verdict: .inconclusive, reason: "it died", replay: "")
        #expect(Self.plainFailure.render(whole) == "  inconclusive: it died")
        var noted = whole
        (noted.title, noted.source, noted.sentence) = ("main: x", "> 3 | note: it does x", "it does x")
        #expect(Self.plainFailure.render(noted) == "  inconclusive: main: x: it died\n      > 3 | note: it does x")
    }

    @Test func `No text of a failure, and no path in its places and commands, controls the terminal`() {
        let path = "a\u{1B}[31m\u{202E}.yaml"
        var failure = Self.failure.withTexts { "\($0)\u{1B}[31m" }
        failure.place = ReportedPlace(file: path, line: 3, column: 5)
        failure.includedAt = [ReportedPlace(file: path, line: 2, column: 3)]
        failure.sharing = "lab inspect \(path) sharing main"
        failure.link = "lab inspect \(path) link pairing"
        failure.passed = EarlierPass(run: "20260301-093001-1a2b", comparison: "lab diff \(path)")
        failure.replay = "lab run \(path)"
        let text = Self.plainFailure.render(failure)
        let controls = text.unicodeScalars.filter { $0.value == 0x1B || $0.value == 0x202E }
        #expect(controls.isEmpty, "\(controls.count) of them")
        let shown = "a\\u001B[31m\\u202E.yaml"
        for line in [
            "\(shown):3:5: failed", "included at \(shown):2:3", "shared then: lab inspect \(shown) sharing main",
            "link was then: lab inspect \(shown) link pairing", "lab diff \(shown)", "run it again: lab run \(shown)",
        ] {
            #expect(text.contains(line), "\(text)")
        }
    }

    @Test func `Colours mark the verdict, the differences and the causes, and nothing else changes`() {
        let text = Self.colouredFailure.render(Self.failure)
        #expect(text.replacing(#/\u{1B}\[[0-9]*m/#, with: "") == Self.plainFailure.render(Self.failure))
        let marked = text.matches(of: #/\u{1B}\[([0-9]+)m(.*?)\u{1B}\[0m/#).map { "\($0.1) \($0.2)" }
        #expect(marked == ["31 failed", "31 - a.b: 1", "32 + a.b: 2", "31 - 3", "32 + 4", "1 because", "1 because"])
        var open = Self.failure
        open.verdict = .inconclusive
        #expect(Self.colouredFailure.render(open).contains("\u{1B}[33minconclusive\u{1B}[0m: main: x"))
        let marks = Verdict.allCases.map { Self.coloured.mark($0) }
        #expect(marks == ["32m✓", "2m-", "33m?", "31m✗"].map { "\u{1B}[\($0)\u{1B}[0m" })
    }

    @Test func `The line of a scenario has its mark, name, identifier, time and remarks`() {
        func line(_ verdict: Verdict, quarantine: String? = nil, remark: String? = nil) -> String {
            var result = ScenarioResult.sample(verdict, id: "a.yaml", name: "A", quarantine: quarantine)
            (result.failures, result.remark) = ([], remark)
            return Self.plain.render(result)
        }
        #expect(line(.passed) == "✓ A  a.yaml  1.50 s\n")
        #expect(line(.passed, quarantine: "known", remark: "remove it") == "✓ A  a.yaml  1.50 s  remove it\n")
        #expect(line(.failed, quarantine: "known") == "✗ A  a.yaml  1.50 s  quarantined: known\n")
        #expect(line(.inconclusive) == "? A  a.yaml  1.50 s\n")
        #expect(line(.notRun, remark: "no `watch`") == "- A  a.yaml  not run  no `watch`\n")
    }

    @Test func `Skipped steps come before the failures, and the page is named only below a failure`() {
        var result = ScenarioResult.sample(.failed, id: "a.yaml", name: "A")
        result.failures = [StepFailure(verdict: .failed, reason: "it died", replay: "")]
        let place = ReportedPlace(file: "a.yaml", line: 4, column: 5)
        result.skipped = [1, 3].map {
            SkippedStep(step: "2", title: "main: x", place: place, reason: "no", times: $0)
        }
        let skipped = "  a.yaml:4:5: skipped: main: x: no\n  a.yaml:4:5: skipped: main: x: no (3 times)\n"
        #expect(
            Self.plain.render(result, page: "/r/index.html") == """
                ✗ A  a.yaml  1.50 s
                \(skipped)  failed: it died
                    look at it: file:///r/index.html#s=a.yaml

                """)
        result.failures = []
        #expect(Self.plain.render(result, page: "/r/index.html") == "✗ A  a.yaml  1.50 s\n\(skipped)")
    }

    @Test func `Times are milliseconds below a second, and percentiles are measured values`() {
        let seconds: [Double] = [0, 0.9994, 1, 61.25]
        #expect(seconds.map { FailureText.seconds($0) } == ["0 ms", "999 ms", "1.00 s", "61.25 s"])
        #expect(FailureText.milliseconds(1_234_567) == "1.23 ms")
        let values: [UInt64] = [1, 2, 3, 4]
        #expect([0, 49, 50, 99, 100].map { TerminalReport.percentile($0, of: values) } == [1, 2, 3, 4, 4])
        #expect(TerminalReport.percentile(50, of: []) == nil)
    }

    @Test func `The total names only verdicts that occurred, and a quarantined failure as such`() {
        func total(_ results: [ScenarioResult]) -> String { TerminalReport.total(of: results, seconds: 2) }
        #expect(total([]) == "0 passed in 2.00 s")
        #expect(
            total([
                .sample(.passed), .sample(.passed, quarantine: "known"), .sample(.failed), .sample(.inconclusive),
                .sample(.failed, quarantine: "known"), .sample(.inconclusive, quarantine: "known"), .sample(.notRun),
                .sample(.notRun, quarantine: "known"),
            ]) == "2 passed, 1 failed, 1 inconclusive, 2 quarantined, 2 not run in 2.00 s")
    }
}
