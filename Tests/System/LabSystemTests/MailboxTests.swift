// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LabSystem
import Synchronization
import TestSupport
import Testing

@Suite("A mailbox", .endsInTime)
struct MailboxTests {
    @Test func `Messages are taken in the order of their arrival, one by one or all at once`() {
        let mailbox = Mailbox<Int>()
        for number in 1...4 { #expect(mailbox.send(number)) }
        #expect(mailbox.take() == 1)
        #expect(mailbox.takeAll() == [2, 3, 4])
        mailbox.send(5)
        #expect(mailbox.takeAll() == [5])
    }

    @Test func `A mailbox whose messages were taken all at once is empty`() {
        let mailbox = Mailbox<Int>()
        for number in 1...3 { mailbox.send(number) }
        #expect(mailbox.takeAll() == [1, 2, 3])
        #expect(mailbox.take(timeoutNanoseconds: 1_000_000) == nil)
        mailbox.send(4)
        #expect(mailbox.take() == 4)
        #expect(mailbox.take(timeoutNanoseconds: 0) == nil)
    }

    @Test func `A wait ends at its limit, not before`() {
        let mailbox = Mailbox<Int>()
        let begin = MonotonicClock.nanoseconds()
        #expect(mailbox.take(timeoutNanoseconds: 2_000_000) == nil)
        #expect(MonotonicClock.nanoseconds() - begin >= 2_000_000)
        #expect(!mailbox.isClosed)
    }

    @Test func `A message ends the wait for it`() {
        let mailbox = Mailbox<Int>()
        let begun = DispatchSemaphore(value: 0)
        let got = OneShot<Int?>()
        let thread = runOnThread(name: "taker") {
            begun.signal()
            got.set(mailbox.take())
        }
        begun.wait()
        mailbox.send(1)
        thread.join()
        #expect(got.wait() == 1)
    }

    @Test func `A closed mailbox refuses messages, gives those that wait, and then its end`() {
        let mailbox = Mailbox<Int>()
        for number in 1...3 { mailbox.send(number) }
        mailbox.close()
        mailbox.close()
        #expect(mailbox.isClosed)
        #expect(!mailbox.send(4))
        #expect(mailbox.take() == 1)
        #expect(mailbox.takeAll() == [2, 3])
        #expect(mailbox.take() == nil)
        #expect(mailbox.take() == nil)
        #expect(mailbox.takeAll() == nil)
    }

    @Test func `The end reaches every thread that waits`() {
        let mailbox = Mailbox<Int>()
        let begun = DispatchSemaphore(value: 0)
        let ended = Mailbox<Bool>()
        let threads = (0..<4).map { number in
            runOnThread(name: "taker") {
                begun.signal()
                let takesAll = number.isMultiple(of: 2)
                ended.send(takesAll ? mailbox.takeAll() == nil : mailbox.take(timeoutNanoseconds: .max) == nil)
            }
        }
        for _ in threads { begun.wait() }
        mailbox.close()
        for thread in threads { thread.join() }
        #expect(ended.takeAll() == Array(repeating: true, count: 4))
    }

    /// How many threads send in the tests of many.
    private static let senders = 8
    /// How many messages each of them sends.
    private static let messages = 500

    @Test(arguments: [false, true])
    func `Of many senders each message arrives, and those of one in its order`(takesAll: Bool) {
        let mailbox = Mailbox<(sender: Int, number: Int)>()
        let senders = (0..<Self.senders).map { sender in
            runOnThread(name: "sender") {
                for number in 0..<Self.messages { mailbox.send((sender, number)) }
            }
        }
        var numbers = Array(repeating: [Int](), count: Self.senders)
        var missing = Self.senders * Self.messages
        while missing > 0, let taken = takesAll ? mailbox.takeAll() : mailbox.take().map({ [$0] }) {
            for message in taken { numbers[message.sender].append(message.number) }
            missing -= taken.count
        }
        #expect(numbers == Array(repeating: Array(0..<Self.messages), count: Self.senders))
        for sender in senders { sender.join() }
        #expect(mailbox.take(timeoutNanoseconds: 0) == nil)
    }

    @Test func `Of many takers one gets a message, and all end when it is closed`() {
        let mailbox = Mailbox<Int>()
        let got = Mailbox<Int>()
        let takers = (0..<4).map { _ in
            runOnThread(name: "taker") {
                while let number = mailbox.take() { got.send(number) }
            }
        }
        let senders = (0..<Self.senders).map { sender in
            runOnThread(name: "sender") {
                for number in 0..<Self.messages { mailbox.send(sender * Self.messages + number) }
            }
        }
        for sender in senders { sender.join() }
        mailbox.close()
        for taker in takers { taker.join() }
        #expect(got.takeAll()?.sorted() == Array(0..<Self.senders * Self.messages))
    }
}

@Suite("A value that is set once", .endsInTime)
struct OneShotTests {
    @Test func `The first value stays, and a later one is refused`() {
        let value = OneShot<Int>()
        #expect(value.set(1))
        #expect(!value.set(2))
        #expect(value.wait() == 1)
    }

    @Test func `A value that is set is there at once, each time and without time to wait`() {
        let value = OneShot<String>()
        value.set("here")
        #expect(value.wait() == "here")
        #expect(value.wait() == "here")
        #expect(value.wait(timeoutNanoseconds: 0) == "here")
        #expect(value.wait(timeoutNanoseconds: -1) == "here")
    }

    @Test func `Every waiting thread gets the value`() {
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

    @Test func `A wait ends at its limit, not before, and the value may still come`() {
        let value = OneShot<Int>()
        let begin = MonotonicClock.nanoseconds()
        #expect(value.wait(timeoutNanoseconds: 2_000_000) == nil)
        #expect(MonotonicClock.nanoseconds() - begin >= 2_000_000)
        #expect(value.wait(timeoutNanoseconds: 0) == nil)
        #expect(value.set(1))
        #expect(value.wait(timeoutNanoseconds: 0) == 1)
    }

    @Test func `Nil is a value like others`() {
        let value = OneShot<Int?>()
        #expect(value.set(nil))
        #expect(!value.set(1))
        #expect(value.wait() == nil)
    }

    @Test func `Of many threads that set it, one is first, and its value is the one that all see`() {
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

@Suite("A place for a handler", .endsInTime)
struct HandlerSlotTests {
    @Test func `A hundred thousand calls need no more stack than the first one`() async throws {
        try await onThread {
            let slot = HandlerSlot<Int>()
            // The address of a local variable of the handler shows how deep the stack is.
            let depths = Mutex<Set<UInt>>([])
            slot.set { number in
                var local = number
                let depth = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
                depths.withLock { _ = $0.insert(depth) }
            }
            for number in 0..<100_000 { slot(number) }
            #expect(depths.withLock { $0.count } == 1)
        }
    }

    @Test func `A call reaches the handler that was set last, and none before the first is set`() {
        let slot = HandlerSlot<Void>()
        let calls = Mutex<[String]>([])
        slot()
        slot.set { calls.withLock { $0.append("first") } }
        slot()
        slot.set { calls.withLock { $0.append("second") } }
        slot()
        #expect(calls.withLock { $0 } == ["first", "second"])
    }
}
