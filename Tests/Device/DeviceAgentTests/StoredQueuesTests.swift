// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What an end of a link must not forget when its agent dies.
private struct Remembered: Equatable {
    var pairing: UInt64
    var outgoing: [Outbox.Entry]
    var outgoingNumbers: [UInt64]
    var outgoingSums: [Int]
    /// How many pieces of each file are queued.
    var pieces: [UUID: Int]
    var incoming: [Inbox.Entry]
    var incomingNumbers: [UInt64]
    var incomingSums: [Int]
    /// Tombstones that the sender may still ask about: the disk keeps no others.
    var skipped: [UInt64]
    var ownContexts: [String: ContextExchange.Context]
    var receivedContexts: [String: ContextExchange.Context]
    var ended: [FinishedTransfer]
    var files: [OutgoingFile]
    var budgets: [String: ComplicationBudget]

    init(_ link: WatchLink) {
        self.init(
            link.pairing, link.outbox, link.inbox, link.contexts, ended: link.finished.waiting(),
            files: Array(link.files), budgets: link.budgets)
    }

    /// What the agent's next process would read.
    init(onDiskOf end: LinkWorld.End) throws {
        let stored = try end.database.load(counterparts: end.counterparts)
        self.init(
            stored.pairing, stored.outbox, stored.inbox, stored.contexts, ended: stored.finished,
            files: Array(stored.outgoingFiles), budgets: stored.budgets)
    }

    private init(
        _ pairing: UInt64, _ outbox: Outbox, _ inbox: Inbox, _ contexts: ContextExchange, ended: [FinishedTransfer],
        files: [OutgoingFile], budgets: [String: ComplicationBudget]
    ) {
        self.pairing = pairing
        outgoing = outbox.entries
        outgoingNumbers = [outbox.epoch, outbox.acknowledged, outbox.lastSequence]
        outgoingSums = [outbox.count, outbox.size]
        pieces = [:]
        for file in outbox.entries.compactMap(\.file) { pieces[file] = outbox.pieces(of: file) }
        incoming = inbox.entries
        incomingNumbers = [inbox.epoch, inbox.received]
        incomingSums = [inbox.count, inbox.size] + ["phoneApp", "watchApp"].map { inbox.count(for: $0) }
        let last = inbox.skipped.last ?? 0
        skipped = inbox.skipped.filter { $0 + UInt64(Inbox.memory) > last }
        ownContexts = contexts.own
        receivedContexts = contexts.received
        self.ended = ended
        self.files = files
        self.budgets = budgets
    }
}

/// The disk holds what the link has decided, no more and no less (watch.md, section 11.6).
@Suite("The stored queues of a link", .endsInTime)
struct StoredQueuesTests {
    private func check(_ world: LinkWorld, _ moment: String) throws {
        for end in [world.phone, world.watch] {
            let isEqual = try Remembered(end.link) == Remembered(onDiskOf: end)
            #expect(isEqual, "\(end.name) after \(moment)")
        }
    }

    @Test(arguments: 0..<8)
    func `After any event the disk gives back the queues that are in memory`(seed: UInt64) throws {
        let life = try LinkLife(seed: 1_000 + seed)
        for step in 0..<120 {
            try life.step()
            try check(life.world, "step \(step) of seed \(1_000 + seed)")
        }
        try life.settle()
        try check(life.world, "the end of seed \(1_000 + seed)")
    }

    private func sendComplication(_ number: Int, in world: LinkWorld) throws -> UUID {
        let id = UUID()
        let frame = WatchFrame(
            .userInfo, flags: [.propertyList, .complication], messageId: id, body: try content(number))
        try world.input(.fromApp(world.phone.app, frame), at: world.phone)
        return id
    }

    @Test func `The disk gives back complications with their budget after each of their steps`() throws {
        let world = try LinkWorld.connected()
        let phone = world.phone
        try world.input(.complicationChanged(world.watch.app, isEnabled: true), at: world.watch)
        try world.exchange()
        world.now = 5
        phone.hearsEnds = false
        let first = try sendComplication(1, in: world)
        try check(world, "a complication under way")
        _ = try sendComplication(2, in: world)
        try check(world, "a complication that replaces one under way")
        try world.exchange()
        try check(world, "arrival")
        #expect(phone.link.finished.waiting().map(\.transferId).first == first)
        #expect(phone.link.budgets == [phone.app: ComplicationBudget(start: 5, used: 2)])
        try world.input(.range(isInRange: false), at: phone)
        _ = try world.transfer(from: phone)
        _ = try sendComplication(3, in: world)
        let last = try sendComplication(4, in: world)
        try check(world, "a complication that replaces a waiting one")
        #expect(phone.link.outbox.entries.map(\.kind) == [.formerComplication, .complication, .userInfo])
        try world.input(.fromApp(phone.app, WatchFrame(.cancelTransfer, messageId: last)), at: phone)
        try check(world, "a cancelled complication")
        try world.setInstalled(false, at: phone)
        try check(world, "the removal of the app")
        #expect(phone.link.budgets.isEmpty)
    }

    @Test
    func `When the storage refuses a write, everything that was decided about it is taken back, whatever it was`()
        throws
    {
        let world = try LinkWorld.connected()
        let (phone, watch) = (world.phone, world.watch)
        try world.input(.complicationChanged(watch.app, isEnabled: true), at: watch)
        try world.exchange()
        let sent = try world.transfer(from: phone)
        let context = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(1))
        try world.input(.fromApp(phone.app, context), at: phone)
        let before = Remembered(phone.link)
        func frame(_ kind: WatchFrame.Kind, _ flags: WatchFrame.Flags = .propertyList) throws -> WatchFrame {
            WatchFrame(kind, flags: flags, messageId: UUID(), body: try content(2))
        }
        var received = try frame(.userInfo)
        received.app = phone.app
        received.epoch = watch.link.outbox.epoch
        received.sequence = phone.link.inbox.received + 1
        let inputs: [WatchLink.Input] = [
            .fromPeer(received), .fromApp(phone.app, try frame(.userInfo)),
            .fromApp(phone.app, try frame(.userInfo, [.propertyList, .complication])),
            .file(phone.app, UUID(), WatchFile(path: "/a", size: 3), Data(count: 3)),
            .fromApp(phone.app, try frame(.context)),
            .fromApp(phone.app, WatchFrame(.cancelTransfer, messageId: sent)),
            .installationChanged(phone.app, isInstalled: false), .unpaired(epoch: 99),
        ]
        for input in inputs {
            _ = phone.link.handle(input, at: world.now)
            #expect(Remembered(phone.link) != before, "\(input)")
            _ = phone.link.resume(from: try phone.database.load(counterparts: phone.counterparts), at: world.now)
            #expect(Remembered(phone.link) == before, "\(input)")
            #expect(!phone.link.isUp, "\(input)")
        }
    }

    @Test func `A received transfer that the storage has refused does not hold up contexts and live messages`() throws {
        let world = try LinkWorld.connected()
        let watch = world.watch
        try world.killApp(of: watch)
        _ = try world.transfer(from: world.phone)
        let frame = try #require(world.toWatch.first { $0.kind == .userInfo })
        // Both in the batch that the storage refuses.
        _ = watch.link.handle(.fromPeer(frame), at: 0)
        let present = AppPresence(isAttached: true, isActivated: true, isForeground: true)
        _ = watch.link.handle(.appChanged(watch.app, present), at: 0)
        #expect(watch.link.backlog == [watch.app: [frame.messageId]] && !watch.link.isReadyForContext(watch.app))
        _ = watch.link.resume(from: try watch.database.load(counterparts: watch.counterparts), at: 0)
        #expect(watch.link.isReadyForContext(watch.app))
    }

    @Test(arguments: 0..<3)
    func `A handled transfer whose removal the storage has refused comes again, and the context waits for the last one`(
        refused: Int
    ) throws {
        let world = try LinkWorld.connected()
        let (phone, watch) = (world.phone, world.watch)
        try world.killApp(of: watch)
        let sent = try (0..<3).map { (number: Int) throws in try world.transfer(number, from: phone) }
        let context = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(9))
        try world.input(.fromApp(phone.app, context), at: phone)
        try world.exchange()
        try world.activateApp(of: watch)
        for _ in 0..<refused { try world.handleNext(at: watch) }
        _ = watch.link.handle(.fromApp(watch.app, WatchFrame(.delivered, messageId: sent[refused])), at: 0)
        _ = watch.link.resume(from: try watch.database.load(counterparts: watch.counterparts), at: 0)
        watch.toApp = []
        try world.input(.retry, at: watch)
        func delivered() -> [WatchFrame.Kind] { watch.toApp.map(\.kind).filter { $0 == .deliver || $0 == .context } }
        for transfer in sent[refused...] {
            #expect(delivered() == [.deliver])
            #expect(!watch.link.isReadyForContext(watch.app))
            try world.handleNext(at: watch)
            #expect(watch.handled.last == transfer)
        }
        #expect(delivered() == [.context])
    }

    @Test(arguments: [7014, 7015])
    func `The disk gives back a file with its progress and the code of its end after each of their steps`(
        code: Int
    ) throws {
        let world = try LinkWorld.connected()
        let (phone, watch) = (world.phone, world.watch)
        phone.hearsEnds = false
        let (file, bytes) = (UUID(), Data(repeating: 7, count: 20 * FileParts.size))
        try world.input(.file(phone.app, file, WatchFile(path: "/a", size: bytes.count), bytes), at: phone)
        try check(world, "a file under way")
        // Its head and two parts arrive.
        for _ in 0..<3 { try world.arrive(at: watch) }
        while !world.toPhone.isEmpty { try world.arrive(at: phone) }
        #expect(phone.link.files.map(\.sent) == [2 * FileParts.size] && phone.link.files.map(\.code) == [nil])
        try check(world, "parts that have arrived")
        // It is cancelled, or the watch refuses the next part. What was not sent ends then, what was sent later.
        if code == LinkCode.insufficientSpace {
            watch.link.refusalOfStorage = code
            try world.arrive(at: watch)
            watch.link.refusalOfStorage = nil
        } else {
            try world.input(.fromApp(phone.app, WatchFrame(.cancelTransfer, messageId: file)), at: phone)
        }
        var codes: [Int?] = phone.link.files.map(\.code)
        try check(world, "the decision that the file ends")
        while !(world.toPhone.isEmpty && world.toWatch.isEmpty) {
            if !world.toPhone.isEmpty { try world.arrive(at: phone) }
            codes += phone.link.files.map(\.code)
            try check(world, "a step at the phone")
            if !world.toWatch.isEmpty { try world.arrive(at: watch) }
        }
        #expect(codes.contains(code), "the file was there with its code")
        #expect(phone.link.files.isEmpty && phone.link.finished.waiting().map(\.code) == [code])
        try check(world, "the end of the file")
    }
}
