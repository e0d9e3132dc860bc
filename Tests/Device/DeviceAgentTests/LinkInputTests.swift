// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// Inputs of an end of the link by themselves: those that change nothing, those that repair, and late ones.
@Suite("Inputs of an end of the link", .endsInTime)
struct LinkInputTests {
    @Test func `An input that says nothing new has no effect, with a connection and without one`() throws {
        let world = try LinkWorld.connected()
        for end in [world.phone, world.watch] {
            let inputs: [WatchLink.Input] = [
                .range(isInRange: true), .seek, .role(.active), .unlocked(true), .retry, .retransmit, .labTimePassed,
                .installationChanged(end.app, isInstalled: true), .appChanged(end.app, end.presence),
                .complicationChanged(end.app, isEnabled: false), .handOverFailed(end.app), .launchFailed(end.app),
                .fromApp(end.app, WatchFrame(.transferTold, messageId: UUID())),
                .fromApp(end.app, WatchFrame(.delivered, messageId: UUID())),
                .fromApp(end.app, WatchFrame(.contextTold, messageId: UUID())),
                .fromApp(end.app, WatchFrame(.cancelTransfer, messageId: UUID())),
                .fromApp(end.app, WatchFrame(.liveReply, correlationId: UUID())),
                .fromApp(end.app, WatchFrame(.hello)), .fromPeer(WatchFrame(.deliver)),
                .fromPeer(WatchFrame(.userInfoGap, epoch: end.link.outbox.epoch, sequence: 1)),
            ]
            for input in inputs {
                let effects = end.link.handle(input, at: world.now).filter { $0 != .greet }
                #expect(effects.isEmpty, "\(end.name): \(input)")
            }
        }
        try world.input(.range(isInRange: false), at: world.phone)
        for input in [.range(isInRange: false), .healed, .seek, .beat, .retransmit, .shutdown, .peerEnded]
            as [WatchLink.Input]
        {
            #expect(world.phone.link.handle(input, at: world.now).isEmpty, "\(input)")
        }
    }

    @Test func `Only a retry and the end of faults greet on a connection that is up`() throws {
        let world = try LinkWorld.connected()
        for end in [world.phone, world.watch] {
            for input in [.retry, .healed] as [WatchLink.Input] {
                #expect(end.link.handle(input, at: 0) == [.greet], "\(input)")
            }
        }
    }

    @Test
    func `A file that could not be put into the container of its app is handed over again, as a repeated one`() throws {
        let world = try LinkWorld.connected()
        let watch = world.watch
        let file = UUID()
        try world.input(.file(world.phone.app, file, WatchFile(path: "/a", size: 3), Data(count: 3)), at: world.phone)
        try world.exchange()
        #expect(watch.files.map(\.wasOffered) == [false])
        watch.toApp = []
        try world.input(.retry, at: watch)
        #expect(watch.files.count == 1, "the app has it")
        try world.input(.handOverFailed("other"), at: watch)
        try world.input(.retry, at: watch)
        #expect(watch.files.count == 1)
        try world.input(.handOverFailed(watch.app), at: watch)
        try world.input(.retry, at: watch)
        #expect(watch.files.map(\.wasOffered) == [false, true] && watch.files.last?.transferId == file)
    }

    @Test func `A retry delivers the context that was read from the disk again, unless transfers come first`() throws {
        let world = try LinkWorld.connected()
        let watch = world.watch
        watch.hearsEnds = false
        let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(1))
        try world.input(.fromApp(world.phone.app, frame), at: world.phone)
        try world.exchange()
        func contexts() -> Int { watch.toApp.count { $0.kind == .context } }
        #expect(contexts() == 1)
        let transfer = try world.transfer(from: world.phone)
        try world.exchange()
        _ = watch.link.resume(from: try watch.database.load(counterparts: watch.counterparts), at: 0)
        watch.link.backlog[watch.app] = [transfer]
        try world.input(.retry, at: watch)
        #expect(contexts() == 1)
        watch.link.backlog[watch.app] = []
        try world.input(.retry, at: watch)
        #expect(contexts() == 2)
    }

    @Test func `Content that the storage has no room for is refused or waits, by what it is`() throws {
        let world = try LinkWorld.connected()
        let (phone, watch) = (world.phone, world.watch)
        phone.link.refusalOfStorage = 7013
        for kind in [WatchFrame.Kind.userInfo, .context] {
            let frame = WatchFrame(kind, flags: .propertyList, messageId: UUID(), body: try content(1))
            let answer = WatchFrame(.transferQueued, messageId: frame.messageId, sequence: 7013)
            #expect(phone.link.handle(.fromApp(phone.app, frame), at: 0) == [.toApp(phone.app, answer)])
        }
        let file = UUID()
        let refused = WatchFrame(.transferQueued, messageId: file, sequence: 7013)
        let input = WatchLink.Input.file(phone.app, file, WatchFile(path: "/a", size: 1), Data([1]))
        #expect(phone.link.handle(input, at: 0) == [.toApp(phone.app, refused)])
        #expect(phone.link.outbox.count == 0 && phone.link.files.isEmpty && phone.link.contexts.own.isEmpty)
        phone.link.refusalOfStorage = nil
        watch.link.refusalOfStorage = 7015
        let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(2))
        try world.input(.fromApp(phone.app, frame), at: phone)
        try world.exchange()
        #expect(watch.link.contexts.received.isEmpty && phone.link.unconfirmed != nil, "it is not confirmed")
        watch.link.refusalOfStorage = nil
        try world.input(.retransmit, at: phone)
        try world.exchange()
        #expect(watch.link.contexts.received[watch.app]?.version == 1 && phone.link.unconfirmed == nil)
    }

    @Test
    func `A context that cannot be taken is confirmed, so that it does not come again, and changes nothing`() throws {
        let world = try LinkWorld.connected()
        let watch = world.watch
        let epoch = world.phone.link.outbox.epoch
        let large = try PropertyListSerialization.data(
            fromPropertyList: ["x": Data(count: WatchContent.contextLimit)], format: .binary, options: 0)
        let greatest = ContextExchange.greatestVersion
        let rows: [(String, UInt64, Data)] = [
            ("unknown", 1, try content(1)), (watch.app, 1, Data("no list".utf8)), (watch.app, 2, large),
            (watch.app, greatest + 1, try content(1)), (watch.app, .max, try content(1)),
        ]
        for (app, version, body) in rows {
            let frame = WatchFrame(
                .context, flags: .propertyList, epoch: epoch, sequence: version, app: app, body: body)
            let confirmation = WatchFrame(.contextAcknowledgement, epoch: epoch, sequence: version, app: app)
            #expect(watch.link.handle(.fromPeer(frame), at: 0) == [.toPeer(confirmation)], "\(app), \(version)")
        }
        #expect(watch.link.contexts.received.isEmpty)
        let last = WatchFrame(
            .context, flags: .propertyList, epoch: epoch, sequence: greatest, app: watch.app, body: try content(1))
        #expect(watch.link.handle(.fromPeer(last), at: 0).count == 3)
    }

    @Test
    func `Each kind of frame is about the memory of its sender, about that of the receiver, or looks at it by itself`()
    {
        let sender: Set<WatchFrame.Kind> = [.live, .context, .state]
        let receiver: Set<WatchFrame.Kind> = [.liveAcknowledgement, .liveReply, .liveError, .contextAcknowledgement]
        for kind in (0...UInt8.max).compactMap(WatchFrame.Kind.init(rawValue:)) {
            let expected: WatchFrame.Speaker? =
                sender.contains(kind) ? .sender : receiver.contains(kind) ? .receiver : nil
            #expect(WatchFrame(kind).speaker == expected, "\(kind)")
        }
    }

    @Test func `A frame of another memory than the present one of its speaker is ignored`() throws {
        let world = try LinkWorld.connected()
        let phone = world.phone
        let (own, theirs) = (phone.link.outbox.epoch, phone.link.inbox.epoch)
        #expect(own != theirs)
        for kind in [WatchFrame.Kind.live, .liveAcknowledgement, .userInfo] {
            let right = kind == .liveAcknowledgement ? own : theirs
            for epoch in [own, theirs, 3] {
                let frame = WatchFrame(kind, epoch: epoch)
                #expect(phone.link.isOfMemory(frame) == (kind == .userInfo || epoch == right), "\(kind)")
                let sent = phone.link.ofMemory(.toPeer(frame))
                let stamp = kind == .userInfo ? epoch : kind == .liveAcknowledgement ? theirs : own
                #expect(sent == .toPeer(WatchFrame(kind, epoch: stamp)), "\(kind)")
            }
        }
        #expect(phone.link.ofMemory(.greet) == .greet)
    }

    @Test
    func `A question whether this end is there is answered with its number and the last state that came`() throws {
        let world = try LinkWorld.connected()
        let phone = world.phone
        let last = phone.link.counterpartVersion.number
        #expect(last > 0)
        let effects = phone.link.handle(.fromPeer(WatchFrame(.ping, sequence: 77)), at: 0)
        #expect(effects == [.toPeer(WatchFrame(.pong, epoch: last, sequence: 77))])
        let question = phone.link.handle(.beat, at: 0)
        #expect(question == [.toPeer(WatchFrame(.ping, epoch: last, sequence: 1))])
        #expect(phone.link.heartbeat.unanswered == 1)
        let version = phone.link.publishedVersion
        let early = phone.link.handle(.fromPeer(WatchFrame(.pong, epoch: version - 1, sequence: 1)), at: 0)
        #expect(phone.link.heartbeat.unanswered == 0)
        let published = try #require(phone.link.published)
        let state = WatchFrame(
            .state, epoch: phone.link.outbox.epoch, sequence: version, body: WatchFrame.body(published))
        #expect(early.count == 1, "a state that the other device does not have")
        guard case .toPeer(let repeated)? = early.first else { return }
        #expect(repeated.kind == state.kind && repeated.epoch == state.epoch && repeated.sequence == state.sequence)
        #expect(try repeated.decodeBody(PublishedState.self) == published)
        #expect(phone.link.handle(.fromPeer(WatchFrame(.pong, epoch: version, sequence: 1)), at: 0).isEmpty)
    }
}
