// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What greetings contain and cause, and how a connection ends (watch.md, sections 11.4 and 11.6).
@Suite("Greetings and farewells, step by step", .endsInTime)
struct LinkGreetingStepTests {
    /// An end in which every number differs from the others.
    private func end(isWatch: Bool) -> WatchLink {
        let queues = StoredQueues(
            pairing: 5, outbox: Outbox(epoch: 11, acknowledged: 3, lastSequence: 3),
            inbox: Inbox(epoch: 21, received: 22, skipped: [20, 22]),
            contexts: ContextExchange(received: ["app": .init(version: 31, body: Data([1]), isDone: true)]))
        return WatchLink(
            setup: WatchLink.Setup(
                name: "link", device: isWatch ? "watch" : "phone", peer: isWatch ? "phone" : "watch",
                isWatch: isWatch, counterparts: ["app": "other"], pid: 41, process: 51),
            queues: queues, isInRange: true)
    }

    private func identifier(_ process: UInt64, _ number: UInt64) -> GreetingBody.Identifier {
        GreetingBody.Identifier(process: process, number: number)
    }

    private func own(_ number: UInt64, answers: GreetingBody.Identifier? = nil, device: String = "watch")
        -> GreetingBody
    {
        GreetingBody(
            device: device, pairing: 5, identifier: identifier(51, number), answers: answers, pid: 41, epoch: 11,
            receivedEpoch: 21, receivedSequence: 22, skipped: [20, 22], receivedContexts: ["app": 31])
    }

    /// The greeting of the other device, which knows everything that this one has sent.
    private func theirs(
        _ device: String, _ number: UInt64, process: UInt64 = 61, epoch: UInt64 = 21,
        answers: GreetingBody.Identifier? = nil
    ) -> GreetingBody {
        GreetingBody(
            device: device, pairing: 5, identifier: identifier(process, number), answers: answers, pid: 71,
            epoch: epoch, receivedEpoch: 11, receivedSequence: 3, skipped: [], receivedContexts: [:])
    }

    private func hello(_ body: GreetingBody) -> WatchLink.Input {
        .fromPeer(WatchFrame(.hello, body: WatchFrame.body(body)))
    }

    private func frames(_ effects: [LinkEffect]) -> [WatchFrame] {
        effects.compactMap { if case .toPeer(let frame) = $0 { frame } else { nil } }
    }

    private func changes(of connection: [LinkEffect]) -> [Bool] {
        connection.compactMap { if case .linkChanged(let isUp) = $0 { isUp } else { nil } }
    }

    @Test
    func `A greeting states pairing, process, outbox, and how far everything has come; each has a number of its own`()
        throws
    {
        var link = end(isWatch: true)
        for number in 1...3 as ClosedRange<UInt64> {
            let frame = link.hello()
            #expect(frame.kind == .hello)
            #expect(try frame.decodeBody(GreetingBody.self) == own(number))
        }
        let effects = link.handle(hello(theirs("phone", 9)), at: 0)
        let welcome = try #require(frames(effects).first)
        #expect(welcome.kind == .welcome)
        #expect(try welcome.decodeBody(GreetingBody.self) == own(3, answers: identifier(61, 9)))
        #expect(link.isUp && link.peer == theirs("phone", 9) && changes(of: effects) == [true])
        #expect(link.counterpartVersion == StateVersion(process: 61, number: 0))
    }

    @Test func `A welcome connects as a greeting does, and gets no answer`() throws {
        var link = end(isWatch: true)
        _ = link.hello()
        let body = theirs("phone", 9, answers: identifier(51, 1))
        let effects = link.handle(.fromPeer(WatchFrame(.welcome, body: WatchFrame.body(body))), at: 0)
        #expect(link.isUp && changes(of: effects) == [true])
        #expect(frames(effects).map(\.kind) == [.state])
    }

    @Test
    func `Another greeting of the same process keeps the connection; one of another process ends it first`() throws {
        for isWatch in [true, false] {
            let peer = isWatch ? "phone" : "watch"
            var link = end(isWatch: isWatch)
            _ = link.handle(hello(theirs(peer, 1)), at: 0)
            let same = link.handle(hello(theirs(peer, 2)), at: 0)
            #expect(changes(of: same).isEmpty && frames(same).map(\.kind) == [.welcome, .state])
            let restarted = link.handle(hello(theirs(peer, 1, process: 62)), at: 0)
            #expect(changes(of: restarted) == [false, true], "\(peer)")
            #expect(link.peer == theirs(peer, 1, process: 62))
        }
    }

    @Test func `A watch with another outbox was erased and is met anew; a phone that begins another one is the same`() {
        for isWatch in [true, false] {
            let peer = isWatch ? "phone" : "watch"
            var link = end(isWatch: isWatch)
            _ = link.handle(hello(theirs(peer, 1)), at: 0)
            let effects = link.handle(hello(theirs(peer, 2, epoch: 22)), at: 0)
            #expect(changes(of: effects) == (isWatch ? [] : [false, true]), "\(peer)")
            #expect(effects.contains(.store(.senderChanged(epoch: 22))) && link.inbox.epoch == 22)
        }
    }

    @Test func `The number of the last state counts for one process of the other device`() {
        var link = end(isWatch: true)
        func state(_ number: UInt64, isUnlocked: Bool) -> WatchLink.Input {
            .fromPeer(
                WatchFrame(
                    .state, epoch: 21, sequence: number,
                    body: WatchFrame.body(PublishedState(isUnlocked: isUnlocked, apps: ["other": .init()]))))
        }
        _ = link.handle(hello(theirs("phone", 1)), at: 0)
        _ = link.handle(state(4, isUnlocked: false), at: 0)
        #expect(!link.counterpartState.isUnlocked && link.counterpartVersion.number == 4)
        _ = link.handle(state(3, isUnlocked: true), at: 0)
        _ = link.handle(hello(theirs("phone", 2)), at: 0)
        _ = link.handle(state(4, isUnlocked: true), at: 0)
        #expect(!link.counterpartState.isUnlocked && link.counterpartVersion.number == 4)
        _ = link.handle(hello(theirs("phone", 1, process: 62)), at: 0)
        #expect(link.counterpartState.isUnlocked, "what the process before has published is over")
        _ = link.handle(state(1, isUnlocked: false), at: 0)
        #expect(!link.counterpartState.isUnlocked && link.counterpartVersion == StateVersion(process: 62, number: 1))
    }

    @Test func `Each end of a connection has its reason on the wire, and the end of a pairing names it`() throws {
        let rows: [(isWatch: Bool, WatchLink.Input, reason: ByeReason, epoch: UInt64)] = [
            (false, .range(isInRange: false), .outOfRange, 0), (true, .shutdown, .shutdown, 0),
            (false, .shutdown, .shutdown, 0), (true, .erased(epoch: 99), .erased, 0),
            (false, .role(.idle), .switched, 0), (false, .unpaired(epoch: 99), .unpaired, 5),
            (false, .erased(epoch: 99), .unpaired, 5),
        ]
        for (isWatch, input, reason, epoch) in rows {
            var link = end(isWatch: isWatch)
            _ = link.handle(hello(theirs(isWatch ? "phone" : "watch", 1)), at: 0)
            let effects = link.handle(input, at: 0)
            #expect(frames(effects) == [WatchFrame(.bye, epoch: epoch, sequence: reason.rawValue)], "\(input)")
            // An agent that ends keeps its connection for as long as it needs for this.
            #expect(link.isUp == (input == .shutdown), "\(input)")
        }
        let reasons: [ByeReason] = [.outOfRange, .shutdown, .replaced, .version, .erased, .switched, .unpaired]
        #expect(reasons.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test func `An end that is not connected says no farewell, except that the devices go out of range`() {
        for input in [.shutdown, .erased(epoch: 9), .role(.idle), .unpaired(epoch: 9), .peerEnded, .beat]
            as [WatchLink.Input]
        {
            var link = end(isWatch: false)
            #expect(frames(link.handle(input, at: 0)).isEmpty, "\(input)")
        }
    }

    @Test func `A farewell ends the connection; one about another pairing is no end of anything`() {
        for isWatch in [true, false] {
            let peer = isWatch ? "phone" : "watch"
            for reason in [ByeReason.outOfRange, .shutdown, .erased, .switched] {
                var link = end(isWatch: isWatch)
                _ = link.handle(hello(theirs(peer, 1)), at: 0)
                let effects = link.handle(.fromPeer(WatchFrame(.bye, sequence: reason.rawValue)), at: 0)
                #expect(changes(of: effects) == [false] && !link.isUp && link.peer == nil)
            }
            var link = end(isWatch: isWatch)
            _ = link.handle(hello(theirs(peer, 1)), at: 0)
            let late = WatchFrame(.bye, epoch: 4, sequence: ByeReason.unpaired.rawValue)
            #expect(link.handle(.fromPeer(late), at: 0).isEmpty && link.isUp && link.pairing == 5)
        }
    }

    @Test func `An end seeks the other one if it is a watch in range without a connection`() {
        var watch = end(isWatch: true)
        #expect(watch.isSeeking && watch.handle(.seek, at: 0) == [.greet])
        _ = watch.handle(.range(isInRange: false), at: 0)
        #expect(!watch.isSeeking && watch.handle(.seek, at: 0).isEmpty)
        #expect(watch.handle(.range(isInRange: true), at: 0) == [.greet] && watch.isSeeking)
        _ = watch.handle(hello(theirs("phone", 1)), at: 0)
        #expect(!watch.isSeeking && watch.handle(.seek, at: 0).isEmpty)
        var phone = end(isWatch: false)
        #expect(!phone.isSeeking && phone.handle(.seek, at: 0).isEmpty)
        #expect(phone.handle(.healed, at: 0) == [.greet])
        for role in [LinkRole.idle, .unpaired] {
            var unused = end(isWatch: false)
            _ = unused.handle(.role(role), at: 0)
            for input in [.healed, .retry, .range(isInRange: false), .range(isInRange: true)] as [WatchLink.Input] {
                #expect(!unused.handle(input, at: 0).contains(.greet), "\(role), \(input)")
            }
        }
    }
}
