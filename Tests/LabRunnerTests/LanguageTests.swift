import Foundation
import LabFile
import LabKit
import LabSystem
import TestSupport
import Testing

@testable import LabRunner

/// Files that work together, steps before and after, and who may not run.
@Suite("Included files, phases, tables and the standing of a scenario", .endsInTime)
struct LanguageTests {
    private static let activate = """
        parameters:
          userId: { type: text, default: alice, meaning: Whose activation it is. }
        outputs:
          code: What was made.
        steps:
          - server: initActivation
            with: { userId: "${userId}" }
            as: code
          - server: activationStatus
            with: { activationId: "${code.activationId}" }
            as: inside
          - check: "${inside.userId}"
            expect: "${code.userId}"
        """

    /// Runs a scenario that lies in a folder with other files.
    private func run(
        _ scenario: String, beside files: [String: String], answers: [String: [JSONValue]] = [:]
    ) async throws -> FakeRun {
        try await onThread {
            let directory = try TemporaryDirectory()
            for (name, text) in files { try Files.write(Data(text.utf8), to: directory.file(name)) }
            return try FakeRun(
                file: SourceFile(path: directory.file("scenario.yaml"), text: scenario), answers: FakeAnswers(answers))
        }
    }

    /// Reads a scenario that lies in a folder with other files.
    private func read(
        _ scenario: String, beside files: [String: String] = [:], settings: [String: String] = [:]
    ) throws -> SuiteReader.Outcome {
        let directory = try TemporaryDirectory()
        for (name, text) in files.merging(["scenario.yaml": scenario], uniquingKeysWith: { $1 }) {
            try Files.write(Data(text.utf8), to: directory.file(name))
        }
        return SuiteReader(
            labPath: "\(TestFiles.directory)/Failures/lab.yaml", environment: [:], settings: settings
        ).read([directory.file("scenario.yaml")])
    }

    @Test("A file is included twice: each call has its own parameters, and its output the name that the caller chooses")
    func includedTwice() async throws {
        func code(_ user: String) -> JSONValue {
            ["result": ["activationId": .string("of-\(user)"), "userId": .string(user), "activationCode": "c"]]
        }
        func status(_ user: String) -> JSONValue {
            ["result": ["activationId": .string("of-\(user)"), "userId": .string(user)]]
        }
        let run = try await run(
            """
            name: Twice
            steps:
              - include: activate.yaml
              - include: activate.yaml
                with: { userId: bob }
                as: { code: second }
              - check: ["${code.userId}", "${second.userId}"]
                expect: [alice, bob]
            """, beside: ["activate.yaml": Self.activate],
            answers: [
                "server.initActivation": [code("alice"), code("bob")],
                "server.activationStatus": [status("alice"), status("bob")],
            ])
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(run.requests.map { $0.arguments["userId"] } == ["alice", nil, "bob", nil])
    }

    @Test("What an included file keeps for itself is not visible outside, and its names clash with nobody's")
    func nothingLeaks() throws {
        let outcome = try read(
            """
            name: Leak
            steps:
              - main: hasValidActivation
                as: inside
              - include: activate.yaml
              - check: ["${inside}", "${code.userId}"]
                expect: [true, alice]
            """, beside: ["activate.yaml": Self.activate])
        #expect(outcome.diagnostics.isEmpty, "\(DiagnosticRenderer().render(outcome.diagnostics))")
        let leaked = try read(
            "name: Leak\nsteps:\n  - include: activate.yaml\n  - check: \"${inside}\"\n    expect: 1\n",
            beside: ["activate.yaml": Self.activate])
        #expect(leaked.diagnostics.map(\.kind.identifier) == ["undefinedVariable"])
    }

    @Test("A failing step of an included file names the places of the includes, the innermost first")
    func chainAtRunTime() async throws {
        let run = try await run(
            "name: Chain\nsteps:\n  - include: outer.yaml\n",
            beside: [
                "outer.yaml": "steps:\n  - include: inner.yaml\n",
                "inner.yaml": "steps:\n  - check: 1\n    expect: 2\n",
            ])
        let failure = try #require(run.result.failures.first)
        #expect(failure.place.hasSuffix("inner.yaml:2:5"))
        #expect(failure.includedAt.count == 2)
        #expect(failure.includedAt[0].hasSuffix("outer.yaml:2:14"))
        #expect(failure.includedAt[1].hasSuffix("scenario.yaml:3:14"))
    }

    @Test("When the set-up fails the steps do not run, the tear-down does, and each failure says where it belongs")
    func phases() async throws {
        let run = try await onThread {
            try FakeRun(
                """
                name: Phases
                setup:
                  - check: 1
                    expect: 2
                steps:
                  - main: hasValidActivation
                tearDown:
                  - check: 3
                    expect: 4
                """)
        }
        #expect(run.requests.isEmpty)
        #expect(
            run.result.failures.map(\.reason) == [
                "in the set-up, the value is not as expected", "in the tear-down, the value is not as expected",
            ])
    }

    @Test("What the set-up keeps is known to the steps and to the tear-down")
    func phasesShareValues() async throws {
        let run = try await onThread {
            try FakeRun(
                """
                name: Phases
                setup: { within: 20s, steps: [{ main: hasValidActivation, as: before }] }
                steps:
                  - check: "${before}"
                    expect: true
                tearDown:
                  - check: "${before}"
                    expect: true
                """, answers: FakeAnswers(["main.hasValidActivation": [["result": true]]]))
        }
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
    }

    @Test("A tear-down that takes longer than its own limit says so at the step that did not begin")
    func phaseLimit() async throws {
        let run = try await onThread {
            try FakeRun(
                """
                name: Phases
                steps:
                  - check: 1
                    expect: 1
                tearDown:
                  within: 50ms
                  steps:
                    - main: hasValidActivation
                    - check: 1
                      expect: 1
                """, answers: FakeAnswers(isSilent: true))
        }
        let reasons = run.result.failures.map(\.reason)
        #expect(reasons.first?.hasPrefix("in the tear-down, it failed with timedOut") == true, "\(reasons)")
        #expect(
            reasons.last == "in the tear-down, it did not begin, because the tear-down takes longer than 50ms",
            "\(reasons)")
    }

    @Test("A command that is tried again ends with the time limit of the steps around it")
    func phaseLimitOfEventually() async throws {
        let run = try await onThread {
            try FakeRun(
                """
                name: Phases
                steps:
                  - check: 1
                    expect: 1
                tearDown:
                  within: 50ms
                  steps:
                    - main: hasValidActivation
                      expect: true
                      eventually: 1h
                """, answers: FakeAnswers(["main.hasValidActivation": [["result": false]]]))
        }
        let reasons = run.result.failures.map(\.reason)
        // On a busy machine the limit may pass before the first answer.
        #expect(reasons.count == 1 && reasons[0].hasPrefix("in the tear-down, "), "\(reasons)")
    }

    @Test("The bound of eventually ends an attempt that has no answer, and the attempt before it is what is shown")
    func boundOfEventually() async throws {
        let run = try await onThread {
            try FakeRun(
                "  - eventually: 200ms\n    main: hasValidActivation\n    expect: true\n",
                answers: FakeAnswers(isSilent: true))
        }
        let reason = try #require(run.result.failures.first?.reason)
        #expect(reason.contains("after 1 attempts in"))
        // The limit of an answer is 30 s otherwise; what is left of the bound, in milliseconds, has taken its place.
        #expect(reason.contains(/within [0-9]{1,3}ms/), "\(reason)")
    }

    @Test("Rows come from a CSV file: texts as they stand, read by the declared type where they are used")
    func rowsFromTable() throws {
        let scenario = """
            name: Table
            rows: passwords.csv
            steps:
              - main: validatePassword
                with: { password: "${row.password}" }
            """
        let outcome = try read(
            scenario,
            beside: ["passwords.csv": "id,password,remark\r\nzero,0123,\"a, \"\"b\"\"\"\r\n\r\nreference,${x},\r\n"])
        #expect(outcome.diagnostics.isEmpty, "\(DiagnosticRenderer().render(outcome.diagnostics))")
        #expect(outcome.scenarios.compactMap(\.row) == ["zero", "reference"])
        #expect(outcome.scenarios.first?.secretTexts == ["0123"])
        let list = try read(
            scenario.replacing("passwords.csv", with: "rows.yaml"),
            beside: ["rows.yaml": "- { id: a, password: \"1\" }\n- { password: \"2\" }\n"])
        #expect(list.scenarios.compactMap(\.row) == ["a", "2"])
        let elsewhere = try read(scenario.replacing("passwords.csv", with: "/etc/passwd.csv"))
        #expect(elsewhere.diagnostics.map(\.kind.identifier) == ["misfit"])
    }

    @Test(
        "A text that is no table names the line",
        arguments: [
            ("a,b\n1", 2, "1 values"), ("a\n\"1", 2, "never closed"), ("a\nx\"y\n", 2, "stands inside"),
            ("a\n\"x\"y\n", 2, "follows a closing quote"),
        ])
    func malformedTable(text: String, line: Int, words: String) throws {
        let outcome = try read(
            "name: T\nrows: t.csv\nsteps:\n  - check: 1\n    expect: 1\n", beside: ["t.csv": text])
        let diagnostic = try #require(outcome.diagnostics.first)
        #expect(diagnostic.place.range.start.line == line)
        #expect(diagnostic.kind.sentence.contains(words), "\(diagnostic.kind.sentence)")
    }

    @Test("A cast that lacks what a scenario requires does not run it, and the steps are not judged by it")
    func requirements() throws {
        func obstacle(_ requires: String) throws -> String? {
            let outcome = try read(
                "name: R\nrequires: \(requires)\nsteps:\n  - tablet: hasValidActivation\n")
            return try #require(outcome.scenarios.first, "\(outcome.diagnostics.map(\.kind.sentence))").obstacle
        }
        #expect(try obstacle("{ actors: [main, tablet] }") == "the topology `default` has no `tablet`")
        #expect(try obstacle("{ tls: true }") == "the topology `default` has no server with TLS")
        let fulfilled = try read("name: R\nrequires: { actors: [main] }\nsteps:\n  - main: hasValidActivation\n")
        #expect(fulfilled.scenarios.map(\.obstacle) == [nil])
    }

    @Test("A quarantine has an owner and a last day; when it has passed, a failure counts again")
    func quarantine() throws {
        func standing(_ quarantine: String) throws -> Standing {
            let outcome = try read("name: Q\nquarantine: \(quarantine)\nsteps:\n  - main: kill\n")
            return try #require(outcome.scenarios.first, "\(outcome.diagnostics.map(\.kind.sentence))").standing
        }
        #expect(try standing("known defect").quarantine == "known defect")
        let open = try standing("{ reason: known, owner: Petr, until: 2999-12-31 }")
        #expect(open.quarantine == "known (Petr, until 2999-12-31)")
        #expect(open.remarkOnPassing?.hasSuffix("remove `quarantine`") == true)
        let ended = try standing("{ reason: known, until: 2020-01-31 }")
        #expect(ended.quarantine == nil)
        #expect(ended.remarkOnFailing == "its quarantine has ended: known (until 2020-01-31)")
        let wrong = try read("name: Q\nquarantine: { reason: x, until: soon }\nsteps:\n  - main: kill\n")
        #expect(wrong.diagnostics.map(\.kind.identifier) == ["wrongType"])
    }

    @Test("A value from the command line replaces a declared one, never becomes a reference, and a secret stays secret")
    func settings() throws {
        let scenario = """
            name: S
            values: { user: alice, pin: { generate: pin } }
            steps:
              - server: initActivation
                with: { userId: "${user}" }
              - main: validatePassword
                with: { password: "${pin}" }
            """
        let outcome = try read(scenario, settings: ["user": "${pin}", "pin": "9876"])
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

    @Test("Commands of same must give the same answer; where they differ, each answer is told")
    func same() async throws {
        func run(_ wallet: Bool) async throws -> ScenarioResult {
            try await onThread {
                try FakeRun(
                    "  - same:\n      - main: hasValidActivation\n      - wallet: hasValidActivation\n",
                    answers: FakeAnswers([
                        "main.hasValidActivation": [["result": true]],
                        "wallet.hasValidActivation": [["result": .bool(wallet)]],
                    ])
                ).result
            }
        }
        #expect(try await run(true).verdict == .passed)
        let failure = try #require(try await run(false).failures.first)
        #expect(
            failure.reason
                == "the answers are not the same: `main: hasValidActivation` answered true; `wallet: hasValidActivation` answered false"
        )
        #expect(failure.differences.map(\.path) == ["wallet: hasValidActivation"])
        let wrong = try read("name: S\nsteps:\n  - same:\n      - main: hasValidActivation\n      - main: kill\n")
        #expect(wrong.diagnostics.map(\.kind.identifier) == ["misfit"])
    }

    @Test("Any code is any error, with other members judged beside it")
    func anyCode() async throws {
        func verdict(_ fails: String) async throws -> Verdict {
            try await onThread {
                try FakeRun(
                    "  - main: hasValidActivation\n    fails: \(fails)\n",
                    answers: FakeAnswers([
                        "main.hasValidActivation": [
                            ["error": ["domain": "D", "code": 7, "name": "networkError", "message": "m"]]
                        ]
                    ])
                ).result.verdict
            }
        }
        #expect(try await verdict("{ code: any }") == .passed)
        #expect(try await verdict("{ code: any, domain: D }") == .passed)
        #expect(try await verdict("{ code: any, domain: E }") == .failed)
    }

    @Test("Events that came one after the other are in order; one that came before is told")
    func order() async throws {
        let run = try await onThread {
            try FakeRun(
                """
                  - waitFor: { event: state.saved, peer: wallet }
                  - order:
                      - { event: state.loaded, peer: main }
                      - { event: state.saved, peer: wallet, where: { bytes: { atLeast: 5 } } }
                  - trace: events
                    with: { event: state.saved }
                    expect: { length: 1, each: { peer: wallet, fields: { bytes: 7 } } }
                  - order:
                      - { event: state.saved, peer: wallet }
                      - { event: state.loaded, peer: main }
                """
            ) { lab in
                try lab.emit(.stateLoaded, of: "main", ["activation": false])
                try lab.emit(.stateSaved, of: "wallet", ["bytes": 7])
            }
        }
        #expect(
            run.result.failures.map(\.reason) == [
                "the event `state.loaded` of `main` came only before the event `state.saved` of `wallet`"
            ])
        #expect(run.result.failures.first?.step == "4")
    }
}
