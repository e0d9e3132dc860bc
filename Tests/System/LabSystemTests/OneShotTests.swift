import Dispatch
import LabSystem
import TestSupport
import Testing

@Suite("A value that is set once", .endsInTime)
struct OneShotTests {
    @Test("The first value stays, and a later one is refused")
    func setTwice() {
        let value = OneShot<Int>()
        #expect(value.set(1))
        #expect(!value.set(2))
        #expect(value.wait() == 1)
    }

    @Test("A value that is set is there at once, each time and without time to wait")
    func waitAfterSet() {
        let value = OneShot<String>()
        value.set("here")
        #expect(value.wait() == "here")
        #expect(value.wait() == "here")
        #expect(value.wait(timeoutNanoseconds: 0) == "here")
        #expect(value.wait(timeoutNanoseconds: -1) == "here")
    }

    @Test("Every waiting thread gets the value")
    func waitBeforeSet() {
        let value = OneShot<Int>()
        let begun = DispatchSemaphore(value: 0)
        let got = Mailbox<Int?>()
        let threads = (0..<8).map { number in
            runOnThread(name: "waiter") {
                begun.signal()
                got.send(number.isMultiple(of: 2) ? value.wait() : value.wait(timeoutNanoseconds: .max))
            }
        }
        for _ in threads { begun.wait() }
        value.set(7)
        for thread in threads { thread.join() }
        #expect(got.takeAll() == Array(repeating: 7, count: 8))
    }

    @Test("A wait ends at its limit, not before, and the value may still come")
    func limit() {
        let value = OneShot<Int>()
        let begin = MonotonicClock.nanoseconds()
        #expect(value.wait(timeoutNanoseconds: 2_000_000) == nil)
        #expect(MonotonicClock.nanoseconds() - begin >= 2_000_000)
        #expect(value.wait(timeoutNanoseconds: 0) == nil)
        #expect(value.set(1))
        #expect(value.wait(timeoutNanoseconds: 0) == 1)
    }

    @Test("Nil is a value like others")
    func optional() {
        let value = OneShot<Int?>()
        #expect(value.set(nil))
        #expect(!value.set(1))
        #expect(value.wait() == nil)
    }

    @Test("Of many threads that set it, one is first, and its value is the one that all see")
    func manySetters() {
        let value = OneShot<Int>()
        let first = Mailbox<Int>()
        let threads = (0..<8).map { number in
            runOnThread(name: "setter") {
                if value.set(number) { first.send(number) }
            }
        }
        for thread in threads { thread.join() }
        #expect(first.takeAll() == [value.wait()])
    }
}
