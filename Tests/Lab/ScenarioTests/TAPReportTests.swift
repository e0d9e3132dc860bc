// SPDX-License-Identifier: Apache-2.0

import LabFile
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine

@Suite("TAP reports follow version 14 of the protocol", .endsInTime)
struct TAPReportTests {
    private static let lines = TAPReport.render([
        .sample(.passed, name: "Good # \\ one"), .sample(.failed, name: "Bad"), .sample(.inconclusive, name: "Open"),
        .sample(.failed, name: "Known", quarantine: "slow"), notRun,
    ]).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

    private static var notRun: ScenarioResult {
        var result = ScenarioResult.sample(.notRun, name: "Not run")
        (result.failures, result.remark) = ([], "no `watch`")
        return result
    }

    @Test func `Version and plan come first, and a line for each scenario with its number and directive`() {
        #expect(Self.lines.prefix(2) == ["TAP version 14", "1..5"])
        #expect(
            Self.lines.filter { $0.contains(/^(not )?ok/) } == [
                "ok 1 - a/b.yaml: Good \\# \\\\ one", "not ok 2 - a/b.yaml: Bad", "not ok 3 - a/b.yaml: Open",
                "not ok 4 - a/b.yaml: Known # TODO quarantined: slow", "ok 5 - a/b.yaml: Not run # SKIP no `watch`",
            ])
    }

    @Test func `The diagnostics are YAML that a parser reads, two spaces below their line`() throws {
        var blocks: [String] = []
        var current: [String]?
        for line in Self.lines {
            if line == "  ---" {
                current = []
            } else if line == "  ..." {
                blocks.append((current ?? []).joined(separator: "\n"))
                current = nil
            } else if current != nil {
                #expect(line.hasPrefix("  "))
                current?.append(String(line.dropFirst(2)))
            }
        }
        #expect(blocks.count == 5)
        let collector = DiagnosticCollector()
        let documents = blocks.map { YAMLDocument.parse(SourceFile(path: "block", text: $0), reporting: collector) }
        #expect(collector.diagnostics.map(\.kind) == [])
        let failed = try #require(documents[1])
        #expect(failed["verdict"]?.scalar?.text == "failed")
        #expect(failed["duration_ms"]?.scalar?.text == "1500")
        #expect(failed["seed"]?.scalar?.text == "7")
        #expect(failed["tags"]?.elements?.compactMap(\.scalar?.text) == ["fast", "x,y"])
        #expect(failed["replay"]?.scalar?.text == "lab run b.yaml --seed 7")
        #expect(failed["message"]?.scalar?.text == "main: x: it failed with <x> & ]]>\u{FFFD}[0m")
        #expect(failed["at"]?["line"]?.scalar?.text == "3")
        let explanation = try #require(failed["explanation"]?.scalar?.text)
        let lines = ScenarioResult.sample(.failed).explanation.replacing("\u{1B}", with: "\u{FFFD}")
            .split(separator: "\n")
        // Without the margin of its first line, as `prove` needs it.
        #expect(explanation == lines.map { String($0.dropFirst(2)) }.joined(separator: "\n"))
        #expect(documents[0]?["message"] == nil)
    }

    @Test func `Characters that YAML cannot hold, or takes for line ends, are replaced`() {
        var result = ScenarioResult.sample(.failed, id: "a", name: "n\u{7}\u{7F}\u{85}\u{2028}\u{FEFF}\u{FFFE}\tm\no")
        result.failures[0].reason = "r\u{1B}\u{9F}\u{2029}\u{FFFF}\ns"
        let lines = TAPReport.render([result]).split(separator: "\n", omittingEmptySubsequences: false)
        let six = String(repeating: "\u{FFFD}", count: 6)
        #expect(lines[2] == "not ok 1 - a: n\(six)\tm o")
        #expect(lines.contains("  message: \"main: x: r\(six.dropLast(2))\\ns\""))
        #expect(lines.dropLast().allSatisfy { !$0.isEmpty })
    }

    @Test func `A tag with a colon survives a round trip, and a point without tags has an empty list`() throws {
        var result = ScenarioResult.sample(.passed)
        for tags in [["limit: disk", "slow"], []] {
            result.tags = tags
            let lines = TAPReport.render([result]).split(separator: "\n").dropFirst(3)
            let text = lines.filter { $0 != "  ---" && $0 != "  ..." }.map { $0.dropFirst(2) }.joined(separator: "\n")
            let collector = DiagnosticCollector()
            let block = YAMLDocument.parse(SourceFile(path: "block", text: text), reporting: collector)
            #expect(collector.diagnostics.map(\.kind) == [])
            #expect(block?["tags"]?.elements?.compactMap(\.scalar?.text) == tags)
        }
    }
}
