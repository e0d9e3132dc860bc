// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import LabSystem
import Synchronization
import TestSupport
import Testing

@Suite("Events and threads", .endsInTime)
struct EventTests {
    @Test func `An event stays signalled until drained`() throws {
        let event = try EventDescriptor()
        #expect(try !event.wait(timeoutNanoseconds: 0))
        event.signal()
        event.signal()
        #expect(try event.wait())
        #expect(!event.drain())
    }

    @Test func `Draining reports whether the event was signalled`() throws {
        let event = try EventDescriptor()
        #expect(!event.drain())
        event.signal()
        #expect(event.drain())
        #expect(!event.drain())
        event.signal()
        #expect(try event.wait(timeoutNanoseconds: 0))
        #expect(try !event.wait(timeoutNanoseconds: 0))
    }

    @Test func `A thread has the beginning of its name, fifteen bytes of it`() {
        let names = Mutex<[String]>([])
        for name in ["a name longer than fifteen bytes", "short"] {
            runOnThread(name: name) {
                let shown = (try? Files.read("/proc/thread-self/comm")).map { String(decoding: $0, as: UTF8.self) }
                names.withLock { $0.append(shown ?? "") }
            }.join()
        }
        #expect(names.withLock { $0 } == ["a name longer t\n", "short\n"])
    }

    @Test func `Polling reports each descriptor by itself`() throws {
        let first = try EventDescriptor()
        let second = try EventDescriptor()
        second.signal()
        let ready = try Polling.waitReadable([first.rawDescriptor, -1, second.rawDescriptor])
        #expect(ready == [false, false, true])
    }

    @Test func `Durations come from a clock that does not go back`() {
        var last = MonotonicClock.nanoseconds()
        for _ in 0..<1_000 {
            let now = MonotonicClock.nanoseconds()
            #expect(now >= last)
            last = now
        }
    }

    @Test func `A joined thread has run its body`() {
        let box = Box()
        runOnThread(name: "a name longer than fifteen bytes") { box.value.store(true, ordering: .releasing) }.join()
        let isDone = box.value.load(ordering: .acquiring)
        #expect(isDone)
    }

    private final class Box: Sendable {
        let value = Atomic<Bool>(false)
    }
}
