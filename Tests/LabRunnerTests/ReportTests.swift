import Foundation
import LabKit
import Testing

@testable import LabRunner

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Reports say the same in every form")
struct ReportTests {
    private func result(_ verdict: Verdict, quarantine: String? = nil) -> ScenarioResult {
        var result = ScenarioResult(
            id: "a/b.yaml", name: "A <b> & \"c\" \u{1}", tags: [], verdict: verdict, quarantine: quarantine,
            seconds: 1.5, commands: 2, failures: [], overheads: [200_000, 400_000], launches: ["main": 20_000_000],
            directory: "/d")
        if verdict != .passed {
            result.failures = [
                StepFailure(
                    verdict: verdict, step: "1", title: "main: x", place: "b.yaml:1:2", source: "> 1 | - main: x",
                    reason: "it failed with <x> & ]]>", differences: [], trace: [], replay: "lab run b.yaml --seed 1")
            ]
        }
        return result
    }

    @Test("JUnit is XML that a parser accepts, with the right counts")
    func junit() throws {
        let results = [
            result(.passed), result(.failed), result(.inconclusive), result(.failed, quarantine: "known"),
        ]
        let document = try XMLDocument(data: Data(JUnitReport.render(results, seconds: 6).utf8))
        let root = try #require(document.rootElement())
        #expect(root.attribute(forName: "tests")?.stringValue == "4")
        #expect(root.attribute(forName: "failures")?.stringValue == "1")
        #expect(root.attribute(forName: "errors")?.stringValue == "1")
        #expect(root.attribute(forName: "skipped")?.stringValue == "1")
        let cases = try document.nodes(forXPath: "//testcase").compactMap { $0 as? XMLElement }
        #expect(cases.count == 4)
        #expect(cases[0].attribute(forName: "name")?.stringValue == "A <b> & \"c\" \u{FFFD}")
        #expect(cases[1].elements(forName: "failure").first?.stringValue?.contains("it failed with <x> & ]]>") == true)
        #expect(cases[2].elements(forName: "error").count == 1)
        #expect(cases[3].elements(forName: "skipped").count == 1)
    }

    @Test("JSON is read back as what was written")
    func json() throws {
        let report = JSONReport(seed: 9, seconds: 2, results: [result(.failed)])
        let read = try JSONDecoder().decode(JSONReport.self, from: report.rendered())
        #expect(read.version == 1)
        #expect(read.seed == 9)
        #expect(read.results.first?.failures.first?.place == "b.yaml:1:2")
    }

    @Test("The summary counts verdicts and shows the runner's own cost")
    func summary() {
        let text = TerminalReport(isColoured: false).summary(
            [result(.passed), result(.failed)], seconds: 2, seed: 5, directory: "/d")
        #expect(
            text == """
                1 passed, 1 failed in 2.00 s, seed 5
                step overhead: median 0.40 ms, p99 0.40 ms over 4 commands
                launch to first answer: median 20.00 ms, longest 20.00 ms over 2 processes
                recorded in /d

                """)
    }
}
