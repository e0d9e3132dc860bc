// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("The engine runs steps as they are written", .endsInTime)
struct EngineTests {
    @Test
    func `A run whose record cannot be written because the disk is full is inconclusive and says why`() async throws {
        let run = try await FakeRun("  - clock: freeze\n", isDiskFull: true)
        #expect(run.result.verdict == .inconclusive)
        let reason = try #require(run.result.failures.first?.reason)
        #expect(reason.contains("history.jsonl is not complete"), "\(reason)")
        #expect(reason.hasSuffix("the disk is full"), "\(reason)")
    }

    @Test func `An app command goes to the app, a command about its process to its device`() async throws {
        let run = try await FakeRun(
            """
              - main: hasValidActivation
              - main: suspend
              - main: resume
              - pairing: down
              - phone: keychainItems
            """)
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.map(\.command) == ["hasValidActivation", "suspend", "resume", "down", "keychainItems"])
        #expect(run.requests.map(\.actor) == ["main", "main", "main", "pairing", "phone"])
        #expect(run.requests.map(\.operation) == ["1", "2", "3", "4", "5"])
    }

    @Test func `A step with 'eventually' passes when its expectation holds`() async throws {
        let no: JSONValue = ["result": false]
        let run = try await FakeRun(
            "  - eventually: 5s\n    main: hasValidActivation\n    expect: true\n",
            answers: FakeAnswers(["main.hasValidActivation": [no, no, ["result": true]]]))
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.count == 3)
    }

    @Test
    func `A step with 'eventually' and without an expectation is retried until its command succeeds`() async throws {
        let failure: JSONValue = ["error": ["domain": "lab", "name": "wrongState", "message": "not yet"]]
        let run = try await FakeRun(
            "  - eventually: 5s\n    main: kill\n",
            answers: FakeAnswers(["main.kill": [failure, failure, ["result": nil]]]))
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.count == 3)
    }

    /// On a busy machine one attempt can take a while.
    private static let timeForSeveralAttempts = LabDuration.seconds(1).stretched

    @Test func `A step with 'eventually' does not flood a process whose trace is busy`() async throws {
        let limit = Self.timeForSeveralAttempts
        let run = try await FakeRun(
            "  - eventually: \(limit)\n    main: hasValidActivation\n    expect: true\n",
            answers: FakeAnswers(["main.hasValidActivation": [["result": false]]])
        ) { lab in
            for number in Int64(0)..<2000 { try lab.emit(.stateSaved, of: "main", ["bytes": .integer(number)]) }
        }
        #expect(run.result.verdict == .failed, "\(run.sinks)")
        // Three of the attempts in 20 ms may follow an event, a fourth the pause.
        #expect(run.requests.count <= 4 * Int(limit.seconds / 0.02 + 1), "\(run.requests.count)")
        #expect(run.requests.count > 1)
    }

    @Test
    func `An event of the asked process triggers the next attempt; events caused by the attempt do not`() async throws {
        let own = TraceBoard.Interest(processes: ["main"], own: "3")
        func event(_ name: TraceEventName, of process: String, operation: String?) throws -> TraceEvent {
            let directory = try TemporaryDirectory()
            try TraceWriter(directory: directory.path, process: process, incarnation: 1).emit(
                name, operation: operation)
            return try #require(try TraceReader.readAll(directory.path).first)
        }
        #expect(own.covers(try event(.stateSaved, of: "main", operation: nil)))
        #expect(own.covers(try event(.stateSaved, of: "main", operation: "30")))
        #expect(!own.covers(try event(.stateSaved, of: "main", operation: "3.1")))
        #expect(!own.covers(try event(.commandFinished, of: "main", operation: nil)))
        #expect(!own.covers(try event(.stateSaved, of: "wallet", operation: nil)))
    }

    @Test func `An expected error is matched by its name, its number, and members of userInfo`() async throws {
        let error: JSONValue = [
            "error": [
                "domain": "WCErrorDomain", "code": 7007, "name": "notReachable", "message": "m", "userInfo": ["x": 1],
            ]
        ]
        let run = try await FakeRun(
            """
              - main: hasValidActivation
                fails: notReachable
              - main: hasValidActivation
                fails: { domain: WCErrorDomain, code: 7007, x: 1 }
              - main: hasValidActivation
                fails: any
                as: error
              - check: "${error.code}"
                expect: notReachable
            """, answers: FakeAnswers(["main.hasValidActivation": [error]]))
        #expect(run.result.verdict == .passed, "\(run.sinks)")
    }

    @Test func `The branches of a race overlap, and the run proves it`() async throws {
        let run = try await FakeRun(
            "  - race:\n      - main: hasValidActivation\n      - wallet: hasValidActivation\n",
            answers: FakeAnswers(meeting: Barrier(count: 2)))
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.result.commands == 2)
    }

    @Test func `waitFor takes each event once, also one that came before`() async throws {
        let run = try await FakeRun(
            """
              - waitFor: { event: state.saved, peer: main, where: { bytes: 1 } }
              - waitFor: { event: state.saved, peer: main }
            """
        ) { lab in
            try lab.emit(.stateSaved, of: "wallet", ["bytes": 1])
            try lab.emit(.stateSaved, of: "main", ["bytes": 1])
            try lab.emit(.stateSaved, of: "main", ["bytes": 2])
        }
        #expect(run.result.verdict == .passed, "\(run.sinks)")
    }

    @Test(arguments: [("peer: main, ", ""), ("", "peer: main, "), ("", "")])
    func `An event satisfies only one waitFor, whether a process is named or not`(first: String, second: String)
        async throws
    {
        let run = try await FakeRun(
            """
              - waitFor: { event: state.saved, \(first)within: 5s }
              - waitFor: { event: state.saved, \(second)within: 20ms }
            """
        ) { try $0.emit(.stateSaved, of: "main", ["bytes": 1]) }
        #expect(run.result.verdict == .failed)
        #expect(run.result.failures.map(\.step) == ["2"], "\(run.sinks)")
    }

    @Test func `advance moves the instance's clock, faults are armed and disarmed in its table`() async throws {
        let run = try await FakeRun(
            """
              - clock: freeze
              - advance: 5m
              - faults: arm
                with: { point: state.saved, peer: main, action: kill }
              - faults: disarm
            """)
        #expect(run.result.verdict == .passed, "\(run.sinks)")
    }

    @Test func `A tear-down runs after a failure; a step whose value was never captured is skipped`() async throws {
        let run = try await FakeRun(
            """
            name: Tear-down
            steps:
              - main: hasValidActivation
                expect: true
              - server: initActivation
                as: code
            tearDown:
              - server: removeActivation
                with: { activationId: "${code.activationId}" }
              - wallet: hasValidActivation
            """, answers: FakeAnswers(["main.hasValidActivation": [["result": false]]]))
        #expect(run.result.verdict == .failed)
        #expect(run.result.failures.count == 1, "\(run.sinks)")
        #expect(run.requests.map(\.command) == ["hasValidActivation", "hasValidActivation"])
        #expect(run.events.contains { $0.kind == .stepSkipped })
    }

    @Test func `Every step of a tear-down runs, even after a failed one`() async throws {
        let run = try await FakeRun(
            """
            name: Tear-down
            steps:
              - main: hasValidActivation
            tearDown:
              - wallet: hasValidActivation
                expect: true
              - phone: keychainItems
            """, answers: FakeAnswers(["wallet.hasValidActivation": [["result": false]]]))
        #expect(run.result.failures.count == 1, "\(run.sinks)")
        #expect(run.requests.map(\.command) == ["hasValidActivation", "hasValidActivation", "keychainItems"])
    }

    @Test(
        arguments: ["main", "wallet"],
        ["parallel", "race"])
    func `A failed branch ends the scenario with its block, whichever branch it is`(actor: String, word: String)
        async throws
    {
        let run = try await FakeRun(
            """
              - \(word):
                  - main: hasValidActivation
                    expect: true
                  - wallet: hasValidActivation
                    expect: true
              - phone: keychainItems
            """,
            answers: FakeAnswers(
                [
                    "main.hasValidActivation": [["result": .bool(actor != "main")]],
                    "wallet.hasValidActivation": [["result": .bool(actor != "wallet")]],
                ], meeting: Barrier(count: 2)))
        #expect(run.result.failures.count == 1, "\(run.sinks)")
        #expect(!run.requests.map(\.command).contains("keychainItems"))
    }

    @Test func `A block with 'eventually' that never holds reports only its last attempt`() async throws {
        let run = try await FakeRun(
            """
              - eventually: \(Self.timeForSeveralAttempts)
                steps:
                  - main: hasValidActivation
                    expect: true
            """, answers: FakeAnswers(["main.hasValidActivation": [["result": false]]]))
        #expect(run.requests.count > 1)
        #expect(run.result.failures.count == 1, "\(run.sinks)")
    }

    @Test func `A block with 'eventually' counts the attempts that have begun`() async throws {
        let run = try await FakeRun(
            """
              - eventually: \(Self.timeForSeveralAttempts)
                steps:
                  - main: hasValidActivation
                    expect: true
            """, answers: FakeAnswers(["main.hasValidActivation": [["result": false]]]))
        let begun = run.events.count { $0.kind == .stepStarted && $0.step == "1.1" }
        let reason = try #require(run.result.failures.first?.reason)
        #expect(reason.contains("(last of \(begun) attempts in "), "\(begun) have begun: \(reason)")
    }

    @Test func `The steps behind a failed one are recorded as not run, of a block only the block`() async throws {
        let run = try await FakeRun(
            """
            name: Rest
            steps:
              - repeat: 1
                steps:
                  - main: hasValidActivation
                    expect: true
                  - phone: keychainItems
              - parallel:
                  - main: activationIdentifier
                  - wallet: activationIdentifier
            tearDown:
              - phone: keychainItems
            """, answers: FakeAnswers(["main.hasValidActivation": [["result": false]]]))
        let rest = run.events.filter { $0.kind == .stepNotRun }
        #expect(rest.map(\.step) == ["1.2", "2"])
        #expect(rest.last?.fact == HistoryEvent.Fact.stepNotRun(.init(title: "parallel", sentence: nil)))
    }

    @Test func `The history has one JSON line per event`() async throws {
        let run = try await FakeRun("  - main: hasValidActivation\n")
        #expect(run.events.map(\.kind) == [.source, .stepStarted, .command, .stepFinished])
        #expect(run.history.split(separator: "\n").count == 4)
    }

    @Test func `The overlap of a race is proven only if every possible timing of the work overlaps`() {
        func work(_ sent: UInt64, _ received: UInt64, _ handling: UInt64) -> HandlingInterval {
            HandlingInterval(sent: sent, received: received, handling: handling)
        }
        // Both worked nearly all the time between request and answer.
        #expect(Overlap.isProven([work(0, 100, 95)], [work(10, 110, 95)]))
        // One after the other.
        #expect(!Overlap.isProven([work(0, 100, 95)], [work(100, 200, 95)]))
        #expect(!Overlap.isProven([work(0, 100, 100)], [work(100, 200, 100)]), "one began when the other ended")
        // The time stamps overlap, but the short pieces of work need not.
        #expect(!Overlap.isProven([work(0, 100, 10)], [work(0, 100, 10)]))
        // A branch counts from its first command to its last.
        #expect(Overlap.isProven([work(0, 10, 8), work(90, 100, 8)], [work(40, 50, 8)]))
        #expect(!Overlap.isProven([], [work(0, 1, 1)]))
        #expect(Overlap.unproven([[work(0, 9, 9)], [work(1, 9, 8)], [work(20, 30, 9)]]).map { [$0, $1] } == [0, 2])
    }

    @Test func `A race without overlap is explained by the times that were compared`() {
        func work(_ sent: UInt64, _ received: UInt64, _ handling: UInt64) -> HandlingInterval {
            HandlingInterval(sent: sent * 1_000_000, received: received * 1_000_000, handling: handling * 1_000_000)
        }
        // The times between request and answer overlap, but the work need not.
        #expect(
            Overlap.account(of: [[work(0, 100, 10)], [work(5, 100, 10)]], 0, 1)
                == "branch 1 began at 90.00 ms at the latest and worked until 10.00 ms at least, branch 2 began at 90.00 ms at the latest and worked until 15.00 ms at least"
        )
        var (first, second) = (work(0, 100, 10), work(5, 100, 10))
        (first.traced, second.traced) = (20_000_000...30_000_000, 40_000_000...50_000_000)
        #expect(
            Overlap.account(of: [[first], [second]], 0, 1)
                == "branch 1 worked from 20.00 ms to 30.00 ms, branch 2 worked from 40.00 ms to 50.00 ms")
        #expect(Overlap.account(of: [[first], []], 0, 1) == "branch 2 sent no command at all")
    }
}
