// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("How much the queues of a link hold", .endsInTime)
struct QueueCapacityTests {
    /// What the app was answered about a transfer: 0 for accepted.
    private func answer(_ id: UUID, at end: LinkWorld.End) -> UInt64? {
        end.toApp.last { $0.kind == .transferQueued && $0.messageId == id }?.sequence
    }

    @Test func `A transfer is refused with 7015 while the sender's queue is full, and accepted afterwards`() throws {
        let world = try LinkWorld(capacity: QueueCapacity(transfers: 3))
        try world.activateApp(of: world.phone)
        let sent = try (0..<3).map { try world.transfer($0, from: world.phone) }
        #expect(sent.map { answer($0, at: world.phone) } == [0, 0, 0])
        let refused = try world.transfer(from: world.phone)
        #expect(answer(refused, at: world.phone) == 7015)
        #expect(world.phone.link.outbox.entries.count == 3)
        try world.settle()
        let late = try world.transfer(from: world.phone)
        #expect(answer(late, at: world.phone) == 0)
        try world.settle()
        #expect(world.watch.handled == sent + [late])
    }

    @Test func `A transfer whose end is not acknowledged counts in the queue`() throws {
        let world = try LinkWorld(capacity: QueueCapacity(transfers: 2))
        try world.settle()
        world.phone.hearsEnds = false
        _ = try (0..<2).map { try world.transfer($0, from: world.phone) }
        try world.settle()
        #expect(world.phone.link.outbox.entries.isEmpty)
        #expect(answer(try world.transfer(from: world.phone), at: world.phone) == 7015)
    }

    @Test func `Contents are bounded together`() throws {
        let size = try content().count
        let world = try LinkWorld(capacity: QueueCapacity(size: 2 * size))
        try world.activateApp(of: world.phone)
        let answers = try (0..<3).map { _ in answer(try world.transfer(from: world.phone), at: world.phone) }
        #expect(answers == [0, 0, 7015])
        try world.settle()
        #expect(world.phone.link.outbox.size == 0 && world.watch.link.inbox.size == 0)
    }

    @Test
    func `A transfer that has no room in the receiver's inbox ends with 7015; the ones in it are handled`() throws {
        let world = try LinkWorld(capacity: QueueCapacity(transfers: 3))
        try world.settle()
        try world.killApp(of: world.watch)
        var sent: [UUID] = []
        for number in 0..<5 {
            sent.append(try world.transfer(number, from: world.phone))
            try world.exchange()
        }
        #expect(world.watch.link.inbox.count == 3)
        #expect(world.phone.codes == [sent[3]: 7015, sent[4]: 7015])
        try world.settle()
        #expect(world.watch.handled == Array(sent.prefix(3)))
        #expect(world.phone.finished == sent)
        let late = try world.transfer(from: world.phone)
        try world.settle()
        #expect(world.watch.handled.last == late)
    }

    @Test func `The work for a transfer does not grow with the number of those that wait`() {
        // A scan of the queue for each would take hours, and not come to its end in time.
        let count = 100_000
        var outbox = Outbox(epoch: 7)
        var inbox = Inbox()
        _ = inbox.connect(epoch: 7)
        let ids = (0..<count).map { _ in UUID() }
        for id in ids { _ = outbox.add(id, origin: "phoneApp", destination: "watchApp", body: Data()) }
        for id in ids.suffix(1000) { _ = outbox.cancel(id) }
        var frames = outbox.connect(epoch: 7, received: 0)
        var ends = EndedTransfers()
        var sequence: UInt64 = 0
        while outbox.count > 0 {
            for case .toPeer(let frame) in frames {
                _ = inbox.receive(frame)
                sequence = frame.sequence
            }
            frames = outbox.acknowledge(epoch: 7, upTo: sequence)
            for case .finished(let entry, let code) in frames {
                ends.add(
                    FinishedTransfer(
                        transferId: entry.transferId, app: entry.origin, content: .userInfo(entry.body), code: code))
            }
        }
        var handled: [UUID] = []
        while case .toApp(_, let frame)? = inbox.offer(to: "watchApp").last {
            handled.append(frame.messageId)
            _ = inbox.handled(frame.messageId, by: "watchApp")
        }
        #expect(handled == ids.dropLast(1000))
        #expect(inbox.count == 0 && inbox.entries.isEmpty)
        #expect(ends.waiting(for: "phoneApp").map(\.transferId) == handled)
        let told = handled.filter { ends.told($0, by: "phoneApp") }
        #expect(told == handled)
        #expect(ends.count == 0)
    }

    @Test func `A queue returns its elements in order, also after removals from its middle`() {
        var queue = Fifo(0..<10)
        let first = queue.popFirst()
        let middle = queue.remove(at: 1)
        #expect(first == 0 && middle == 2)
        queue.append(10)
        queue[0] = 11
        #expect(Array(queue) == [11, 3, 4, 5, 6, 7, 8, 9, 10] && queue == Fifo([11, 3, 4, 5, 6, 7, 8, 9, 10]))
        queue.removeAll { $0 > 8 }
        #expect(Array(queue) == [3, 4, 5, 6, 7, 8] && queue.first == 3)
        var long = Fifo(0..<1000)
        for expected in 0..<1000 {
            let first = long.popFirst()
            #expect(first == expected)
            long.append(expected)
        }
        #expect(long.count == 1000 && long.first == 0)
        #expect(Fifo<Int>().first == nil)
    }
}
