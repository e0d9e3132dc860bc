// SPDX-License-Identifier: Apache-2.0

import LabCore
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Scenarios run in rounds: for a number, until a failure, or for a time", .endsInTime)
struct RoundTests {
    private let scenarios: [Scenario]

    init() throws {
        let workspace = try SuiteWorkspace([
            "a.yaml": "name: A\nsteps:\n  - main: kill\n", "b.yaml": "name: B\nsteps:\n  - main: kill\n",
        ])
        scenarios = SuiteReader(labPath: nil, environment: [:]).read([workspace.directory.path]).scenarios
        try #require(scenarios.count == 2)
    }

    private func queue(_ rounds: Rounds, of scenarios: [Scenario]? = nil) -> RoundQueue {
        RoundQueue(scenarios ?? self.scenarios, order: .suite, seed: 7, rounds: rounds)
    }

    /// Takes the available rounds, up to a limit.
    private func taken(_ queue: RoundQueue, most: Int = 20, failedAfter: Int = .max) -> [String] {
        var taken: [String] = []
        while taken.count < most, let job = queue.next(hasFailed: { taken.count >= failedAfter }) {
            taken.append("\(job.id) \(job.seed)")
        }
        return taken
    }

    @Test func `A number of rounds is known from the start, each with the next seed`() throws {
        let queue = queue(try Rounds(count: 2, endAtFailure: false))
        #expect(queue.total == 4)
        #expect(queue.jobs.map(\.index) == [0, 1, 2, 3])
        // A failure does not end them.
        #expect(taken(queue, failedAfter: 0) == ["a.yaml 7", "b.yaml 7", "a.yaml~2 8", "b.yaml~2 8"])
        #expect(self.queue(Rounds()).total == 2)
    }

    @Test func `Rounds until a failure: started rounds finish, and no further one starts`() throws {
        let endless = queue(try Rounds(endAtFailure: true))
        #expect(endless.total == nil)
        #expect(taken(endless, most: 5).last == "a.yaml~3 9")
        #expect(endless.jobs.count == 6, "the third round has begun, no other")
        #expect(
            taken(queue(try Rounds(endAtFailure: true)), failedAfter: 3) == [
                "a.yaml 7", "b.yaml 7", "a.yaml~2 8", "b.yaml~2 8",
            ])
        #expect(taken(queue(try Rounds(count: 3, endAtFailure: true))).count == 6)
    }

    @Test func `Rounds for a time: started rounds finish, and no further one starts`() throws {
        #expect(taken(queue(try Rounds(duration: .seconds(1000), endAtFailure: false)), failedAfter: 0).count == 20)
        let past = LabDuration(nanoseconds: 1)
        #expect(taken(queue(try Rounds(duration: past, endAtFailure: true))) == ["a.yaml 7", "b.yaml 7"])
    }

    @Test func `A scenario that the topology cannot run has one round, because more would never end`() throws {
        let workspace = try SuiteWorkspace([
            "a.yaml": "name: A\nrequires: { actors: [nobody] }\nsteps:\n  - main: kill\n"
        ])
        let scenarios = SuiteReader(labPath: nil, environment: [:]).read([workspace.directory.path]).scenarios
        try #require(scenarios.map { $0.obstacle == nil } == [false])
        #expect(taken(queue(try Rounds(endAtFailure: true), of: scenarios)) == ["a.yaml 7"])
    }

    @Test func `Impossible options are refused with a sentence`() {
        func complaint(_ count: Int?, _ duration: LabDuration?, _ endAtFailure: Bool) -> String? {
            thrown { _ = try Rounds(count: count, duration: duration, endAtFailure: endAtFailure) }.map { "\($0)" }
        }
        #expect(complaint(0, nil, false) == "--repeat must be at least 1")
        #expect(complaint(2, .seconds(1), true)?.contains("exclude each other") == true)
        #expect(complaint(1, nil, true)?.contains("--repeat 1 leaves one") == true)
        #expect(complaint(2, nil, true) == nil)
        #expect(complaint(nil, .seconds(1), true) == nil)
    }
}
