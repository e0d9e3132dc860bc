// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("External values, and the lab states the origin of each", .endsInTime)
struct GivenValueTests {
    private let workspace: SuiteWorkspace

    init() throws {
        workspace = try SuiteWorkspace([
            "a.yaml": """
            name: A
            values:
              user: alice
              region: { environment: REGION, default: eu }
              apiKey: { environment: API_KEY, default: "none at all", secret: true }
              pin: { generate: pin }
              limit: { generate: number, below: 10 }
            rows:
              - { id: one, attempts: 3 }
            steps:
              - server: initActivation
                with: { userId: "${user}", maxFailureCount: "${row.attempts}" }
            """,
            "b.yaml": "name: B\nsteps:\n  - main: kill\n",
        ])
    }

    private func plan(_ environment: [String: String], _ settings: [String: String] = [:]) -> (RunOutcome, String) {
        workspace.output(change: { ($0.seed, $0.settings, $0.filter) = (1, settings, "a.yaml") }) { options, print in
            SuiteOverview(options: options, environment: environment, print: print, writeErrors: print).plan()
        }
    }

    /// The lines of a plan about values.
    private func values(_ environment: [String: String], _ settings: [String: String] = [:]) -> [String] {
        plan(environment, settings).1.split(separator: "\n").filter { $0.contains(" = ") }.map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test func `A plan shows every value with its origin, and no secret`() {
        #expect(
            values([:]) == [
                #"row.id = "one"  from the row of the table"#,
                "row.attempts = 3  from the row of the table",
                #"user = "alice"  from the file"#,
                #"region = "eu"  from the file, because REGION is not set"#,
                #"apiKey = "••••"  from the file, because API_KEY is not set"#,
                #"pin = "••••"  generated from the seed"#,
                "limit = 3  generated from the seed",
            ])
        let given = values(
            ["REGION": "us", "API_KEY": "s3cr3t", "LAB_VAR_user": "bob", "LAB_VAR_pin": "8642"], ["limit": "7"])
        #expect(
            given.dropFirst(2) == [
                #"user = "bob"  from the environment variable LAB_VAR_user"#,
                #"region = "us"  from the environment variable REGION"#,
                #"apiKey = "••••"  from the environment variable API_KEY"#,
                #"pin = "••••"  from the environment variable LAB_VAR_pin"#,
                #"limit = "7"  from --set"#,
            ])
    }

    @Test func `The command line overrides LAB_VAR, which overrides the file and the variable that it names`() {
        let environment = ["LAB_VAR_user": "bob", "REGION": "us", "LAB_VAR_region": "asia"]
        let lines = values(environment, ["user": "carol"])
        #expect(lines.contains(#"user = "carol"  from --set"#), "\(lines)")
        #expect(lines.contains(#"region = "asia"  from the environment variable LAB_VAR_region"#), "\(lines)")
        #expect(plan(environment).1.contains(#"userId="bob""#))
    }

    @Test func `An undeclared variable gives a note with the nearest name; on the command line it is an error`() {
        let (outcome, text) = plan(["LAB_VAR_usr": "bob", "LAB_VAR_colour": "red", "LAB_USER": "x"])
        #expect(outcome == .passed)
        #expect(
            text.contains(
                "note: LAB_VAR_usr: no scenario declares `usr` in `values:`; did you mean `LAB_VAR_user`?\n"), "\(text)"
        )
        #expect(text.contains("note: LAB_VAR_colour: no scenario declares `colour` in `values:`\n"), "\(text)")
        #expect(!text.contains("LAB_USER"), "\(text)")
        let (refused, complaint) = plan([:], ["usr": "bob"])
        #expect(refused == .badInput)
        #expect(complaint == "error: --set: no scenario declares `usr` in `values:`; did you mean `user`?\n")
    }

    @Test func `The command that repeats a run contains its scenario's external values, and no secret`() throws {
        let environment = ["LAB_VAR_user": "bob o'", "LAB_VAR_pin": "8642", "LAB_VAR_apiKey": "s3cr3t"]
        let suite = SuiteReader(
            labPath: workspace.directory.file("lab.yaml"), environment: environment, settings: ["limit": "7"]
        ).read([workspace.directory.path])
        let replays = suite.scenarios.map {
            $0.replay(seed: 5, labOption: nil).replacing(workspace.directory.path + "/", with: "")
        }
        #expect(
            replays == [
                #"lab run 'a.yaml[one]' --set 'user=bob o'\''' --set limit=7 --seed 5"#, "lab run b.yaml --seed 5",
            ])
    }

    @Test
    func `A value from the command line replaces a declared one, never becomes a reference, and a secret stays secret`()
        throws
    {
        let scenario = """
            name: S
            values: { user: alice, pin: { generate: pin } }
            steps:
              - server: initActivation
                with: { userId: "${user}" }
              - main: validatePassword
                with: { password: "${pin}" }
            """
        let outcome = try ScenarioFolder(scenario).read(settings: ["user": "${pin}", "pin": "9876"])
        let scenarioRead = try #require(outcome.scenarios.first)
        #expect(outcome.values == ["user", "pin"])
        #expect(scenarioRead.secretTexts.contains("9876"))
        guard case .command(let command) = scenarioRead.steps[0].action,
            case .literal(let value)? = command.arguments.first(where: { $0.field.name == "userId" })?.value
        else {
            Issue.record("the value is no literal")
            return
        }
        #expect(value == "${pin}")
    }
}
