// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// How an agent carries out what its end of a link decides: what is stored, sent, traced, and when it looks again.
@Suite("The agent's side of a link", .endsInTime)
struct LinkHostTests {
    private func userInfo() throws -> WatchFrame {
        WatchFrame(.userInfo, flags: .propertyList, messageId: UUID(), body: try content(1))
    }

    /// Lets the next write of the device fail.
    private func refuseStore(of phone: UnservedAgent, error: String = "EIO") throws {
        _ = try phone.agent.faults.arm(FaultRule(point: .linkStore, process: "phone", action: .fail(error)))
    }

    @Test
    func `A watch greets again until it is connected or out of range, the first time at once; a phone waits`() throws {
        let watch = try UnservedAgent("watch")
        let host = watch.agent.links[0]
        #expect(host.nextDeadline == 0)
        host.effects = []
        let before = MonotonicClock.nanoseconds()
        host.collectDue()
        #expect(host.effects == [.greet])
        let due = try #require(host.nextDeadline)
        #expect(due >= before + 10_000_000 && due <= MonotonicClock.nanoseconds() + 10_000_000)
        host.updateTimers()
        #expect(host.nextDeadline == due)
        host.collect(.range(isInRange: false))
        host.updateTimers()
        #expect(host.nextDeadline == nil, "there is nothing to look for")
        host.collect(.range(isInRange: true))
        let again = MonotonicClock.nanoseconds()
        host.updateTimers()
        let next = try #require(host.nextDeadline)
        #expect(next >= again + 5_000_000 && next <= MonotonicClock.nanoseconds() + 5_000_000)
        host.collect(.fromPeer(host.greeting()))
        host.updateTimers()
        #expect(host.link.isUp && host.nextDeadline == nil)
        let phone = try UnservedAgent()
        for host in phone.agent.links {
            host.updateTimers()
            #expect(host.nextDeadline == nil)
        }
    }

    @Test func `Questions and repetitions are due by the lab's clock, and then after some real time`() throws {
        let watch = try UnservedAgent("watch")
        let host = watch.agent.links[0]
        host.collect(.fromPeer(host.greeting()))
        let before = MonotonicClock.nanoseconds()
        host.updateTimers()
        try watch.device.clock.advance(by: .milliseconds(499))
        #expect(host.nextDeadline == nil)
        try watch.device.clock.advance(by: .milliseconds(1))
        let earliest = try #require(host.nextDeadline)
        #expect(earliest >= before + 100_000_000)
        host.collect(.peerEnded)
        host.updateTimers()
        host.collect(.range(isInRange: false))
        host.updateTimers()
        #expect(host.nextDeadline == nil, "a lost connection asks nothing")
    }

    @Test func `Of several confirmations in a row only the last is sent, and all else in order`() throws {
        let phone = try UnservedAgent()
        let host = phone.agent.links[0]
        _ = host.air.arm(.slow(by: .seconds(60), jitter: .zero), .init(kind: .acknowledgement), .toWatch)
        _ = host.air.arm(.slow(by: .seconds(60), jitter: .zero), .init(kind: .transfer), .toWatch)
        func confirmation(_ sequence: UInt64) -> LinkEffect {
            .toPeer(WatchFrame(.userInfoAcknowledgement, sequence: sequence))
        }
        host.effects = [
            confirmation(1), .toPeer(WatchFrame(.userInfo, sequence: 2)), confirmation(3),
            .toPeer(WatchFrame(.userInfo, sequence: 4)), confirmation(5), .toPeer(WatchFrame(.userInfo, sequence: 6)),
        ]
        _ = try host.settled()
        #expect(host.air.count(.toWatch) == 4)
        let sent = try host.air.heal().map { try WatchFrame(parts: $0.parts).sequence }
        #expect(sent == [2, 4, 5, 6])
    }

    @Test func `Effects for apps are carried out in their order, once, after everything was stored`() throws {
        let phone = try UnservedAgent()
        let host = phone.agent.links[0]
        let entry = Outbox.Entry(
            position: 1, transferId: UUID(), origin: "main", destination: "companion", body: Data([1]))
        let batch: [LinkEffect] = [
            .toApp("main", WatchFrame(.event)), .launch("main"), .store(.accepted(entry)), .wake("main"),
            .toApp("main", WatchFrame(.deliver)), .linkChanged(isUp: true), .linkChanged(isUp: false),
        ]
        host.effects = batch
        #expect(host.hasEffects)
        let stored = { try host.database.load(counterparts: [:]).outbox.entries.count }
        var performed: [LinkEffect] = []
        try host.settle { (effect: LinkEffect) throws in
            #expect(try stored() == 1)
            performed.append(effect)
        }
        #expect(performed == batch.filter { $0 != .store(.accepted(entry)) })
        #expect(!host.hasEffects)
        #expect(try host.settled().isEmpty)
    }

    @Test func `The end of the connection loses what is under way, and its begin does not`() throws {
        let phone = try UnservedAgent()
        let host = phone.agent.links[0]
        _ = host.air.arm(.slow(by: .seconds(60), jitter: .zero), .init(), .toWatch)
        host.effects = [.toPeer(WatchFrame(.live)), .linkChanged(isUp: true)]
        _ = try host.settled()
        #expect(host.air.count(.toWatch) == 1)
        host.effects = [.linkChanged(isUp: false)]
        _ = try host.settled()
        #expect(host.air.count(.toWatch) == 0)
    }

    @Test
    func
        `When the storage refuses a batch, waiting apps get its error, and of the rest only what needs no storage happens`()
        throws
    {
        let phone = try UnservedAgent()
        let host = phone.agent.links[0]
        func app(_ kind: WatchFrame.Kind, _ flags: WatchFrame.Flags = [], _ sequence: UInt64 = 0) -> LinkEffect {
            .toApp("main", WatchFrame(kind, flags: flags, sequence: sequence))
        }
        let lost: [LinkEffect] = [
            app(.deliver), app(.context), app(.transferDone), app(.transferProgress), .greet,
            .handOver(
                "main",
                ReceivedFile(
                    transferId: UUID(), file: WatchFile(path: "a", size: 0), parts: [], hasMore: false,
                    wasOffered: false)),
        ]
        let kept: [LinkEffect] = [
            app(.deliver, .retransmission), app(.event), app(.activate), app(.live), app(.liveError),
            .launch("main"), .wake("main"), .linkChanged(isUp: true),
        ]
        try refuseStore(of: phone)
        host.effects =
            [.store(.told(transferId: UUID())), app(.transferQueued), app(.transferQueued, [], 7009)] + lost + kept
        let performed = try host.settled()
        #expect(performed == [app(.transferQueued, [], 7013), app(.transferQueued, [], 7009)] + kept)
        #expect(!host.isListening && host.nextDeadline == host.pause)
        let refusals = try phone.traced(.diskRefused)
        #expect(refusals.map(\.fields) == [["what": "queue", "error": "EIO"]])
    }

    @Test func `Of a refused batch no frame leaves that says something is stored`() throws {
        let phone = try UnservedAgent()
        let host = phone.agent.links[0]
        _ = host.air.arm(.slow(by: .seconds(60), jitter: .zero), .init(), .toWatch)
        _ = host.air.arm(.slow(by: .seconds(60), jitter: .zero), .init(kind: .state), .toWatch)
        let kinds: [WatchFrame.Kind] = [
            .live, .liveAcknowledgement, .liveReply, .liveError, .userInfo, .userInfoAcknowledgement, .userInfoGap,
            .userInfoTombstone, .userInfoRefusal, .filePart, .context, .contextAcknowledgement, .state,
        ]
        try refuseStore(of: phone)
        let frames: [LinkEffect] = kinds.map { .toPeer(WatchFrame($0)) }
        host.effects = [.store(.told(transferId: UUID()))] + frames
        _ = try host.settled()
        let sent = try host.air.heal().map { try WatchFrame(parts: $0.parts).kind }
        #expect(sent == [.live, .liveAcknowledgement, .liveReply, .liveError, .state])
    }

    @Test
    func `After a refused write the device continues from the disk when its pause is over, and stores again`() throws {
        let phone = try UnservedAgent()
        let host = phone.agent.links[0]
        try refuseStore(of: phone, error: "ENOSPC")
        host.collect(.fromApp("main", try userInfo()))
        #expect(host.link.outbox.count == 1)
        guard case .toApp("main", let refusal)? = try host.settled().first
        else { throw Unexpected("the app got no answer") }
        #expect(refusal.kind == .transferQueued && refusal.sequence == 7015)
        #expect(host.link.outbox.count == 0 && !host.isListening)
        host.effects = []
        host.pause = .max
        host.collectDue()
        #expect(!host.isListening && host.effects.isEmpty, "the pause is not over")
        host.pause = 1
        host.collectDue()
        #expect(host.isListening && host.effects == [.greet])
        host.collect(.fromApp("main", try userInfo()))
        _ = try host.settled()
        #expect(try host.database.load(counterparts: [:]).outbox.count == 1)
    }

    @Test
    func `The end of a pairing that the storage has refused is stored later, once, and a new pairing stays`() throws {
        for isPairedAgain in [false, true] {
            let phone = try UnservedAgent()
            let host = phone.agent.links[0]
            host.effects = []
            try refuseStore(of: phone)
            host.unpair()
            _ = try host.settled()
            #expect(host.link.pairing == WatchLink.firstPairing && host.link.role == .unpaired)
            if isPairedAgain { host.collect(.role(.active)) }
            _ = try host.settled()
            for round in 1...2 {
                let before = host.link.pairing
                host.pause = 1
                host.collectDue()
                _ = try host.settled()
                #expect((host.link.pairing != before) == (round == 1), "round \(round)")
                #expect(host.link.role == (isPairedAgain ? .active : .unpaired))
                #expect(try host.database.load(counterparts: [:]).pairing == host.link.pairing)
            }
        }
    }
}
