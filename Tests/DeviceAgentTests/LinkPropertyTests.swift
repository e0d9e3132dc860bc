import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// Random lives of two devices and the air between them. `LAB_LINK_SEEDS=5000` plays so many of them.
@Suite("The link, whatever happens", .endsInTime)
struct LinkPropertyTests {
    private static let count = ProcessInfo.processInfo.environment["LAB_LINK_SEEDS"].flatMap(UInt64.init) ?? 48

    /// One life, and what was done in it.
    private final class Life {
        let world: LinkWorld
        var random: SeededGenerator
        /// What each end has accepted, in order.
        var accepted: [Bool: [UUID]] = [:]
        /// What it was asked to take back.
        var cancelled: Set<UUID> = []
        /// The last context of each end.
        var contexts: [Bool: Data] = [:]
        private var contextCount = 0

        init(seed: UInt64) throws {
            world = try LinkWorld()
            random = SeededGenerator(seed: seed)
        }

        private func air(to end: LinkWorld.End) -> [WatchFrame] { end.isWatch ? world.toWatch : world.toPhone }

        private func send(_ frame: WatchFrame, to end: LinkWorld.End) {
            if end.isWatch { world.toWatch.append(frame) } else { world.toPhone.append(frame) }
        }

        func step() throws {
            let end = Bool.random(using: &random) ? world.phone : world.watch
            switch Int.random(in: 0..<26, using: &random) {
            case 0..<5:
                // Stored is accepted, even when the agent dies before it can say so.
                let frame = WatchFrame(.userInfo, flags: .propertyList, messageId: UUID(), body: try content())
                try world.input(.fromApp(end.app, frame), at: end, crashesAfterStore: random.once(in: 20))
                accepted[end.isWatch, default: []].append(frame.messageId)
            case 5..<12: try arrive(at: end)
            case 12:
                if end.isWatch, !world.toWatch.isEmpty { world.toWatch.removeFirst() }
                if !end.isWatch, !world.toPhone.isEmpty { world.toPhone.removeFirst() }
            case 13:
                try end.reboot()
                world.airIsEmpty(for: end)
            case 14:
                if end.presence.isActivated { try world.killApp(of: end) } else { try world.activateApp(of: end) }
            case 15: try world.handleNext(at: end, diesBeforeReport: random.once(in: 3))
            case 16: try world.input(.retransmit, at: end)
            case 17: try world.input(.range(isInRange: Bool.random(using: &random)), at: world.phone)
            case 18:
                // A late copy of a greeting.
                guard let late = world.greetings.randomElement(using: &random) else { return }
                send(late.frame, to: late.isToWatch ? world.watch : world.phone)
            case 19, 20: try cancel(at: end)
            case 21:
                contextCount += 1
                let body = try content(contextCount)
                let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: body)
                try world.input(.fromApp(end.app, frame), at: end, crashesAfterStore: random.once(in: 10))
                contexts[end.isWatch] = body
            case 22: try world.input(.beat, at: end)
            default: try world.input(.seek, at: world.watch)
            }
        }

        private func arrive(at end: LinkWorld.End) throws {
            let count = air(to: end).count
            guard count > 0 else { return }
            let index = random.once(in: 6) ? Int.random(in: 0..<count, using: &random) : 0
            if random.once(in: 10) { send(air(to: end)[index], to: end) }
            try world.arrive(at: end, index: index)
        }

        private func cancel(at end: LinkWorld.End) throws {
            guard let id = accepted[end.isWatch]?.suffix(6).randomElement(using: &random) else { return }
            cancelled.insert(id)
            let frame = WatchFrame(.cancelTransfer, messageId: id)
            try world.input(.fromApp(end.app, frame), at: end, crashesAfterStore: random.once(in: 20))
        }
    }

    @Test(
        "Whatever is lost, doubled, delayed, cancelled or killed, each transfer arrives once and in order, or is told as taken back",
        arguments: 0..<count)
    func truth(seed: UInt64) throws {
        let life = try Life(seed: seed)
        let world = life.world
        for _ in 0..<220 { try life.step() }
        try world.settle()
        for (sender, receiver) in [(world.phone, world.watch), (world.watch, world.phone)] {
            let place = "seed \(seed), from \(sender.name)"
            let accepted = life.accepted[sender.isWatch] ?? []
            let arrived = Set(receiver.arrived)
            #expect(receiver.arrived == accepted.filter(arrived.contains), "\(place): doubles, or another order")
            let missing = accepted.filter { !arrived.contains($0) }
            #expect(missing.allSatisfy(life.cancelled.contains), "\(place): something was lost")
            #expect(sender.link.outbox.entries.isEmpty, "\(place): something is still queued")
            // Between inbox and app only the head may come again, and only directly after itself.
            var distinct: [UUID] = []
            for id in receiver.handled where distinct.last != id { distinct.append(id) }
            #expect(distinct == receiver.arrived, "\(place): the app saw another order")
            // The report says what has happened, and comes for each.
            #expect(Set(sender.finished) == Set(accepted), "\(place): ends that were not told")
            for id in accepted {
                #expect((sender.codes[id] == nil) == arrived.contains(id), "\(place): a report that is not true")
            }
            if let context = life.contexts[sender.isWatch] {
                #expect(receiver.link.contexts.received[receiver.app]?.body == context, "\(place): an old context")
            }
        }
    }
}
