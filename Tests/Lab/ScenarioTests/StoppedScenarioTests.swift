// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("A stopped scenario says what it was waiting for", .endsInTime)
struct StoppedScenarioTests {
    @Test
    func `An interruption ends a call in progress and says what it waited for; the scenario has not passed`()
        async throws
    {
        let interruption = Interruption()
        let run = try await FakeRun(
            "  - main: hasValidActivation\n  - main: hasValidActivation\n",
            answers: FakeAnswers(isSilent: true), interruption: interruption
        ) { lab in
            lab.answers.awaitRequest()
            interruption.set()
        }
        // Without the interruption the call would have timed out, which is a failure.
        #expect(run.result.verdict == .inconclusive, "\(run.sinks)")
        let reasons = run.result.failures.map(\.reason)
        #expect(reasons.count == 1, "\(reasons)")
        #expect(
            reasons.first?.wholeMatch(of: #/interrupted: this step had waited .+ for the answer of `main`/#) != nil,
            "\(reasons)")
        #expect(run.result.failures.first?.place?.description == "scenario.yaml:3:5")
    }

    @Test func `An interruption does not affect a running tear-down: the steps have passed`() async throws {
        let interruption = Interruption()
        let meeting = Barrier(count: 2)
        let run = try await FakeRun(
            "name: Test\nsteps:\n  - clock: freeze\ntearDown:\n  - main: hasValidActivation\n",
            answers: FakeAnswers(meeting: meeting), interruption: interruption
        ) { lab in
            lab.answers.awaitRequest()
            interruption.set()
            meeting.arriveAndWait()
        }
        #expect(run.result.verdict == .passed, "\(run.sinks)")
    }

    @Test func `A forced interruption also ends the tear-down`() async throws {
        let interruption = Interruption()
        let run = try await FakeRun(
            "name: Test\nsteps:\n  - main: hasValidActivation\ntearDown:\n  - main: hasPendingActivation\n",
            answers: FakeAnswers(isSilent: true), interruption: interruption
        ) { lab in
            lab.answers.awaitRequest()
            interruption.force()
        }
        #expect(run.requests.map(\.command) == ["hasValidActivation"])
        #expect(run.result.verdict == .inconclusive, "\(run.sinks)")
    }

    @Test func `A scenario that exceeds its time limit fails and says so`() async throws {
        var limits = TimeLimits()
        limits.scenario = .milliseconds(1)
        let run = try await FakeRun(
            "  - main: hasValidActivation\n", answers: FakeAnswers(isSilent: true), limits: limits)
        #expect(run.result.verdict == .failed)
        let failure = try #require(run.result.failures.first)
        // Whether the step had started by then depends on the machine.
        #expect(failure.reason.hasPrefix("the scenario takes longer than 1ms, its limit (--scenario-timeout)"))
        #expect(run.result.failures.count == 1)
    }

    @Test func `A command without an answer ends after the limit for a step`() async throws {
        var limits = TimeLimits()
        limits.step = .milliseconds(1)
        let run = try await FakeRun(
            "  - main: hasValidActivation\n    fails: { code: timedOut }\n",
            answers: FakeAnswers(isSilent: true), limits: limits)
        #expect(run.result.verdict == .passed, "\(run.sinks)")
    }

    @Test
    func `Without options a step has half a minute, a scenario and its tear-down a minute each, a run any time`() {
        let limits = TimeLimits()
        #expect(limits.step == LabDuration.seconds(30).stretched)
        #expect(limits.scenario == LabDuration.seconds(60).stretched)
        #expect(limits.run == nil)
        #expect(Phase.usualLimit == LabDuration.seconds(30).stretched)
    }
}
