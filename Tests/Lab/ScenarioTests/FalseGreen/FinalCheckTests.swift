// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabChecks
import LabCore
import LabSystem
import LabVocabulary
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Every check at the end of a run can make a green run red", .endsInTime, .serialized)
struct FinalCheckTests {
    /// A scenario whose steps all pass, and which is red because of one check.
    struct Row: Sendable, CustomTestStringConvertible {
        let check: FinalCheck
        let testDescription: String
        let reason: String
        var verdict = Verdict.failed
        var steps = "- main: hasValidActivation\n  expect: true"
        var answers: [String: [JSONValue]] = RedCase.main(RedCase.yes)
        var remains: [String] = []
        var isDiskFull = false
    }

    private static func trace(_ process: String, _ event: String, _ fields: [String: JSONValue]) -> JSONValue {
        ["of": .string(process), "event": .string(event), "fields": .object(fields)]
    }

    private static func ended(_ app: String, _ how: [String: JSONValue], number: Int64 = 1) -> JSONValue {
        let fields: [String: JSONValue] = ["peer": .string(app), "incarnation": .integer(number), "reason": "r"]
        return trace("phone", "process.ended", fields.merging(how) { $1 })
    }

    private static let lockTaken = ["main", "wallet", "main"].map { trace($0, "lock.taken", ["lock": "status"]) }

    static let rows: [Row] = [
        Row(
            check: .reasons, testDescription: "a step that fails without a reason",
            reason: "a step failed without a reason",
            verdict: .inconclusive),
        Row(
            check: .faults, testDescription: "a fault in the table that never fired", reason: "never fired",
            steps: "- faults: arm\n  with: { point: state.save, peer: main, action: kill }", answers: [:]),
        Row(
            check: .faults, testDescription: "a fault of the server that never fired", reason: "never fired",
            steps: "- server: slow\n  with: { endpoint: activation/status, by: 3s }",
            answers: [
                "server.slow": [["result": ["id": "f1"]]],
                "server.trafficFaults": [["result": [["id": "f1", "matched": 0, "fired": 0]]]],
            ]),
        Row(
            check: .faults, testDescription: "an answer that an edit did not fit, after one that it fitted",
            reason: "an edit of this step could not be made: `a` is not in the answer",
            steps: "- server: edit\n  with: { endpoint: activation/status, remove: [a] }",
            answers: [
                "server.edit": [["result": ["id": "f1"]]],
                "server.trafficFaults": [
                    ["result": [["id": "f1", "matched": 2, "fired": 1, "mistake": "`a` is not in the answer"]]]
                ],
            ]),
        Row(
            check: .faults, testDescription: "a server that does not answer what its fault has hit",
            reason: "whether the fault of this step has fired is not known", verdict: .inconclusive,
            steps: "- server: slow\n  with: { endpoint: activation/status, by: 3s }",
            answers: [
                "server.slow": [["result": ["id": "f1"]]],
                "server.trafficFaults": [["error": ["domain": "lab", "name": "timedOut", "message": "late"]]],
            ]),
        Row(
            check: .deaths, testDescription: "an app that crashed",
            reason: "the process of `wallet` died by itself",
            answers: RedCase.main(RedCase.yes(after: ended("wallet", ["signal": "SIGSEGV"])))),
        Row(
            check: .deaths, testDescription: "an app that crashed in the tear-down",
            reason: "the process of `wallet` died by itself",
            steps: "name: T\nsteps:\n- clock: freeze\ntearDown:\n- main: hasValidActivation\n",
            answers: RedCase.main(RedCase.yes(after: ended("wallet", ["status": 3])))),
        Row(
            check: .record, testDescription: "a disk that is full", reason: "history.jsonl is not complete",
            verdict: .inconclusive, isDiskFull: true),
        Row(
            check: .remains, testDescription: "shared memory that was left behind",
            reason: "the instance was not left clean: the shared memory x was left behind",
            remains: ["the shared memory x was left behind"]),
        Row(
            check: .traces, testDescription: "a line that is no event", reason: "main#1.jsonl:2 is not an event",
            verdict: .inconclusive, answers: RedCase.main(RedCase.yes(after: ["of": "main", "line": "{\"t\":12,"]))),
        Row(
            check: .events, testDescription: "an event with a field of another type",
            reason: "`lock` of `lock.taken` of main#1 is 3",
            answers: RedCase.main(RedCase.yes(after: trace("main", "lock.taken", ["lock": 3])))),
        Row(
            check: .events, testDescription: "an event with a field that is not declared",
            reason: "`lock.taken` of main#1 has the field `colour`",
            answers: RedCase.main(
                RedCase.yes(after: trace("main", "lock.taken", ["lock": "status", "colour": "red"])))),
        Row(
            check: .rules, testDescription: "a lock with two holders", reason: "the rule `exclusion`",
            answers: [
                "main.hasValidActivation": [
                    ["result": true, "traces": .array([trace("main", "memory.created", ["name": "m"])] + lockTaken)]
                ]
            ]),
    ]

    @Test func `The table has one row per check`() {
        for check in FinalCheck.allCases {
            #expect(Self.rows.contains { $0.check == check }, "no red case for \(check)")
            #expect(!check.moments.isEmpty, "\(check) is never looked at")
        }
    }

    @Test(arguments: rows.filter { $0.check != .reasons })
    func `The steps are as expected, and the scenario is red`(_ row: Row) async throws {
        let text = row.steps.hasPrefix("name:") ? row.steps : "name: Final\nsteps:\n\(row.steps)\n"
        let result = try await FakeRun(
            RedCase.scenario(text), answers: FakeAnswers(row.answers), isDiskFull: row.isDiskFull, remains: row.remains
        ).result
        #expect(result.verdict == row.verdict, "\(result.failures.map(\.reason))")
        #expect(result.failures.contains { $0.reason.contains(row.reason) }, "\(result.failures.map(\.reason))")
    }

    @Test func `A step that fails without a reason makes the scenario inconclusive`() async throws {
        let row = try #require(Self.rows.first { $0.check == .reasons })
        let result = try await onThread {
            let scenario = try RedCase.scenario("name: Silent\nsteps:\n\(row.steps)\n")
            let fake = try FakeLab(scenario.topology, answers: FakeAnswers(row.answers))
            defer { fake.end() }
            let run = try ScenarioRun(
                scenario, seed: 1, directory: fake.runDirectory,
                setting: ScenarioRun.Setting(executables: Executables(directory: "/nowhere")),
                interruption: Interruption())
            let events = try TraceBoard(directory: "\(fake.runDirectory)/traces")
            defer { events.stop() }
            let thread = StepRunner(run: run, instance: fake.connection, events: events, bindings: Bindings())
            run.check(.afterTearDown, of: thread, areFine: true)
            #expect(run.failures.isEmpty)
            run.check(.afterTearDown, of: thread, areFine: false)
            return run.result(seconds: 0, launches: [:])
        }
        #expect(result.verdict == row.verdict)
        #expect(result.failures.map(\.reason).first?.contains(row.reason) == true)
    }

    // MARK: Deaths

    private static func event(_ json: JSONValue, at time: UInt64) throws -> TraceEvent {
        let process = json["of"]?.stringValue ?? ""
        let number = json["incarnation"]?.integerValue ?? 1
        return try #require(
            TraceEvent(
                json: [
                    "t": .integer(Int64(time)), "p": .string("\(process)#\(number)"), "e": json["event"] ?? .null,
                    "f": json["fields"] ?? .object([:]),
                ]))
    }

    private static func fired(_ process: String, _ action: String, number: Int64 = 1) -> JSONValue {
        [
            "of": .string(process), "incarnation": .integer(number), "event": "fault.fired",
            "fields": ["id": 1, "point": "state.save", "action": .string(action)],
        ]
    }

    private static let kill: [String: JSONValue] = ["signal": "SIGKILL"]
    private static let crash: [String: JSONValue] = ["signal": "SIGSEGV"]

    /// The record, what commands had requested, and the processes that crashed.
    static let deaths: [(name: String, events: [JSONValue], wanted: [WantedEnd], unwanted: [String])] = [
        ("killed by a fault", [fired("main", "kill"), ended("main", kill)], [], []),
        (
            "one killed by a fault, another that crashed",
            [fired("main", "kill"), ended("main", kill), ended("wallet", crash)], [], ["wallet#1"]
        ),
        (
            "killed by a fault, and crashed when it was launched again",
            [fired("main", "kill"), ended("main", kill), ended("main", crash, number: 2)], [], ["main#2"]
        ),
        (
            "crashed before the fault fired in the next process",
            [ended("main", kill), fired("main", "kill", number: 2)], [], ["main#1"]
        ),
        ("delayed by a fault, and crashed", [fired("main", "delay"), ended("main", kill)], [], ["main#1"]),
        ("crashed although a fault was to kill it", [fired("main", "kill"), ended("main", crash)], [], ["main#1"]),
        ("ended by the system", [ended("main", ["signal": "SIGKILL", "cause": "memory"])], [], []),
        (
            "ended by the system, and crashed when it was launched again",
            [ended("main", ["signal": "SIGKILL", "cause": "memory"]), ended("main", crash, number: 2)], [], ["main#2"]
        ),
        ("ended with its device", [ended("main", ["reason": .string(AppDeaths.endWithDevice)])], [], []),
        ("killed by a command", [ended("main", kill)], [WantedEnd(app: "main", manner: .killed)], []),
        (
            "killed by a command to another", [ended("main", kill)], [WantedEnd(app: "wallet", manner: .killed)],
            ["main#1"]
        ),
        (
            "killed by a command, and once more without one", [ended("main", kill), ended("main", kill, number: 2)],
            [WantedEnd(app: "main", manner: .killed)], ["main#2"]
        ),
        (
            "crashed when it was launched after a kill",
            [ended("main", kill), ended("main", ["status": 1], number: 2)],
            [WantedEnd(app: "main", manner: .killed)], ["main#2"]
        ),
        (
            "crashed instead of being killed", [ended("main", crash)], [WantedEnd(app: "main", manner: .killed)],
            ["main#1"]
        ),
        ("ended when asked to", [ended("main", ["status": 0])], [WantedEnd(app: "main", manner: .terminated)], []),
        (
            "ended by the signal that asks", [ended("main", ["signal": "SIGTERM"])],
            [WantedEnd(app: "main", manner: .terminated)], []
        ),
        (
            "crashed when asked to end", [ended("main", crash)], [WantedEnd(app: "main", manner: .terminated)],
            ["main#1"]
        ),
        ("ended by itself without an error", [ended("main", ["status": 0])], [], ["main#1"]),
        ("not launched", [ended("main", ["status": 2])], [WantedEnd(app: "main", manner: .notLaunched)], []),
        (
            "launched, and crashed after a launch that was refused",
            [trace("main", "process.ready", [:]), ended("main", crash)],
            [WantedEnd(app: "main", manner: .notLaunched)], ["main#1"]
        ),
        (
            "died where a step expects it, and once more",
            [
                ended("main", ["signal": "SIGSEGV", "pid": 7]),
                ended("main", ["signal": "SIGSEGV", "pid": 8], number: 2),
            ],
            [WantedEnd(app: "main", manner: .died(pid: 7))], ["main#2"]
        ),
        (
            "died by a fault where a step expects it, and once more by itself",
            [
                fired("main", "kill"), ended("main", ["signal": "SIGKILL", "pid": 7]),
                ended("main", ["signal": "SIGSEGV", "pid": 8], number: 2),
            ], [WantedEnd(app: "main", manner: .died(pid: 7))], ["main#2"]
        ),
    ]

    @Test(arguments: deaths.indices)
    func `The end of one process does not explain the end of another`(_ index: Int) throws {
        let (name, traces, wanted, unwanted) = Self.deaths[index]
        let events = try traces.enumerated().map { try Self.event($1, at: UInt64($0)) }
        let found = AppDeaths(events, of: ["main", "wallet"], wanted: wanted).unwanted
        #expect(found.map(\.description) == unwanted, "\(name)")
    }

    @Test func `An app whose process is gone without a record of its device has crashed`() async throws {
        let meeting = Barrier(count: 2)
        let answers = FakeAnswers(meeting: meeting)
        let result = try await FakeRun("  - main: hasValidActivation\n", answers: answers) { lab in
            lab.answers.awaitRequest()
            defer { meeting.arriveAndWait() }
            let child = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
            lab.connection.note(LaunchedProcess { $0.pid = child.pid }, of: "wallet")
            try child.signal(SIGKILL)
            _ = try child.wait()
        }.result
        #expect(result.failures.map(\.reason).first?.hasPrefix("the process of `wallet` died by itself") == true)
    }

    @Test(arguments: ["peerDied", "{ code: peerDied, domain: lab }", "any", "{ message: { any: true } }"])
    func `A step that expects an app to die explains its end; a step that expects any error does not`(_ error: String)
        async throws
    {
        let died: JSONValue = [
            "error": ["domain": "lab", "name": "peerDied", "message": "gone"],
            "traces": [Self.ended("main", ["signal": "SIGSEGV", "pid": .integer(Int64(getpid()))])],
        ]
        let result = try await FakeRun(
            "  - main: hasValidActivation\n    fails: \(error)\n", answers: FakeAnswers(RedCase.main(died))
        ).result
        let isExpected = error.contains("peerDied")
        #expect(result.verdict == (isExpected ? .passed : .failed), "\(result.failures.map(\.reason))")
    }

    @Test func `A fault that kills an app does not hide the crash of another one`() async throws {
        let killed: JSONValue = [
            "error": ["domain": "lab", "name": "peerDied", "message": "gone"],
            "traces": [Self.fired("main", "kill"), Self.ended("main", Self.kill), Self.ended("wallet", Self.crash)],
        ]
        let run = try await FakeRun(
            "  - main: hasValidActivation\n    fails: peerDied\n", answers: FakeAnswers(RedCase.main(killed)))
        #expect(
            run.result.failures.map(\.reason).map { String($0.prefix(40)) } == [
                "the process of `wallet` died by itself; "
            ])
        #expect(run.result.verdict == .failed)
    }
}
