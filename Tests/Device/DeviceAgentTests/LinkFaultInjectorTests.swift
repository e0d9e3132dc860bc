// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("The air between phone and watch", .endsInTime)
final class LinkFaultInjectorTests {
    private static let millisecond: Int64 = 1_000_000
    private var air = LinkFaultInjector(seed: 1, link: "pairing")

    private func live(_ number: UInt64) -> WatchFrame { WatchFrame(.live, sequence: number, body: Data([1, 2, 3])) }

    /// The numbers of the messages that arrive whole.
    private func numbers(_ arrivals: [LinkFaultInjector.Arrival]) -> [UInt64] {
        arrivals.compactMap { try? WatchFrame(parts: $0.parts).sequence }
    }

    private func take(
        _ frame: WatchFrame, _ direction: LinkDirection = .toWatch, at milliseconds: Int64 = 0
    ) -> [UInt64] {
        numbers(air.take(frame, direction, at: milliseconds * Self.millisecond).arrivals)
    }

    private func arrivals(at milliseconds: Int64) -> [UInt64] {
        numbers(air.arrivals(until: milliseconds * Self.millisecond))
    }

    @Test(
        arguments: [
            (WatchFrame.Kind.live, LinkMessageKind.live), (.liveReply, .reply), (.liveError, .reply),
            (.userInfo, .transfer), (.filePart, .transfer), (.userInfoTombstone, .transfer),
            (.liveAcknowledgement, .acknowledgement), (.userInfoAcknowledgement, .acknowledgement),
            (.userInfoGap, .acknowledgement), (.userInfoRefusal, .acknowledgement),
            (.contextAcknowledgement, .acknowledgement), (.context, .context), (.state, .state), (.hello, nil),
            (.welcome, nil), (.bye, nil), (.ping, nil), (.pong, nil),
        ] as [(WatchFrame.Kind, LinkMessageKind?)])
    func `A fault of the link aims at each frame by the kind that it has for a scenario`(
        kind: WatchFrame.Kind, word: LinkMessageKind?
    ) {
        #expect(WatchFrame(kind).messageKind == word)
    }

    @Test func `Without faults everything arrives at once`() {
        #expect(air.isClear)
        #expect(take(live(1)) == [1])
        #expect(air.isClear && air.nextArrival == nil)
    }

    @Test func `A narrow link lets its bytes pass one after the other, in each direction by itself`() {
        let size = live(1).parts.map(\.count).reduce(0, +)
        _ = air.arm(.slow(by: .zero, jitter: .zero, rate: size), .init(), .toWatch)
        #expect(take(live(1)) == [] && take(live(2)) == [], "a second each")
        #expect(take(live(9), .toPhone) == [9])
        #expect(arrivals(at: 999) == [] && arrivals(at: 1_000) == [1])
        #expect(arrivals(at: 1_999) == [] && arrivals(at: 2_000) == [2])
        #expect(take(live(3), at: 5_000) == [], "an idle second is not saved up")
        #expect(arrivals(at: 5_999) == [] && arrivals(at: 6_000) == [3])
    }

    @Test func `A slow link delays each message from its acceptance and keeps the order with any jitter`() {
        _ = air.arm(.slow(by: .milliseconds(200), jitter: .milliseconds(150)), .init(times: 20), .toWatch)
        for number in 0..<20 as Range<UInt64> { #expect(take(live(number), at: Int64(number)) == []) }
        #expect(take(live(20), at: 20) == [], "one that is not slow does not overtake the others")
        #expect(take(live(99), .toPhone) == [99], "the other direction is not slow")
        #expect(arrivals(at: 49) == [])
        #expect(arrivals(at: 370) == Array(0...20))
        #expect(air.nextArrival == nil)
    }

    @Test func `Messages from both directions arrive in the order of their times`() throws {
        _ = air.arm(.slow(by: .milliseconds(200), jitter: .zero), .init(), .toWatch)
        _ = air.arm(.slow(by: .milliseconds(100), jitter: .zero), .init(), .toPhone)
        #expect(take(live(1), .toWatch) == [] && take(live(2), .toPhone) == [])
        #expect(air.nextArrival == 100 * Self.millisecond)
        #expect(arrivals(at: 300) == [2, 1])
    }

    @Test func `A delay that no clock reaches does not end the agent`() {
        for _ in 0..<3 {
            _ = air.arm(.slow(by: LabDuration(nanoseconds: .max), jitter: LabDuration(nanoseconds: .max)), .init(), nil)
        }
        #expect(take(live(1), at: 1_000) == [])
        #expect(numbers(air.heal()) == [1])
    }

    @Test func `Lost messages never arrive, doubled ones arrive twice, and a fault hits only its kind and direction`() {
        _ = air.arm(.drop(burst: 1), .init(kind: .live, times: 1), .toWatch)
        _ = air.arm(.duplicate, .init(kind: .live), .toPhone)
        #expect(take(WatchFrame(.userInfo, sequence: 7)) == [7])
        #expect(take(live(1), .toPhone) == [1, 1])
        #expect(take(live(2)) == [])
        #expect(take(live(3)) == [3])
    }

    @Test func `Without a kind a fault spares state messages; only a cut drops greetings; none drops the end`() {
        let (state, hello, bye) = (WatchFrame(.state), WatchFrame(.hello), WatchFrame(.bye))
        _ = air.arm(.drop(burst: 1), .init(), nil)
        #expect(take(live(1)) == [] && take(WatchFrame(.liveReply)) == [] && take(WatchFrame(.userInfoGap)) == [])
        #expect(take(state) == [0] && take(hello) == [0])
        _ = air.arm(.drop(burst: 1), .init(kind: .state), nil)
        #expect(take(state) == [] && take(hello) == [0])
        _ = air.arm(.cut, .init(), .toWatch)
        #expect(take(hello) == [] && take(hello, .toPhone) == [0] && take(bye) == [0])
    }

    @Test func `A message is overtaken by the next one, or waits a second for it`() {
        _ = air.arm(.reorder, .init(times: 2), .toWatch)
        #expect(take(live(1)) == [])
        #expect(take(live(2)) == [2, 1])
        #expect(take(live(3), at: 5) == [])
        #expect(arrivals(at: 1_004) == [])
        #expect(arrivals(at: 1_005) == [3])
        #expect(take(live(4)) == [4])
    }

    @Test func `A damaged message is refused, whichever byte it is, and the same seed chooses the same one`() {
        for byte in 1...100 { _ = air.arm(.corrupt(byte: byte), .init(skip: byte - 1, times: 1), .toWatch) }
        for number in 1...100 as ClosedRange<UInt64> { #expect(take(live(number)) == [], "byte \(number)") }
        func effects() -> [String] {
            var air = LinkFaultInjector(seed: 7, link: "pairing")
            _ = air.arm(.corrupt(byte: nil), .init(), .toWatch)
            return (0..<9).flatMap { air.take(live($0), .toWatch, at: 0).occurrences.map(\.effect) }
        }
        #expect(effects().count == 9 && effects() == effects() && Set(effects()).count > 1)
    }

    @Test func `Every hit is reported, with the fault, the message's ordinal and the effect`() {
        let drop = air.arm(.drop(burst: 1), .init(skip: 1, times: 1), nil)
        let slow = air.arm(.slow(by: .seconds(3), jitter: .zero), .init(), .toWatch)
        let first = air.take(live(1), .toWatch, at: 0).occurrences
        #expect(first.map(\.fault.id) == [slow] && first.map(\.effect) == ["it takes 3s"])
        let second = air.take(live(2), .toWatch, at: 0).occurrences
        #expect(second.map(\.fault.id) == [drop], "what is lost is not slow")
        #expect(second.map(\.ordinal) == [2] && second.map(\.fault.word) == [.drop])
    }

    @Test func `'heal' lets everything arrive that is under way; a lost connection loses it`() {
        _ = air.arm(.slow(by: .seconds(9), jitter: .zero), .init(), nil)
        _ = air.arm(.reorder, .init(skip: 1), nil)
        #expect(take(live(1)) == [] && take(live(2)) == [])
        #expect(numbers(air.heal()) == [1, 2])
        #expect(air.isClear)
        _ = air.arm(.slow(by: .seconds(9), jitter: .zero), .init(), nil)
        #expect(take(live(3)) == [])
        air.lose()
        #expect(air.nextArrival == nil && !air.isClear, "the fault stays")
    }

    // MARK: With both ends

    private func deliver(_ arrivals: [LinkFaultInjector.Arrival], in world: LinkWorld) throws {
        for arrival in arrivals {
            guard let frame = try? WatchFrame(parts: arrival.parts) else { continue }
            try world.input(.fromPeer(frame), at: arrival.direction == .toWatch ? world.watch : world.phone)
        }
    }

    /// Lets everything that was sent go through the air.
    private func exchange(in world: LinkWorld) throws {
        while !(world.toPhone.isEmpty && world.toWatch.isEmpty) {
            if !world.toWatch.isEmpty {
                try deliver(air.take(world.toWatch.removeFirst(), .toWatch, at: world.now).arrivals, in: world)
            }
            if !world.toPhone.isEmpty {
                try deliver(air.take(world.toPhone.removeFirst(), .toPhone, at: world.now).arrivals, in: world)
            }
        }
    }

    @Test(arguments: 0..<16)
    func `Over the worst of links each transfer arrives once and in order`(seed: UInt64) throws {
        let world = try LinkWorld.settled()
        air = LinkFaultInjector(seed: seed, link: "pairing")
        _ = air.arm(.drop(burst: 3), .init(chance: 0.25), nil)
        _ = air.arm(.duplicate, .init(chance: 0.2), nil)
        _ = air.arm(.reorder, .init(chance: 0.2), nil)
        _ = air.arm(.corrupt(byte: nil), .init(chance: 0.1), nil)
        _ = air.arm(.slow(by: .milliseconds(50), jitter: .milliseconds(40)), .init(), nil)
        var sent: [Bool: [UUID]] = [:]
        for number in 0..<30 {
            let end = number % 3 == 0 ? world.watch : world.phone
            let frame = WatchFrame(.userInfo, flags: .propertyList, messageId: UUID(), body: try content(number))
            sent[end.isWatch, default: []].append(frame.messageId)
            try world.input(.fromApp(end.app, frame), at: end)
            try exchange(in: world)
            world.now += 10 * Self.millisecond
            try deliver(air.arrivals(until: world.now), in: world)
        }
        let ends = [world.phone, world.watch]
        for _ in 0..<500 where ends.contains(where: { !$0.link.outbox.entries.isEmpty }) {
            for end in ends { try world.input(.retransmit, at: end) }
            try exchange(in: world)
            world.now += 500 * Self.millisecond
            try deliver(air.arrivals(until: world.now), in: world)
            try exchange(in: world)
        }
        #expect(ends.allSatisfy { $0.link.outbox.entries.isEmpty }, "seed \(seed)")
        #expect(air.courses.allSatisfy { $0.fired > 0 }, "seed \(seed): \(air.courses)")
        #expect(world.watch.arrived == sent[false] && world.phone.arrived == sent[true], "seed \(seed)")
    }

    @Test(arguments: LinkDirection.allCases)
    func `A cut in one direction leaves the ends in different states, and 'heal' restores the link`(
        direction: LinkDirection
    ) throws {
        let world = try LinkWorld()
        for end in [world.phone, world.watch] { try world.activateApp(of: end) }
        try world.input(.range(isInRange: false), at: world.phone)
        try exchange(in: world)
        _ = air.arm(.cut, .init(), direction)
        try world.input(.range(isInRange: true), at: world.phone)
        try world.input(.seek, at: world.watch)
        try exchange(in: world)
        #expect(world.watch.link.isUp == (direction == .toPhone))
        #expect(world.phone.link.isUp == (direction == .toWatch))
        let frame = WatchFrame(.userInfo, flags: .propertyList, messageId: UUID(), body: try content())
        for end in [world.phone, world.watch] { try world.input(.fromApp(end.app, frame), at: end) }
        try exchange(in: world)
        #expect(world.phone.arrived.isEmpty && world.watch.arrived.isEmpty)

        try deliver(air.heal(), in: world)
        try world.input(.healed, at: world.phone)
        try exchange(in: world)
        for end in [world.phone, world.watch] {
            #expect(end.link.isUp && end.link.state(for: end.app).isReachable, "\(end.name)")
            #expect(end.arrived == [frame.messageId], "\(end.name)")
        }
    }
}
