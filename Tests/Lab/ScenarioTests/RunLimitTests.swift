// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Interruptions, limits of time, and what a run waits for", .endsInTime)
struct RunLimitTests {
    // MARK: Interruptions

    @Test func `The first reason counts, and the end at once is also a stop`() {
        let interruption = Interruption()
        #expect(!interruption.isSet && !interruption.isForced && interruption.reason == "")
        interruption.set(because: "the run takes too long")
        interruption.set()
        #expect(interruption.isSet && !interruption.isForced)
        #expect(interruption.reason == "the run takes too long")
        interruption.force()
        #expect(interruption.isForced && interruption.reason == "the run takes too long")
        let forced = Interruption()
        forced.force()
        #expect(forced.isSet && forced.isForced && forced.reason == "interrupted")
    }

    @Test func `Work hears of each request once while it lasts, and at once of those before it`() {
        let (interruption, heard) = (Interruption(), Recorder<String>())
        func work(_ name: String, _ body: () -> Void) {
            interruption.reaching({ heard.add("stop \(name)") }, end: { heard.add("end \(name)") }, during: body)
        }
        work("1") {}
        work("2") {
            interruption.set()
            interruption.set()
        }
        #expect(heard.all == ["stop 2"])
        work("3") {
            interruption.force()
            interruption.force()
        }
        #expect(heard.all == ["stop 2", "stop 3", "end 3"])
        work("4") {}
        #expect(heard.all == ["stop 2", "stop 3", "end 3", "stop 4", "end 4"])
    }

    @Test func `An inner interruption follows the outer one, with its reason, and does not affect it`() {
        let (outer, first, second) = (Interruption(), Interruption(), Interruption())
        outer.passing(to: first) { first.set(because: "inner") }
        #expect(!outer.isSet && first.reason == "inner")
        outer.passing(to: second) {
            outer.set(because: "outer")
            #expect(second.isSet && !second.isForced && second.reason == "outer")
            outer.force()
            #expect(second.isForced)
        }
        let third = Interruption()
        outer.passing(to: third) { #expect(third.isForced) }
        let fourth = Interruption()
        Interruption().passing(to: fourth) {}
        #expect(!fourth.isSet)
    }

    // MARK: Time

    @Test func `A deadline is over when its time has passed; the rest is counted in whole milliseconds`() {
        for limit in [LabDuration.zero, .milliseconds(-5)] {
            let deadline = Deadline(after: limit, of: "the step")
            #expect(deadline.isOver && deadline.rest == .zero, "\(limit)")
        }
        let before = MonotonicClock.nanoseconds()
        let hour = Deadline(after: .minutes(60), of: "the step")
        #expect((before + 3_600_000_000_000...MonotonicClock.nanoseconds() + 3_600_000_000_000).contains(hour.time))
        #expect(!hour.isOver)
        #expect(hour.rest > .minutes(59) && hour.rest <= .minutes(60))
        #expect(hour.rest.nanoseconds % 1_000_000 == 0)
        #expect(hour.sentence == "the step takes longer than 1h")
        let day = Deadline(after: .minutes(1_440), of: "the block")
        #expect(Deadline.earlier(hour, day).sentence == hour.sentence)
        #expect(Deadline.earlier(day, hour).sentence == hour.sentence)
        #expect(Deadline.earlier(nil, day).sentence == day.sentence)
    }

    @Test func `A countdown acts once when its time is over, and not when the work has ended before`() async throws {
        try await onThread {
            let acts = Recorder<String>()
            let over = Countdown(.milliseconds(1)) { acts.add("\($0)") }
            try acts.wait(for: "1ms")
            over.end()
            Countdown(.minutes(60)) { acts.add("\($0)") }.end()
            Countdown(nil) { acts.add("\($0)") }.end()
            #expect(acts.all == ["1ms"])
        }
    }

    @Test func `A retried step pauses, but not beyond its last attempt`() {
        let (now, pause) = (UInt64(1_000), UInt64(Pacing.pause.nanoseconds))
        let rows: [(deadline: UInt64, rest: UInt64)] = [
            (0, 0), (now - 1, 0), (now, 0), (now + 1, 1), (now + pause - 1, pause - 1), (now + pause, pause),
            (now + pause + 1, pause), (.max, pause),
        ]
        for (deadline, rest) in rows {
            let waited = Pacing.rest(at: now, until: deadline)
            #expect(waited.nanoseconds == Int64(rest), "\(deadline)")
        }
    }

    // MARK: Steps

    private static func steps(_ text: String) throws -> [Step] {
        try RedCase.scenario("name: Steps\nsteps:\n\(text)\n").steps
    }

    @Test func `What a stopped step waited for is named by its kind`() throws {
        let rows = [
            ("- main: hasValidActivation", "the answer of `main`"),
            ("- main: hasValidActivation\n  eventually: 1s", "`main` to answer as expected"),
            ("- waitFor: { event: state.saved, peer: main }", "the event `state.saved` of `main`"),
            ("- advance: 5m", "the lab's clock"),
            ("- eventually: 1s\n  steps:\n    - check: 1\n      expect: 1", "its steps to hold"),
            ("- repeat: 2\n  steps:\n    - check: 1\n      expect: 1", "its steps"),
        ]
        for (text, awaited) in rows {
            let (times, step) = (StepTimes(), try #require(try Self.steps(text).first))
            #expect(times.waiting.isEmpty)
            times.begin(step)
            let sentence = try #require(times.waiting.first?.sentence)
            #expect(sentence.hasPrefix("this step had waited ") && sentence.hasSuffix(" for \(awaited)"), "\(sentence)")
            times.end(step)
            #expect(times.waiting.isEmpty)
        }
    }

    @Test func `At each time the innermost running step is known, the actor's own first`() throws {
        let text = """
            - parallel:
                - main: hasValidActivation
                - - repeat: 2
                    steps:
                      - wallet: hasValidActivation
            """
        let block = try #require(try Self.steps(text).first)
        let (main, loop) = (block.inner[0], block.inner[1])
        let wallet = try #require(loop.inner.first)
        #expect([block, main, loop, wallet].map(\.path) == ["1", "1.1.1", "1.2.1", "1.2.1.1"])
        let times = StepTimes()
        let early = MonotonicClock.nanoseconds()
        #expect(times.begin(of: main) == 0)
        for step in [block, main, loop, wallet] { times.begin(step) }
        let both = MonotonicClock.nanoseconds()
        #expect(times.step(at: early, by: "main") == nil)
        #expect(times.step(at: both, by: "main") == "1.1.1")
        #expect(times.step(at: both, by: "wallet") == "1.2.1.1")
        #expect(times.step(at: both, by: "phone") == "1.2.1.1")
        #expect(times.waiting.map(\.step.path) == ["1.1.1", "1.2.1.1"])
        #expect((early...both).contains(times.begin(of: main)))
        times.end(wallet)
        times.end(loop)
        let after = MonotonicClock.nanoseconds() + 1
        #expect(times.step(at: after, by: "wallet") == "1.1.1")
        #expect(times.step(at: both, by: "wallet") == "1.2.1.1")
        #expect(times.waiting.map(\.step.path) == ["1.1.1"])
    }
}
