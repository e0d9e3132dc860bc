// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

/// How a shared set-up is read, and which row carries it out; the tests of `lab run` play some with processes.
@Suite("A set-up that rows share", .endsInTime)
struct SharedSetupTests {
    private static func scenario(_ setup: String, rows: String = "rows: [{ id: a, x: 1 }, { id: b, x: 2 }]") -> String {
        "name: Shared\nvalues: { pin: { generate: pin }, number: \"${row.x}\" }\n\(rows)\n\(setup)\nsteps:\n"
            + "  - check: \"${row.x}\"\n    expect: { atLeast: 1 }\n  - main: validatePassword\n"
            + "    with: { password: \"${pin}\" }\n"
    }

    private static let good = "setup: { shared: true, within: 10s, steps: [{ main: hasValidActivation }] }"

    @Test func `Rows that share one have the same drawn values, and others have their own`() throws {
        let shared = try ScenarioFolder(Self.scenario(Self.good)).read()
        #expect(shared.diagnostics.isEmpty, "\(DiagnosticRenderer().render(shared.diagnostics))")
        #expect(shared.scenarios.map(\.sharesSetup) == [true, true])
        #expect(shared.scenarios.first?.setup?.limit == .seconds(10))
        func pins(_ scenarios: [Scenario]) -> Set<JSONValue?> {
            Set(scenarios.map { $0.drawn(seed: 1, hiddenBy: Redactor()).values["pin"] })
        }
        #expect(pins(shared.scenarios).count == 1)
        let own = try ScenarioFolder(Self.scenario(Self.good.replacing("true", with: "false"))).read()
        #expect(own.scenarios.map(\.sharesSetup) == [false, false])
        #expect(pins(own.scenarios).count == 2)
        let plan = ScenarioPlan(try #require(shared.scenarios.first), seed: 1).text
        #expect(plan.contains("  set-up, shared by the rows:\n"), "\(plan)")
    }

    @Test(
        arguments: [
            ("[{ check: \"${row.x}\", expect: 1 }]", 4, "`row` cannot be used here"),
            ("[{ check: \"${number}\", expect: 1 }]", 2, "`row` cannot be used here"),
            ("[]", 4, "`steps` must not be empty"),
            ("[{ server: drop, with: { endpoint: activation/status } }]", 4, "`server: drop` does not belong here"),
            (
                "[{ repeat: 2, steps: [{ server: slow, with: { endpoint: activation/status, by: 1s } }] }]", 4,
                "`server: slow` does not belong here"
            ),
        ])
    func `What the rows could not share is refused at its place`(steps: String, line: Int, sentence: String) throws {
        let outcome = try ScenarioFolder(Self.scenario("setup: { shared: true, steps: \(steps) }")).read()
        let sentences = outcome.diagnostics.map(\.kind.sentence)
        #expect(sentences.count == 1 && sentences.first?.contains(sentence) == true, "\(sentences)")
        #expect(outcome.diagnostics.first?.place.range.start.line == line, "\(outcome.diagnostics)")
    }

    @Test(
        arguments: [
            ("setup: { shared: yes, steps: [{ clock: freeze }] }", "`shared` must be `true` or `false`"),
            ("tearDown: { shared: true, steps: [{ clock: freeze }] }", "`tearDown` has no key `shared`"),
        ])
    func `Only a set-up can be shared, or not`(phase: String, sentence: String) throws {
        let outcome = try ScenarioFolder(Self.scenario(phase)).read()
        let sentences = outcome.diagnostics.map(\.kind.sentence)
        #expect(sentences.count == 1 && sentences.first?.contains(sentence) == true, "\(sentences)")
    }

    @Test func `Without rows there is nothing to share, and faults that end with a block are allowed`() throws {
        let single = try ScenarioFolder("name: One\n\(Self.good)\nsteps: [{ clock: freeze }]\n").read()
        #expect(
            single.diagnostics.map(\.kind.sentence) == [
                "`shared` has no meaning here: the rows of a table share a `setup`, and there are no `rows`"
            ])
        let ending = """
            setup:
              shared: true
              steps:
                - during: [{ server: drop, with: { endpoint: activation/status } }]
                  steps: [{ main: hasValidActivation }]
                - faults: arm
                  with: { point: state.saved, peer: main, action: kill }
            """
        let outcome = try ScenarioFolder(Self.scenario(ending)).read()
        #expect(outcome.diagnostics.isEmpty, "\(DiagnosticRenderer().render(outcome.diagnostics))")
    }

    @Test func `One row reports that the set-up did not pass, and the others that they were not run`() async throws {
        let directory = try TemporaryDirectory()
        let scenarios = try ScenarioFolder(Self.scenario(Self.good)).read().scenarios
        let results = try await onThread {
            let setting = ScenarioRun.Setting(
                executables: Executables(directory: "/nowhere"),
                sharedSetups: SharedSetups(recordedIn: directory.path, labVersion: "1"))
            return try scenarios.map { scenario in
                try ScenarioRun(
                    scenario, seed: 1, directory: directory.file(scenario.row ?? ""), setting: setting,
                    interruption: Interruption()
                ).perform()
            }
        }
        #expect(results.map(\.verdict) == [.inconclusive, .notRun])
        #expect(results.map(\.directory) == [directory.file("shared-setups/1"), ""])
        #expect(
            results[1].failures.map(\.reason) == [
                "the set-up that it shares with \(results[0].id) did not pass; the reason is there"
            ])
        #expect(results.allSatisfy(\.isHeldAgainstRun))
    }
}
