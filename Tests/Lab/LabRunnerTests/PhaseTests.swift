import LabKit
import TestSupport
import Testing

@testable import LabRunner

@Suite("Set-up, steps and tear-down follow one another, each within its limit", .endsInTime)
struct PhaseTests {
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
}
