// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What an end of the link publishes, shows and waits for (watch.md, sections 9.3, 9.7 and 11.4).
@Suite("The state of an end of the link, step by step", .endsInTime)
struct LinkStateStepTests {
    private static let flags = [false, true]

    /// Brings an end a state of the other device.
    private func hear(
        _ state: PublishedState, at end: LinkWorld.End, of world: LinkWorld
    ) throws {
        let other = end.isWatch ? world.phone : world.watch
        try world.input(
            .fromPeer(
                WatchFrame(
                    .state, epoch: other.link.outbox.epoch, sequence: end.link.counterpartVersion.number + 1,
                    body: WatchFrame.body(state))), at: end)
    }

    @Test
    func `For the phone the watch is reachable if both ends say so, the link is up and both apps are there`() throws {
        let world = try LinkWorld.connected()
        let phone = world.phone
        for isAttached in Self.flags {
            for isReachable in Self.flags {
                let app = PublishedState.App(isAttached: isAttached, isActivated: true, isReachable: isReachable)
                try hear(PublishedState(apps: ["watchApp": app]), at: phone, of: world)
                #expect(phone.link.state(for: phone.app).isReachable == (isAttached && isReachable))
            }
        }
        // Now it is; each of the other conditions by itself.
        try world.input(.appChanged(phone.app, AppPresence(isAttached: true, isActivated: true)), at: phone)
        #expect(phone.link.state(for: phone.app).isReachable, "the phone's app may be in the background")
        try world.input(.appChanged(phone.app, AppPresence(isAttached: true)), at: phone)
        #expect(!phone.link.state(for: phone.app).isReachable)
        try world.activateApp(of: phone)
        let gone = PublishedState(apps: [
            "watchApp": PublishedState.App(isInstalled: false, isAttached: true, isReachable: true)
        ])
        try hear(gone, at: phone, of: world)
        #expect(phone.link.state(for: phone.app) == WatchCounterpartState(isPaired: true))
        try world.input(.peerEnded, at: phone)
        #expect(
            phone.link.state(for: phone.app) == WatchCounterpartState(isPaired: true), "kept while the link is down")
    }

    @Test
    func `For the watch the phone is reachable if its own app is in the foreground and the phone was unlocked`() throws
    {
        let world = try LinkWorld.connected()
        let watch = world.watch
        for isActivated in Self.flags {
            for isForeground in Self.flags {
                for isUnlocked in Self.flags {
                    let presence = AppPresence(isAttached: true, isActivated: isActivated, isForeground: isForeground)
                    try world.input(.appChanged(watch.app, presence), at: watch)
                    // Whether the phone's app runs does not matter: a message launches it.
                    try hear(PublishedState(isUnlocked: isUnlocked, apps: ["phoneApp": .init()]), at: watch, of: world)
                    let state = watch.link.state(for: watch.app)
                    #expect(state.isReachable == (isActivated && isForeground && isUnlocked))
                    #expect(state.needsUnlock == !isUnlocked && state.isPaired && state.isCounterpartInstalled)
                }
            }
        }
        try world.input(.peerEnded, at: watch)
        let state = watch.link.state(for: watch.app)
        #expect(state == WatchCounterpartState(isPaired: true, isCounterpartInstalled: true))
    }

    @Test func `A device publishes each state of its apps once, the watch also what its session shows`() throws {
        let world = try LinkWorld.connected()
        func app(_ end: LinkWorld.End) throws -> PublishedState.App { try #require(end.link.published?.apps[end.app]) }
        let all = PublishedState.App(isInstalled: true, isAttached: true, isActivated: true, isReachable: true)
        #expect(try app(world.watch) == all)
        #expect(try app(world.phone) == PublishedState.App(isInstalled: true, isAttached: true, isActivated: true))
        for end in [world.phone, world.watch] {
            let version = end.link.publishedVersion
            try world.input(.appChanged(end.app, AppPresence(isAttached: true, isSuspended: true)), at: end)
            #expect(try app(end) == PublishedState.App(isAttached: true))
            #expect(end.link.publishedVersion == version + 1)
            try world.input(.appChanged(end.app, AppPresence(isAttached: true)), at: end)
            #expect(end.link.publishedVersion == version + 1, "nothing that the other device hears about")
            try world.input(.unlocked(false), at: end)
            #expect(end.link.published?.isUnlocked == false && end.link.publishedVersion == version + 2)
            try world.setInstalled(false, at: end)
            #expect(try app(end) == PublishedState.App(isInstalled: false))
        }
        try world.input(.complicationChanged(world.watch.app, isEnabled: true), at: world.watch)
        #expect(try app(world.watch).hasComplication)
    }

    @Test func `What an app is shown changes with the state, and an inactive session is shown nothing`() throws {
        let world = try LinkWorld.connected()
        let phone = world.phone
        func events() throws -> [WatchCounterpartState] {
            defer { phone.toApp = [] }
            return try phone.toApp.filter { $0.kind == .event }.map { try $0.decodeBody(WatchCounterpartState.self) }
        }
        _ = try events()
        try hear(PublishedState(apps: ["watchApp": .init()]), at: phone, of: world)
        #expect(try events() == [WatchCounterpartState(isPaired: true, isCounterpartInstalled: true)])
        try hear(PublishedState(apps: ["watchApp": .init(isActivated: true)]), at: phone, of: world)
        #expect(try events().isEmpty, "the same for the app")
        try world.input(.role(.idle), at: phone)
        #expect(try events().isEmpty)
        try world.input(.role(.unpaired), at: phone)
        #expect(try events() == [WatchCounterpartState()])
        try world.killApp(of: phone)
        try world.input(.role(.active), at: phone)
        #expect(try events().isEmpty)
    }

    @Test
    func `What waits for confirmation is other after each confirmation, and contexts wait only while the link is up`()
        throws
    {
        let world = try LinkWorld.connected()
        let phone = world.phone
        #expect(phone.link.unconfirmed == nil)
        for number in 1...2 { _ = try world.transfer(number, from: phone) }
        let both = phone.link.unconfirmed
        #expect(both != nil && both == phone.link.unconfirmed)
        _ = phone.link.handle(
            .fromPeer(WatchFrame(.userInfoAcknowledgement, epoch: phone.link.outbox.epoch, sequence: 1)), at: 0)
        let one = phone.link.unconfirmed
        #expect(one != nil && one != both)
        for number in 3...4 {
            let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(number))
            let before = phone.link.unconfirmed
            _ = phone.link.handle(.fromApp(phone.app, frame), at: 0)
            #expect(phone.link.unconfirmed != nil && phone.link.unconfirmed != before)
        }
        _ = phone.link.handle(
            .fromPeer(WatchFrame(.userInfoAcknowledgement, epoch: phone.link.outbox.epoch, sequence: 2)), at: 0)
        #expect(phone.link.unconfirmed != nil, "the context")
        _ = phone.link.handle(.peerEnded, at: 0)
        #expect(phone.link.unconfirmed == nil)
    }

    @Test func `The next moment of lab time is the earliest of messages and budgets`() throws {
        let world = try LinkWorld.connected()
        let phone = world.phone
        try world.input(.complicationChanged(world.watch.app, isEnabled: true), at: world.watch)
        try world.exchange()
        #expect(phone.link.nextLabDeadline == nil)
        world.now = 5
        let complication = WatchFrame(
            .userInfo, flags: [.propertyList, .complication], messageId: UUID(), body: try content(1))
        try world.input(.fromApp(phone.app, complication), at: phone)
        #expect(phone.link.nextLabDeadline == 5 + ComplicationBudget.day)
        let message = WatchFrame(.live, messageId: UUID(), body: Data([1]))
        try world.input(.fromApp(phone.app, message), at: phone)
        #expect(phone.link.nextLabDeadline == 5 + LiveMessages.deliveryTimeout)
        world.now = 5 + ComplicationBudget.day
        try world.input(.labTimePassed, at: phone)
        #expect(phone.link.nextLabDeadline == nil)
    }

    @Test func `A queue is full with as many transfers or bytes as it holds, by default 20,000 and 64 MiB`() {
        let capacity = QueueCapacity(transfers: 3, size: 10)
        let rows = [
            (2, 9, false), (3, 0, true), (4, 0, true), (0, 10, true), (0, 11, true), (10, 3, true), (2, 3, false),
        ]
        for (count, bytes, isFull) in rows {
            #expect(capacity.isFull(transfers: count, size: bytes) == isFull, "\(count), \(bytes)")
        }
        #expect(QueueCapacity() == QueueCapacity(transfers: 20_000, size: 67_108_864))
    }

    @Test
    func `A received file is completed in a full inbox, and what comes behind it is refused until there is room`()
        throws
    {
        let world = try LinkWorld(capacity: QueueCapacity(size: 3 * FileParts.size))
        try world.settle()
        let (phone, watch) = (world.phone, world.watch)
        // The sender's queue takes as much as there is when a file comes, and then it is full.
        let bytes = Data(repeating: 7, count: 5 * FileParts.size)
        let file = UUID()
        try world.input(.file(phone.app, file, WatchFile(path: "/a", size: bytes.count), bytes), at: phone)
        try world.exchange()
        #expect(watch.files.map(\.transferId) == [file] && watch.link.isInboxFull)
        #expect(watch.files.first?.parts.reduce(Data(), +) == bytes)
        let refused = try world.transfer(from: phone)
        let second = UUID()
        try world.input(.file(phone.app, second, WatchFile(path: "/b", size: 0), Data()), at: phone)
        try world.exchange()
        #expect(phone.codes == [refused: 7015, second: 7015])
        try world.handleNext(at: watch)
        #expect(!watch.link.isInboxFull)
        let next = try world.transfer(from: phone)
        try world.settle()
        #expect(watch.handled == [file, next])
    }

    @Test func `A refusal without a code, and one that cannot be read, refuses nothing`() throws {
        let world = try LinkWorld.connected()
        let phone = world.phone
        _ = try world.transfer(from: phone)
        for body in [WatchFrame.body(RefusalBody(code: 0)), WatchFrame.body(RefusalBody(code: -1)), Data()] {
            let frame = WatchFrame(.userInfoRefusal, epoch: phone.link.outbox.epoch, sequence: 1, body: body)
            #expect(phone.link.handle(.fromPeer(frame), at: 0).isEmpty)
        }
        #expect(phone.link.outbox.entries.map(\.endCode) == [nil])
    }
}
