// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What the sending half decides, step by step: all changes to store and all frames, in order (watch.md, section 11.6).
@Suite("The sending half of guaranteed transfers", .endsInTime)
struct OutboxTests {
    private let ids = (0..<8).map { _ in UUID() }

    /// An outbox that has accepted so many transfers, one byte each.
    private func filled(_ count: Int, isConnected: Bool = true) -> Outbox {
        var outbox = Outbox(epoch: 7)
        if isConnected { _ = outbox.connect(epoch: 7, received: 0) }
        for number in 0..<count {
            _ = outbox.add(ids[number], origin: "a", destination: "b", body: Data([UInt8(number)]))
        }
        return outbox
    }

    private func entry(_ number: Int, sequence: UInt64? = nil, endCode: Int? = nil) -> Outbox.Entry {
        Outbox.Entry(
            position: Int64(number + 1), transferId: ids[number], origin: "a", destination: "b", sequence: sequence,
            endCode: endCode, body: Data([UInt8(number)]))
    }

    private func sent(
        _ number: Int, _ sequence: UInt64, isAgain: Bool = false, isTombstone: Bool = false, epoch: UInt64 = 7
    ) -> LinkEffect {
        let flags: WatchFrame.Flags = isAgain ? [.propertyList, .retransmission] : [.propertyList]
        return .toPeer(
            WatchFrame(
                isTombstone ? .userInfoTombstone : .userInfo, flags: flags, messageId: ids[number], epoch: epoch,
                sequence: sequence, app: "b", body: isTombstone ? Data() : Data([UInt8(number)])))
    }

    @Test func `A transfer is stored, numbered and sent once there is a connection, and over when it is confirmed`() {
        var outbox = Outbox(epoch: 7)
        let accepted = outbox.add(ids[0], origin: "a", destination: "b", body: Data([0]))
        #expect(accepted == [.store(.accepted(entry(0)))])
        #expect(outbox.contains(ids[0]) && !outbox.contains(ids[1]) && !outbox.isWaitingForAcknowledgement)
        let connected = outbox.connect(epoch: 7, received: 0)
        #expect(connected == [.store(.numbered(position: 1, sequence: 1)), sent(0, 1)])
        let second = outbox.add(ids[1], origin: "a", destination: "b", body: Data([1]))
        #expect(second == [.store(.accepted(entry(1))), .store(.numbered(position: 2, sequence: 2)), sent(1, 2)])
        #expect(outbox.count == 2 && outbox.size == 2 && outbox.isWaitingForAcknowledgement)
        #expect(outbox.outstanding(of: "a").map(\.transferId) == Array(ids.prefix(2)))
        #expect(outbox.outstanding(of: "b").isEmpty)
        let first = outbox.acknowledge(epoch: 7, upTo: 1)
        #expect(first == [.store(.acknowledged(upTo: 1)), .finished(entry(0, sequence: 1), code: nil)])
        #expect(outbox.entries == [entry(1, sequence: 2)] && outbox.acknowledged == 1 && outbox.lastSequence == 2)
        #expect(outbox.isWaitingForAcknowledgement && outbox.retransmit() == [sent(1, 2, isAgain: true)])
        let last = outbox.acknowledge(epoch: 7, upTo: 2)
        #expect(last == [.store(.acknowledged(upTo: 2)), .finished(entry(1, sequence: 2), code: nil)])
        #expect(outbox.count == 0 && outbox.size == 0 && outbox.entries.isEmpty && !outbox.contains(ids[1]))
        #expect(!outbox.isWaitingForAcknowledgement && outbox.retransmit().isEmpty)
    }

    @Test(arguments: [(6, 2), (8, 2), (7, 4), (7, 1), (7, 0)] as [(UInt64, UInt64)])
    func `An answer about another epoch, a number that was confirmed or one that was never given changes nothing`(
        epoch: UInt64, sequence: UInt64
    ) {
        var outbox = filled(3)
        _ = outbox.acknowledge(epoch: 7, upTo: 1)
        let before = outbox
        let effects =
            outbox.acknowledge(epoch: epoch, upTo: sequence) + outbox.rewind(epoch: epoch, to: sequence)
            + outbox.refuse(epoch: epoch, sequence: sequence, code: 7015)
        #expect(effects.isEmpty && outbox == before)
    }

    @Test
    func `A question for a number confirms those before it and brings all from there on again, on a connection only`() {
        var outbox = filled(3)
        let effects = outbox.rewind(epoch: 7, to: 2)
        #expect(
            effects == [
                .store(.acknowledged(upTo: 1)), .finished(entry(0, sequence: 1), code: nil),
                sent(1, 2, isAgain: true), sent(2, 3, isAgain: true),
            ])
        let last = outbox.rewind(epoch: 7, to: 3)
        #expect(last.last == sent(2, 3, isAgain: true) && last.count == 3)
        outbox.disconnect()
        #expect(outbox.rewind(epoch: 7, to: 3).isEmpty)
    }

    @Test
    func `A transfer that is cancelled after it was sent becomes a tombstone; it ends as the receiver has seen it`() {
        for skipped in [[], [1], [2]] as [[UInt64]] {
            var outbox = filled(2)
            let effects = outbox.cancel(ids[0])
            #expect(
                effects == [
                    .store(.ended(position: 1, code: 7014)), sent(0, 1, isAgain: true, isTombstone: true),
                    sent(1, 2, isAgain: true),
                ])
            #expect(outbox.cancel(ids[0]).isEmpty && outbox.cancel(UUID()).isEmpty)
            #expect(outbox.outstanding(of: "a").map(\.transferId) == [ids[1]])
            let ends = outbox.acknowledge(epoch: 7, upTo: 2, skipped: skipped)
            let code = skipped == [1] ? 7014 : nil
            #expect(
                ends == [
                    .store(.acknowledged(upTo: 2)), .finished(entry(0, sequence: 1, endCode: 7014), code: code),
                    .finished(entry(1, sequence: 2), code: nil),
                ])
        }
        var waiting = filled(2, isConnected: false)
        let effects = waiting.cancel(ids[0])
        #expect(effects == [.store(.withdrawn(position: 1)), .finished(entry(0), code: 7014)])
        #expect(waiting.entries == [entry(1)] && waiting.count == 1 && waiting.size == 1)
    }

    @Test func `A refused transfer becomes a tombstone with the code of its first refusal`() {
        var outbox = filled(2)
        let effects = outbox.refuse(epoch: 7, sequence: 2, code: 7006)
        #expect(
            effects == [
                .store(.ended(position: 2, code: 7006)), sent(0, 1, isAgain: true),
                sent(1, 2, isAgain: true, isTombstone: true),
            ])
        #expect(outbox.refuse(epoch: 7, sequence: 2, code: 7015).isEmpty)
        #expect(outbox.entries == [entry(0, sequence: 1), entry(1, sequence: 2, endCode: 7006)])
    }

    @Test func `A connection continues where the receiver is, also over the next connection`() {
        for received in 1...3 as ClosedRange<UInt64> {
            var outbox = filled(3)
            _ = outbox.acknowledge(epoch: 7, upTo: 1)
            outbox.disconnect()
            #expect(!outbox.isWaitingForAcknowledgement && outbox.retransmit().isEmpty)
            let effects = outbox.connect(epoch: 7, received: received)
            var expected: [LinkEffect] = received == 1 ? [] : [.store(.acknowledged(upTo: received))]
            for sequence in 2..<received + 1 {
                expected.append(.finished(entry(Int(sequence) - 1, sequence: sequence), code: nil))
            }
            for sequence in received + 1..<4 { expected.append(sent(Int(sequence) - 1, sequence, isAgain: true)) }
            #expect(effects == expected, "received \(received)")
        }
    }

    @Test(arguments: [(7, 0), (7, 4), (6, 3), (6, 0)] as [(UInt64, UInt64)])
    func `A receiver that has forgotten what it confirmed, or remembers what was never sent, begins a new sequence`(
        known: UInt64, received: UInt64
    ) {
        var outbox = filled(3)
        _ = outbox.acknowledge(epoch: 7, upTo: 1)
        _ = outbox.cancel(ids[1])
        let effects = outbox.connect(epoch: known, received: received)
        #expect(effects == [.store(.restarted(epoch: 8)), .finished(entry(1, endCode: 7014), code: 7014), .greet])
        #expect(outbox.epoch == 8 && outbox.acknowledged == 0 && outbox.lastSequence == 0)
        #expect(outbox.entries == [entry(2)] && outbox.count == 1 && outbox.size == 1)
        let next = outbox.connect(epoch: 8, received: 0)
        #expect(next == [.store(.numbered(position: 3, sequence: 1)), sent(2, 1, epoch: 8)])
    }

    @Test func `An outbox that has confirmed nothing connects with a receiver that knows another one`() {
        var outbox = filled(1, isConnected: false)
        let effects = outbox.connect(epoch: 6, received: 5)
        #expect(effects == [.store(.numbered(position: 1, sequence: 1)), sent(0, 1)])
    }

    @Test func `A restored outbox continues after its last number, and marks what an earlier process has sent`() {
        var outbox = Outbox(
            epoch: 7, acknowledged: 1, lastSequence: 2, entries: [entry(1, sequence: 2), entry(2), entry(4)])
        #expect(outbox.count == 3 && outbox.size == 3)
        let effects = outbox.connect(epoch: 7, received: 1)
        #expect(
            effects == [
                sent(1, 2, isAgain: true), .store(.numbered(position: 3, sequence: 3)), sent(2, 3),
                .store(.numbered(position: 5, sequence: 4)), sent(4, 4),
            ])
        let added = outbox.add(ids[5], origin: "a", destination: "b", body: Data([5]))
        #expect(added.first == .store(.accepted(entry(5))), "the position after the greatest one")
    }

    @Test func `A queue finds each position by halving, and no other one`() {
        for count in 0...9 {
            var queue = Fifo<Outbox.Entry>()
            for place in 0..<count {
                var next = entry(0)
                next.position = Int64(2 * place + 2)
                queue.append(next)
            }
            for place in 0..<count { #expect(queue.index(of: Int64(2 * place + 2)) == place) }
            for place in 0...count { #expect(queue.index(of: Int64(2 * place + 1)) == nil, "\(place) of \(count)") }
        }
    }
}
