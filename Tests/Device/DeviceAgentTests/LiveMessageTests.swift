// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabVocabulary
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Immediate messages and reachability", .endsInTime)
struct LiveMessageTests {
    private func connected() throws -> LinkWorld {
        let world = try LinkWorld.connected()
        world.phone.toApp = []
        world.watch.toApp = []
        return world
    }

    private func send(_ world: LinkWorld, from end: LinkWorld.End, reply: Bool = true) throws -> UUID {
        let id = UUID()
        let frame = WatchFrame(.live, flags: reply ? .expectsReply : [], messageId: id, body: Data([1, 2, 3]))
        try world.input(.fromApp(end.app, frame), at: end)
        return id
    }

    private func codes(_ end: LinkWorld.End) -> [UInt64] {
        end.toApp.filter { $0.kind == .liveError }.map(\.sequence)
    }

    /// The contexts delivered to an app.
    private func contexts(_ end: LinkWorld.End) -> [Data] {
        end.toApp.filter { $0.kind == .context && !$0.flags.contains(.retransmission) }.map(\.body)
    }

    @Test func `Expired held messages leave the queue, and the others keep their order`() {
        var live = LiveMessages()
        let ids = (0..<4).map { _ in UUID() }
        for (number, id) in ids.enumerated() {
            #expect(
                live.receive(
                    WatchFrame(.live, messageId: id, app: "main"), isReady: false, at: Int64(number) * 1_000_000_000)
                    == [])
        }
        #expect(live.expire(at: LiveMessages.deliveryTimeout + 1_000_000_000).count == 2)
        let released = live.release(to: "main").compactMap { effect -> UUID? in
            if case .toApp("main", let frame) = effect { frame.messageId } else { nil }
        }
        #expect(released == Array(ids[2...]))
        #expect(live.release(to: "main") == [] && !live.isHolding(for: "main"))
    }

    @Test(arguments: [true, false])
    func `The next deadline is the earliest of the remaining messages`(isAnswered: Bool) {
        var live = LiveMessages()
        let frames = (0..<2).map { _ in WatchFrame(.live, messageId: UUID()) }
        for (number, app) in ["first", "second"].enumerated() {
            _ = live.send(frames[number], from: app, to: "watch", at: Int64(number))
        }
        #expect(live.nextDeadline == LiveMessages.deliveryTimeout)
        if isAnswered {
            _ = live.answered(WatchFrame(.liveReply, correlationId: frames[0].messageId), at: 2)
        } else {
            _ = live.processEnded("first")
        }
        #expect(live.nextDeadline == LiveMessages.deliveryTimeout + 1)
        _ = live.processEnded("second")
        #expect(live.nextDeadline == nil)
    }

    @Test func `An inspection of the link shows the progress of each message`() {
        var live = LiveMessages()
        let (own, received) = (UUID(), UUID())
        func states() -> [InspectLink.MessageState] { live.pending.map(\.state) }
        _ = live.send(WatchFrame(.live, flags: .expectsReply, messageId: own), from: "main", to: "watch", at: 0)
        #expect(states() == [.sent])
        _ = live.answered(WatchFrame(.liveAcknowledgement, correlationId: own), at: 1)
        #expect(states() == [.replyAwaited])
        _ = live.receive(
            WatchFrame(.live, flags: .expectsReply, messageId: received, app: "main"), isReady: false, at: 2)
        #expect(states() == [.replyAwaited, .held] && live.pending.map(\.isOwn) == [true, false])
        _ = live.release(to: "main")
        #expect(states() == [.replyAwaited, .handedOver])
        _ = live.answer(WatchFrame(.liveAcknowledgement, correlationId: received), by: "main")
        #expect(states() == [.replyAwaited, .unanswered])
        _ = live.answer(WatchFrame(.liveReply, correlationId: received), by: "main")
        _ = live.answered(WatchFrame(.liveReply, correlationId: own), at: 3)
        #expect(states() == [])
    }

    @Test func `A message reaches the counterpart, and its reply arrives`() throws {
        let world = try connected()
        let id = try send(world, from: world.phone)
        try world.exchange()
        let arrived = try #require(world.watch.toApp.first { $0.kind == .live })
        #expect(arrived.messageId == id)
        #expect(arrived.body == Data([1, 2, 3]))
        try world.input(.fromApp("watchApp", WatchFrame(.liveAcknowledgement, correlationId: id)), at: world.watch)
        let reply = WatchFrame(.liveReply, correlationId: id, body: Data([4]))
        try world.input(.fromApp("watchApp", reply), at: world.watch)
        try world.input(.fromApp("watchApp", reply), at: world.watch)
        try world.exchange()
        #expect(world.phone.toApp.filter { $0.kind == .liveReply }.map(\.body) == [Data([4])])
    }

    @Test func `An uninstalled app is reported as missing to the counterpart until it is reinstalled`() throws {
        let world = try connected()
        func isMissed() -> Bool { !world.phone.link.state(for: world.phone.app).isCounterpartInstalled }
        #expect(!isMissed())
        try world.killApp(of: world.watch)
        try world.input(.installationChanged(world.watch.app, isInstalled: false), at: world.watch)
        try world.exchange()
        #expect(isMissed() && !world.phone.link.state(for: world.phone.app).isReachable)
        #expect(!world.watch.link.state(for: world.watch.app).isReachable)

        // What happens out of range is heard afterwards.
        try world.input(.range(isInRange: false), at: world.phone)
        try world.input(.installationChanged(world.watch.app, isInstalled: true), at: world.watch)
        try world.exchange()
        #expect(isMissed())
        try world.settle()
        #expect(!isMissed())
    }

    @Test func `A message to an unreachable counterpart fails at once with 7007, and nothing arrives later`() throws {
        let world = try connected()
        try world.input(.range(isInRange: false), at: world.phone)
        try world.exchange()
        _ = try send(world, from: world.phone)
        #expect(codes(world.phone) == [7007])
        try world.settle()
        #expect(!world.watch.toApp.contains { $0.kind == .live })
    }

    @Test func `A lost link fails a message with 7014 before delivery and with 7011 after it`() throws {
        let world = try connected()
        _ = try send(world, from: world.phone)
        try world.input(.peerEnded, at: world.phone)
        #expect(codes(world.phone) == [7014])

        let second = try connected()
        let id = try send(second, from: second.phone)
        try second.exchange()
        try second.input(.fromApp("watchApp", WatchFrame(.liveAcknowledgement, correlationId: id)), at: second.watch)
        try second.exchange()
        try second.input(.peerEnded, at: second.phone)
        #expect(codes(second.phone) == [7011])
    }

    @Test func `A reply that comes too late is dropped; the sender has got 7012`() throws {
        let world = try connected()
        let id = try send(world, from: world.phone)
        try world.exchange()
        try world.input(.fromApp("watchApp", WatchFrame(.liveAcknowledgement, correlationId: id)), at: world.watch)
        try world.exchange()
        world.now = try #require(world.phone.link.nextLabDeadline)
        #expect(world.now == LiveMessages.replyTimeout)
        try world.input(.labTimePassed, at: world.phone)
        #expect(codes(world.phone) == [7012])
        try world.input(.fromApp("watchApp", WatchFrame(.liveReply, correlationId: id)), at: world.watch)
        try world.exchange()
        #expect(!world.phone.toApp.contains { $0.kind == .liveReply })
    }

    @Test func `Without delivery the sender gets 7017 after ten seconds`() throws {
        let world = try connected()
        _ = try send(world, from: world.phone)
        world.now = LiveMessages.deliveryTimeout
        try world.input(.labTimePassed, at: world.phone)
        #expect(codes(world.phone) == [7017])
    }

    @Test func `The receiver's death fails the message with 7014 before it was taken and with 7011 after`() throws {
        let world = try connected()
        _ = try send(world, from: world.phone)
        try world.exchange()
        try world.killApp(of: world.watch)
        try world.exchange()
        #expect(codes(world.phone) == [7014])

        let second = try connected()
        let id = try send(second, from: second.phone)
        try second.exchange()
        try second.input(.fromApp("watchApp", WatchFrame(.liveAcknowledgement, correlationId: id)), at: second.watch)
        try second.killApp(of: second.watch)
        try second.exchange()
        #expect(codes(second.phone) == [7011])
    }

    @Test func `A message of the watch launches the phone's app, and waits for its activation`() throws {
        let world = try connected()
        try world.killApp(of: world.phone)
        try world.exchange()
        #expect(world.watch.link.state(for: "watchApp").isReachable)
        let id = try send(world, from: world.watch)
        try world.exchange()
        #expect(world.phone.launches == 1)
        #expect(!world.phone.toApp.contains { $0.kind == .live })
        try world.activateApp(of: world.phone)
        #expect(world.phone.toApp.filter { $0.kind == .live }.map(\.messageId) == [id])
        #expect(world.phone.toApp.first?.kind == .activate)
    }

    @Test func `A failed launch of the phone's app fails the message with 7014`() throws {
        let world = try connected()
        try world.killApp(of: world.phone)
        try world.exchange()
        _ = try send(world, from: world.watch)
        try world.exchange()
        try world.input(.launchFailed("phoneApp"), at: world.phone)
        try world.exchange()
        #expect(codes(world.watch) == [7014])
    }

    @Test func `A message never launches the watch app`() throws {
        let world = try connected()
        try world.killApp(of: world.watch)
        try world.exchange()
        _ = try send(world, from: world.phone)
        try world.exchange()
        #expect(codes(world.phone) == [7007])
        #expect(world.watch.launches == 0)
    }

    @Test func `A suspended watch app is unreachable for both; the phone is notified of each change once`() throws {
        let world = try connected()
        #expect(world.phone.link.state(for: "phoneApp").isReachable)
        let asleep = AppPresence(isAttached: true, isActivated: true, isForeground: false, isSuspended: true)
        try world.input(.appChanged("watchApp", asleep), at: world.watch)
        try world.exchange()
        #expect(!world.phone.link.state(for: "phoneApp").isReachable)
        #expect(world.phone.toApp.count { $0.kind == .event } == 1)
        try world.activateApp(of: world.watch)
        try world.exchange()
        #expect(world.phone.link.state(for: "phoneApp").isReachable)
        #expect(world.phone.toApp.count { $0.kind == .event } == 2)
    }

    @Test
    func `After activation come ends of transfers, received transfers one by one, the context, then live messages`()
        throws
    {
        let world = try connected()
        let context = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(9))
        try world.input(.fromApp("watchApp", context), at: world.watch)
        let own = try [1, 2].map { try world.transfer($0, from: world.phone) }
        try world.killApp(of: world.phone)
        let received = try [3, 4, 5].map { try world.transfer($0, from: world.watch) }
        try world.exchange()
        let live = try send(world, from: world.watch)
        try world.exchange()
        try world.activateApp(of: world.phone)

        var order: [WatchFrame] = []
        while !world.phone.toApp.isEmpty {
            let frame = world.phone.toApp.removeFirst()
            order.append(frame)
            guard frame.kind == .deliver else { continue }
            try world.input(.fromApp("phoneApp", WatchFrame(.delivered, messageId: frame.messageId)), at: world.phone)
        }
        order.removeAll { $0.kind == .event }
        #expect(
            order.map(\.kind) == [
                .activate, .transferDone, .transferDone, .deliver, .deliver, .deliver, .context, .live,
            ])
        #expect(order.map(\.messageId).filter { own.contains($0) } == own)
        #expect(order.map(\.messageId).filter { received.contains($0) } == received)
        #expect(order.last?.messageId == live)
        #expect(try order.first { $0.kind == .context }?.body == content(9))
    }

    @Test func `A live message waits for the transfers that were stored before the activation`() throws {
        let world = try connected()
        try world.killApp(of: world.phone)
        try world.input(
            .fromApp("watchApp", WatchFrame(.userInfo, flags: .propertyList, messageId: UUID(), body: try content())),
            at: world.watch)
        try world.exchange()
        try world.activateApp(of: world.phone)
        try world.exchange()
        _ = try send(world, from: world.watch)
        try world.exchange()
        #expect(!world.phone.toApp.contains { $0.kind == .live })
        try world.handleNext(at: world.phone)
        #expect(world.phone.toApp.contains { $0.kind == .live })
    }

    @Test func `A context that was overtaken on its way does not replace the newer one`() throws {
        let world = try connected()
        for value in [1, 2] {
            let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(value))
            try world.input(.fromApp("phoneApp", frame), at: world.phone)
        }
        try world.arrive(at: world.watch, index: 1)
        try world.arrive(at: world.watch)
        #expect(try contexts(world.watch) == [content(2)])
    }

    @Test
    func `A context waits for the transfers that were stored before the activation, and is delivered once`() throws {
        let world = try connected()
        try world.killApp(of: world.phone)
        for number in 1...3 {
            let frame = WatchFrame(.userInfo, flags: .propertyList, messageId: UUID(), body: try content(number))
            try world.input(.fromApp("watchApp", frame), at: world.watch)
        }
        let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(4))
        try world.input(.fromApp("watchApp", frame), at: world.watch)
        try world.exchange()
        try world.activateApp(of: world.phone)
        for _ in 1...3 {
            #expect(contexts(world.phone) == [])
            try world.handleNext(at: world.phone)
        }
        #expect(try contexts(world.phone) == [content(4)])
        try world.killApp(of: world.phone)
        try world.activateApp(of: world.phone)
        let known = world.phone.toApp.filter { $0.kind == .context }
        #expect(try known.map(\.body) == [content(4)])
        #expect(known.first?.flags.contains(.retransmission) == true)
        #expect(world.phone.toApp.firstIndex { $0.kind == .context } == 0, "the session has it when it is activated")
    }

    @Test func `An app that starts again knows its own context`() throws {
        let world = try connected()
        let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(1))
        try world.input(.fromApp("phoneApp", frame), at: world.phone)
        try world.phone.reboot()
        try world.activateApp(of: world.phone)
        #expect(try world.phone.toApp.first { $0.kind == .ownContext }?.body == content(1))
    }

    @Test func `A context of a greatest version does not block those that follow`() throws {
        let world = try connected()
        for version in [UInt64.max, 1_000] {
            let garbage = WatchFrame(
                .context, flags: .propertyList, epoch: world.phone.link.outbox.epoch, sequence: version,
                app: "watchApp",
                body: try content(9))
            try world.input(.fromPeer(garbage), at: world.watch)
        }
        #expect(try contexts(world.watch) == [content(9)])
        let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(1))
        try world.input(.fromApp("phoneApp", frame), at: world.phone)
        // The next greeting contains the versions that the watch has.
        try world.phone.reboot()
        world.airIsEmpty(for: world.phone)
        try world.settle()
        #expect(try contexts(world.watch) == [content(9), content(1)])
    }

    @Test func `A phone that was not unlocked since its start is out of reach, and the watch has the reason`() throws {
        let world = try connected()
        #expect(world.watch.link.state(for: "watchApp").isReachable)
        try world.input(.unlocked(false), at: world.phone)
        try world.exchange()
        let locked = world.watch.link.state(for: "watchApp")
        #expect(!locked.isReachable && locked.needsUnlock && locked.isCounterpartInstalled)
        #expect(!world.phone.link.state(for: "phoneApp").isReachable)
        try world.input(.unlocked(true), at: world.phone)
        try world.exchange()
        let open = world.watch.link.state(for: "watchApp")
        #expect(open.isReachable && !open.needsUnlock)
    }

    @Test func `A context that is lost on its way is sent again`() throws {
        let world = try connected()
        #expect(world.phone.link.unconfirmed == nil)
        let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(1))
        try world.input(.fromApp("phoneApp", frame), at: world.phone)
        world.toWatch.removeAll()
        #expect(world.phone.link.unconfirmed != nil)
        try world.input(.retransmit, at: world.phone)
        try world.exchange()
        #expect(try contexts(world.watch) == [content(1)])
        #expect(world.phone.link.unconfirmed == nil)
    }

    @Test func `A lost state is sent again with the next greeting`() throws {
        let world = try connected()
        let asleep = AppPresence(isAttached: true, isActivated: true, isForeground: false, isSuspended: true)
        try world.input(.appChanged("watchApp", asleep), at: world.watch)
        world.toPhone.removeAll()
        #expect(world.phone.link.state(for: "phoneApp").isReachable)
        try world.input(.healed, at: world.phone)
        try world.exchange()
        #expect(!world.phone.link.state(for: "phoneApp").isReachable)
    }

    @Test func `A frame that arrives twice is delivered once`() throws {
        let world = try connected()
        _ = try send(world, from: world.phone)
        world.toWatch.append(contentsOf: world.toWatch)
        try world.exchange()
        #expect(world.watch.toApp.count { $0.kind == .live } == 1)
    }

    @Test func `An acknowledgement of an older context does not keep the newer one from being sent again`() throws {
        let world = try connected()
        for value in [1, 2] {
            let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(value))
            try world.input(.fromApp("phoneApp", frame), at: world.phone)
        }
        try world.arrive(at: world.watch)
        world.toWatch = []
        try world.exchange()
        #expect(try contexts(world.watch) == [content(1)])
        try world.phone.reboot()
        world.airIsEmpty(for: world.phone)
        try world.settle()
        #expect(try contexts(world.watch) == [content(1), content(2)])
    }

    @Test func `Of several application contexts only the newest arrives`() throws {
        let world = try connected()
        try world.input(.range(isInRange: false), at: world.phone)
        try world.exchange()
        for value in [1, 2, 3] {
            let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(value))
            try world.input(.fromApp("phoneApp", frame), at: world.phone)
        }
        try world.phone.reboot()
        world.airIsEmpty(for: world.phone)
        try world.settle()
        #expect(try contexts(world.watch) == [content(3)])
    }
}
