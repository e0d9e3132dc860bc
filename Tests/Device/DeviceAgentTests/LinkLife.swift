// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// Random lives of two devices and the air between them. `LAB_LINK_SEEDS=5000` plays so many of them.
@Suite("The link under random faults", .endsInTime)
struct LinkPropertyTests {
    private static let count = ProcessInfo.processInfo.environment["LAB_LINK_SEEDS"].flatMap(UInt64.init) ?? 48

    @Test(arguments: 0..<count)
    func
        `With any loss, double, delay, cancel, kill, erasure, unpairing or removal, each transfer arrives once and in order or is reported as ended, and nothing reaches a later pairing or installation`(
            seed: UInt64
        ) throws
    {
        let life = try LinkLife(seed: seed)
        for _ in 0..<220 { try life.step() }
        try life.settle()
        let faults = life.record.verdict(on: life.world)
        #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(5).joined(separator: "; "))")
        #expect(life.record.transfers.contains { $0.isAccepted }, "seed \(seed): a life in which nothing was sent")
    }
}

/// A random life of two devices: what happens is drawn from a seed, and what must come of it is in its record.
final class LinkLife: LinkWorldObserver {
    /// What may happen next.
    private enum Event: CaseIterable {
        case userInfo, file, context, cancel
        case arrive, calm, lose, late, lateGreeting
        case handle, app, reboot, retransmit, beat, seek, range
        case erase, pairing, installation

        /// How often it happens in a life that is drawn to no other one.
        var weight: Int {
            switch self {
            case .arrive: 14
            case .userInfo, .seek: 6
            case .handle, .context, .file, .late: 4
            case .calm, .cancel, .erase, .installation: 2
            default: 1
            }
        }

        /// Without these nothing moves.
        var isNeeded: Bool { [.arrive, .seek, .userInfo, .handle].contains(self) }
    }

    let world: LinkWorld
    let record: LinkRecord
    private var random: SeededGenerator
    /// Each event as often as it weighs. Lives differ in what they are made of: one in which a thing never happens, or
    /// all the time, finds what an even mixture hides.
    private var deck: [Event] = []
    /// Frames that may come late: those that the air still has, and all of pairings that are over.
    private var late: [(frame: WatchFrame, isToWatch: Bool, pairing: UInt64)] = []
    /// Greetings that have arrived and may do so again, since the last start of a process.
    private var greetings: [(frame: WatchFrame, isToWatch: Bool)] = []
    /// Whether the air has lost a frame. What goes wrong without that, the devices repair by themselves.
    private var isLossy = false
    private var count = 0
    private var lastEpoch: UInt64 = 1 << 40

    init(seed: UInt64) throws {
        world = try LinkWorld()
        record = LinkRecord(world)
        random = SeededGenerator(seed: seed)
        for event in Event.allCases {
            let factor = event.isNeeded ? 1 : [0, 1, 1, 4].randomElement(using: &random) ?? 1
            deck += Array(repeating: event, count: event.weight * factor)
        }
        world.observer = self
    }

    /// Lets something happen.
    func step() throws {
        let end = Bool.random(using: &random) ? world.phone : world.watch
        switch deck.randomElement(using: &random) ?? .arrive {
        case .userInfo: try sendUserInfo(from: end)
        case .file: try sendFile(from: end)
        case .context: try updateContext(of: end)
        case .cancel: try cancel(at: end)
        case .arrive: for _ in 0..<Int.random(in: 1...6, using: &random) { try arrive(at: end) }
        case .calm: try calm()
        case .lose:
            isLossy = true
            if end.isWatch, !world.toWatch.isEmpty { world.toWatch.removeFirst() }
            if !end.isWatch, !world.toPhone.isEmpty { world.toPhone.removeFirst() }
        case .late:
            let copies = random.once(in: 2) ? late : late.filter { $0.frame.kind == .context }
            guard let copy = copies.randomElement(using: &random) else { return }
            send(copy.frame, to: copy.isToWatch ? world.watch : world.phone)
        case .lateGreeting:
            guard let copy = greetings.randomElement(using: &random) else { return }
            send(copy.frame, to: copy.isToWatch ? world.watch : world.phone)
        case .handle: try world.handleNext(at: end, diesBeforeReport: random.once(in: 4))
        case .app:
            guard end.isInstalled else { return }
            if end.presence.isActivated { try world.killApp(of: end) } else { try world.activateApp(of: end) }
        case .reboot:
            try end.reboot()
            world.airIsEmpty(for: end)
            processEnds()
        case .retransmit: try world.input(.retransmit, at: end)
        case .beat: try world.input(.beat, at: end)
        case .seek:
            try comeBack()
            try world.input(.seek, at: world.watch)
        case .range: try world.input(.range(isInRange: Bool.random(using: &random)), at: world.phone)
        case .erase: try erase(end)
        case .pairing: try changePairing()
        case .installation: try changeInstallation(at: end)
        }
        record.notePairing()
    }

    /// Ends the life: everything works from now on, and all comes to its end.
    func settle() throws {
        if world.phone.role != .active { try world.play(.active) }
        for end in [world.phone, world.watch] where !end.isInstalled && !random.once(in: 4) {
            try changeInstallation(at: end)
        }
        try world.input(.range(isInRange: true), at: world.phone)
        // What was lost on its way, be it a greeting, is what faults of the link took, and those are over.
        if isLossy { try world.input(.healed, at: world.phone) }
        for _ in 0..<2 {
            try world.settle()
            record.notePairing()
        }
    }

    /// What keeps the devices apart does not last: a life in which nothing arrives shows nothing.
    private func comeBack() throws {
        if world.phone.role != .active, random.once(in: 2) { try world.play(.active) }
        if !world.phone.link.isInRange, random.once(in: 2) { try world.input(.range(isInRange: true), at: world.phone) }
        for end in [world.phone, world.watch] where !end.isInstalled && random.once(in: 3) {
            try changeInstallation(at: end)
        }
    }

    /// For a while nothing goes wrong.
    private func calm() throws {
        try comeBack()
        try world.input(.seek, at: world.watch)
        for _ in 0..<40 {
            if !world.toPhone.isEmpty { try arrive(at: world.phone, isCalm: true) }
            if !world.toWatch.isEmpty { try arrive(at: world.watch, isCalm: true) }
        }
    }

    // MARK: Apps

    private func crashes(once count: Int) -> Bool {
        guard random.once(in: count) else { return false }
        processEnds()
        return true
    }

    private func sendUserInfo(from end: LinkWorld.End) throws {
        guard end.isInstalled else { return }
        let frame = WatchFrame(.userInfo, flags: .propertyList, messageId: UUID(), body: try nextContent())
        record.sends(frame.messageId, from: end)
        // Stored is accepted, even when the agent dies before it can say so.
        try world.input(.fromApp(end.app, frame), at: end, crashesAfterStore: crashes(once: 20))
    }

    private func sendFile(from end: LinkWorld.End) throws {
        guard end.isInstalled else { return }
        let part = FileParts.size
        let size = [0, 1, part - 1, part, part + 1, 2 * part, 2 * part + 1].randomElement(using: &random) ?? 0
        count += 1
        let (id, bytes) = (UUID(), Data(repeating: UInt8(truncatingIfNeeded: count), count: size))
        record.sends(id, from: end, content: bytes)
        try world.input(
            .file(end.app, id, WatchFile(path: "/x/\(count)", size: size), bytes), at: end,
            crashesAfterStore: crashes(once: 20))
    }

    private func updateContext(of end: LinkWorld.End) throws {
        guard end.isInstalled else { return }
        let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try nextContent())
        if end.role == .active { record.updates(frame.body, of: end) }
        try world.input(.fromApp(end.app, frame), at: end, crashesAfterStore: crashes(once: 10))
    }

    private func nextContent() throws -> Data {
        count += 1
        return try content(count)
    }

    private func cancel(at end: LinkWorld.End) throws {
        guard end.isInstalled, let id = record.recent(of: end).randomElement(using: &random) else { return }
        record.cancels(id)
        try world.input(
            .fromApp(end.app, WatchFrame(.cancelTransfer, messageId: id)), at: end,
            crashesAfterStore: crashes(once: 20))
    }

    // MARK: Losses of memory

    private func nextEpoch() -> UInt64 {
        lastEpoch += 1 << 20
        return lastEpoch
    }

    private func erase(_ end: LinkWorld.End) throws {
        // Often in the middle of a greeting, which nothing may repair afterwards.
        let isGreeting = random.once(in: 2)
        if isGreeting {
            try world.input(.seek, at: world.watch)
            if random.once(in: 2), !world.toPhone.isEmpty { try arrive(at: world.phone) }
        }
        let epoch = nextEpoch()
        record.erases(end, epoch: epoch)
        try world.erase(end, epoch: epoch, crashesAfterStore: crashes(once: 8))
        if isGreeting { try world.exchange() }
        if random.once(in: 2) { try updateContext(of: end) }
        if random.once(in: 2) { try sendUserInfo(from: end) }
    }

    private func changePairing() throws {
        guard world.phone.role == .active else { return try world.play(.active) }
        if random.once(in: 3) { return try world.play(.idle) }
        let epoch = nextEpoch()
        record.pairing = epoch
        try world.unpair(epoch: epoch, crashesAfterStore: crashes(once: 8))
        if random.once(in: 2) { try world.play(.active) }
    }

    private func changeInstallation(at end: LinkWorld.End) throws {
        record.changesInstallation(of: end)
        let wasInstalled = end.isInstalled
        try world.setInstalled(!wasInstalled, at: end)
        guard wasInstalled, random.once(in: 2) else { return }
        record.changesInstallation(of: end)
        try world.setInstalled(true, at: end)
        if random.once(in: 2) { try updateContext(of: end) }
    }

    // MARK: The air

    private func air(to end: LinkWorld.End) -> [WatchFrame] { end.isWatch ? world.toWatch : world.toPhone }

    private func send(_ frame: WatchFrame, to end: LinkWorld.End) {
        if end.isWatch { world.toWatch.append(frame) } else { world.toPhone.append(frame) }
    }

    private func arrive(at end: LinkWorld.End, isCalm: Bool = false) throws {
        let frames = air(to: end)
        guard !frames.isEmpty else { return }
        // What is held up comes behind others; greetings are not held up.
        let free = frames.firstIndex { $0.messageKind == nil } ?? frames.count - 1
        let index = !isCalm && random.once(in: 6) ? Int.random(in: 0...free, using: &random) : 0
        if !isCalm, random.once(in: 10) { send(frames[index], to: end) }
        if frames[index].kind == .hello || frames[index].kind == .welcome {
            greetings.append((frames[index], end.isWatch))
        }
        try world.arrive(at: end, index: index)
    }

    /// The connection is lost: of what was said, only that of a pairing that is over may still come.
    private func connectionEnds() { late.removeAll { $0.pairing == record.pairing } }

    /// With a process go its sockets, and the greetings in them.
    private func processEnds() {
        connectionEnds()
        greetings = []
    }

    // MARK: Observer

    func stored(_ change: LinkChange, at end: LinkWorld.End) { record.stored(change, at: end) }

    func carriedOut(_ effect: LinkEffect, at end: LinkWorld.End) {
        record.carriedOut(effect, at: end)
        switch effect {
        case .toPeer(let frame) where frame.messageKind != nil:
            late.append((frame, !end.isWatch, record.pairing))
            if late.count > 400 { late.removeFirst(100) }
        case .linkChanged(isUp: false) where !end.isWatch:
            // The phone's end of the link has the air, and with the connection goes what was in it.
            connectionEnds()
            world.toPhone.removeAll { $0.messageKind != nil }
            world.toWatch.removeAll { $0.messageKind != nil }
        default: break
        }
    }
}
