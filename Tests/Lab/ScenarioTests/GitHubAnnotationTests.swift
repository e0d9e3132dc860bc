// SPDX-License-Identifier: Apache-2.0

import LabFile
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine

@Suite("GitHub annotations", .endsInTime)
struct GitHubAnnotationTests {
    private func annotations(_ environment: [String: String] = [:]) throws -> GitHubAnnotations {
        try #require(GitHubAnnotations(environment: environment.merging(["GITHUB_ACTIONS": "true"]) { $1 }))
    }

    @Test func `There are none outside a GitHub job`() {
        #expect(GitHubAnnotations(environment: [:]) == nil)
        #expect(GitHubAnnotations(environment: ["GITHUB_ACTIONS": "false"]) == nil)
    }

    @Test func `A failing scenario is annotated at the expectation that did not hold, and escaped`() throws {
        var result = ScenarioResult.sample(.failed, name: "A, b: 100%")
        result.failures[0].reason = "1%\nof it: x"
        #expect(
            try annotations().lines([result, .sample(.passed), .sample(.failed, quarantine: "known")])
                == """
                ::error file=a/b.yaml,line=4,col=21,title=A%2C b%3A 100%25::main: x: 1%25%0Aof it: x%0A\
                state: expected "ACTIVE", was "BLOCKED"%0Arun it again: lab run b.yaml --seed 7

                """)
    }

    @Test func `Paths are relative to the workspace`() throws {
        var result = ScenarioResult.sample(.failed)
        result.failures[0].differences = []
        result.failures[0].place = ReportedPlace(file: "/w/repo/a, b.yaml", line: 3, column: 5)
        let text = try annotations(["GITHUB_WORKSPACE": "/w/repo"]).lines([result])
        #expect(text.hasPrefix("::error file=a%2C b.yaml,line=3,col=5,"))
    }

    @Test(
        .verifies("size", "GitHubAnnotations.most"),
        arguments: Sizes.around(10) + [23])
    func `Ten are shown, and a line counts the rest`(count: Int) throws {
        let place = SourcePlace(.start, in: SourceFile(path: "a.yaml", text: ""))
        let mistakes = (1...count).map { Diagnostic(.unknownActor(name: "a\($0)", known: []), at: place) }
        let lines = try annotations().lines(mistakes).split(separator: "\n")
        #expect(lines.prefix(10).allSatisfy { $0.hasPrefix("::error file=a.yaml,line=1,col=1::") })
        #expect(
            lines.dropFirst(10)
                == (count > 10
                    ? ["::notice::and \(count - 10) more mistakes; the log and the reports have all of them"] : []))
        let results = try annotations().lines(Array(repeating: ScenarioResult.sample(.failed), count: count))
        #expect(results.contains("and \(count - 10) more scenarios that did not pass") == (count > 10))
    }
}
