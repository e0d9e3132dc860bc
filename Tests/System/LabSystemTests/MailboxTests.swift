import Dispatch
import LabSystem
import TestSupport
import Testing

@Suite("A mailbox", .endsInTime)
struct MailboxTests {
    @Test("Messages are taken in the order of their arrival, one by one or all at once")
    func order() {
        let mailbox = Mailbox<Int>()
        for number in 1...4 { #expect(mailbox.send(number)) }
        #expect(mailbox.take() == 1)
        #expect(mailbox.takeAll() == [2, 3, 4])
        mailbox.send(5)
        #expect(mailbox.takeAll() == [5])
    }

    @Test("A mailbox whose messages were taken all at once is empty")
    func emptied() {
        let mailbox = Mailbox<Int>()
        for number in 1...3 { mailbox.send(number) }
        #expect(mailbox.takeAll() == [1, 2, 3])
        #expect(mailbox.take(timeoutNanoseconds: 1_000_000) == nil)
        mailbox.send(4)
        #expect(mailbox.take() == 4)
        #expect(mailbox.take(timeoutNanoseconds: 0) == nil)
    }

    @Test("A wait ends at its limit, not before")
    func limit() {
        let mailbox = Mailbox<Int>()
        let begin = MonotonicClock.nanoseconds()
        #expect(mailbox.take(timeoutNanoseconds: 2_000_000) == nil)
        #expect(MonotonicClock.nanoseconds() - begin >= 2_000_000)
        #expect(!mailbox.isClosed)
    }

    @Test("A message ends the wait for it")
    func waitBeforeMessage() {
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

    @Test("A closed mailbox refuses messages, gives those that wait, and then its end")
    func closeWithMessages() {
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

    @Test("The end reaches every thread that waits")
    func closeWhileWaiting() {
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

    @Test("Of many senders each message arrives, and those of one in its order", arguments: [false, true])
    func manySenders(takesAll: Bool) {
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

    @Test("Of many takers one gets a message, and all end when it is closed")
    func manyTakers() {
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
