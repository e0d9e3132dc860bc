// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What an end of the link does for its apps, by where they are in their lives (watch.md, sections 9.3, 9.7 and 11.5).
@Suite("Apps at an end of the link, step by step", .endsInTime)
struct LinkAppStepTests {
    private static let active = AppPresence(isAttached: true, isActivated: true, isForeground: true)
    private static let background = AppPresence(isAttached: true, isActivated: true)
    private static let asleep = AppPresence(isAttached: true, isActivated: true, isSuspended: true)
    private static let starting = AppPresence(isAttached: true)

    private func frames(_ effects: [LinkEffect]) -> [WatchFrame] {
        effects.compactMap { if case .toPeer(let frame) = $0 { frame } else { nil } }
    }

    private func news(_ effects: [LinkEffect]) -> [WatchFrame] {
        effects.compactMap { if case .toApp(_, let frame) = $0 { frame } else { nil } }
    }

    /// A frame of the other device.
    private func frame(
        _ kind: WatchFrame.Kind, to end: LinkWorld.End, of world: LinkWorld, flags: WatchFrame.Flags = [],
        sequence: UInt64 = 0, body: Data = Data([1]), app: String? = nil
    ) -> WatchFrame {
        let other = end.isWatch ? world.phone : world.watch
        return WatchFrame(
            kind, flags: flags, messageId: UUID(), epoch: other.link.outbox.epoch, sequence: sequence,
            app: app ?? end.app, body: body)
    }

    /// The outcome of an immediate message.
    enum Fate: Equatable {
        case handedOver, held, launches, wakes
        case refused(UInt64)
    }

    private func fate(of frame: WatchFrame, at end: LinkWorld.End) -> Fate? {
        let effects = end.link.handle(.fromPeer(frame), at: 0)
        guard let last = effects.last else { return end.link.live.isHolding(for: frame.app) ? .held : nil }
        guard effects.count == 1 else { return nil }
        switch last {
        case .toApp(frame.app, frame): return .handedOver
        case .launch(frame.app): return end.link.live.isHolding(for: frame.app) ? .launches : nil
        case .wake(frame.app): return end.link.live.isHolding(for: frame.app) ? .wakes : nil
        case .toPeer(let answer) where answer.kind == .liveError && answer.correlationId == frame.messageId:
            return .refused(answer.sequence)
        default: return nil
        }
    }

    @Test
    func `A message is handed to an app that can take it; it launches an app of the phone, and wakes either one`()
        throws
    {
        let rows: [(presence: AppPresence?, onPhone: Fate, onWatch: Fate)] = [
            (nil, .launches, .refused(7014)), (Self.starting, .held, .refused(7014)),
            (Self.active, .handedOver, .handedOver), (Self.background, .handedOver, .handedOver),
            (Self.asleep, .wakes, .wakes),
        ]
        for (presence, onPhone, onWatch) in rows {
            let world = try LinkWorld.connected()
            for end in [world.phone, world.watch] {
                if let presence {
                    try world.input(.appChanged(end.app, presence), at: end)
                } else {
                    try world.killApp(of: end)
                }
                let expected = end.isWatch ? onWatch : onPhone
                #expect(
                    fate(of: frame(.live, to: end, of: world), at: end) == expected, "\(end.name): \(presence as Any)")
            }
        }
    }

    @Test
    func `A message for a missing app, too large or without a dictionary is refused with the code of that`() throws {
        let world = try LinkWorld.connected()
        for end in [world.phone, world.watch] {
            let missing: UInt64 = end.isWatch ? 7006 : 7018
            #expect(fate(of: frame(.live, to: end, of: world, app: "unknown"), at: end) == .refused(missing))
            let large = Data(count: WatchContent.messageLimit + 1)
            #expect(fate(of: frame(.live, to: end, of: world, body: large), at: end) == .refused(7009))
            #expect(fate(of: frame(.live, to: end, of: world, body: large.dropLast()), at: end) == .handedOver)
            #expect(fate(of: frame(.live, to: end, of: world, flags: .propertyList), at: end) == .refused(7010))
            try world.setInstalled(false, at: end)
            try world.exchange()
            #expect(fate(of: frame(.live, to: end, of: world), at: end) == .refused(missing))
        }
    }

    @Test func `A transfer wakes or launches the watch app only if it is for a complication on the face`() throws {
        let current: WatchFrame.Flags = [.propertyList, .complication]
        let rows: [(presence: AppPresence?, LinkEffect?)] = [
            (nil, .launch("watchApp")), (Self.starting, nil), (Self.active, nil), (Self.asleep, .wake("watchApp")),
        ]
        for (presence, expected) in rows {
            for (isShown, flags) in [(true, current), (false, current), (true, .propertyList)]
                as [(Bool, WatchFrame.Flags)]
            {
                let world = try LinkWorld.connected()
                let watch = world.watch
                try world.input(.complicationChanged(watch.app, isEnabled: isShown), at: watch)
                if let presence {
                    try world.input(.appChanged(watch.app, presence), at: watch)
                } else {
                    try world.killApp(of: watch)
                }
                let transfer = frame(.userInfo, to: watch, of: world, flags: flags, sequence: 1, body: try content(1))
                let effects = watch.link.handle(.fromPeer(transfer), at: 0).filter { effect in
                    switch effect {
                    case .launch, .wake: true
                    default: false
                    }
                }
                let isMeant = isShown && flags == current
                #expect(effects == (isMeant ? [expected].compactMap(\.self) : []), "\(presence as Any), \(isShown)")
            }
        }
    }

    @Test func `With the watch app its complication leaves the face, also for the next installation`() throws {
        let world = try LinkWorld.connected()
        try world.input(.complicationChanged(world.watch.app, isEnabled: true), at: world.watch)
        try world.exchange()
        #expect(world.phone.link.state(for: world.phone.app).isComplicationEnabled)
        for isInstalled in [false, true] {
            try world.setInstalled(isInstalled, at: world.watch)
            try world.exchange()
            #expect(world.watch.link.complications.isEmpty)
            let state = world.phone.link.state(for: world.phone.app)
            #expect(!state.isComplicationEnabled && state.remainingComplicationTransfers == 0)
            #expect(state.isCounterpartInstalled == isInstalled)
        }
    }

    @Test
    func `While the watch is not used, what an app sends is refused; what it has queued can still be taken back`()
        throws
    {
        for (role, code) in [(.idle, 7016), (.unpaired, 7005)] as [(LinkRole, UInt64)] {
            let world = try LinkWorld.connected()
            let phone = world.phone
            try world.input(.range(isInRange: false), at: phone)
            let queued = try world.transfer(from: phone)
            try world.input(.role(role), at: phone)
            for kind in [WatchFrame.Kind.live, .userInfo, .context] {
                let id = UUID()
                let frame = WatchFrame(kind, flags: .propertyList, messageId: id, body: try content(1))
                let answer = try #require(news(phone.link.handle(.fromApp(phone.app, frame), at: 0)).first)
                let isLive = kind == .live
                #expect(answer.kind == (isLive ? .liveError : .transferQueued) && answer.sequence == code)
                #expect((isLive ? answer.correlationId : answer.messageId) == id)
            }
            let file = WatchLink.Input.file(phone.app, UUID(), WatchFile(path: "/a", size: 1), Data([1]))
            #expect(news(phone.link.handle(file, at: 0)).map(\.sequence) == [code] && phone.link.files.isEmpty)
            #expect(phone.link.contexts.own.isEmpty && phone.link.outbox.count == 1)
            let cancel = WatchFrame(.cancelTransfer, messageId: queued)
            let end = news(phone.link.handle(.fromApp(phone.app, cancel), at: 0))
            #expect(end.map(\.kind) == [.transferDone] && end.map(\.sequence) == [7014])
            #expect(phone.link.outbox.count == 0)
        }
    }

    @Test func `An app without a counterpart gets 7006 for what it sends`() throws {
        let world = try LinkWorld.connected()
        for kind in [WatchFrame.Kind.live, .userInfo, .context] {
            let frame = WatchFrame(kind, flags: .propertyList, messageId: UUID(), body: try content(1))
            let effects = world.phone.link.handle(.fromApp("unknown", frame), at: 0)
            #expect(effects.count == 1 && news(effects).map(\.sequence) == [7006], "\(kind)")
        }
        let file = WatchLink.Input.file("unknown", UUID(), WatchFile(path: "/a", size: 1), Data([1]))
        #expect(news(world.phone.link.handle(file, at: 0)).map(\.sequence) == [7006])
        #expect(!world.phone.link.state(for: "unknown").isCounterpartInstalled)
    }

    @Test func `The same transfer or file that an app sends again is queued once, and answered as queued`() throws {
        let world = try LinkWorld()
        let phone = world.phone
        let frame = WatchFrame(.userInfo, flags: .propertyList, messageId: UUID(), body: try content(1))
        let file = WatchLink.Input.file(phone.app, UUID(), WatchFile(path: "/a", size: 1), Data([1]))
        for input in [.fromApp(phone.app, frame), file] as [WatchLink.Input] {
            #expect(phone.link.handle(input, at: 0).count > 1)
            let again = phone.link.handle(input, at: 0)
            #expect(again.count == 1 && news(again).map(\.kind) == [.transferQueued] && news(again)[0].sequence == 0)
        }
        #expect(phone.link.outbox.count == 2 && phone.link.files.count == 1)
    }

    @Test func `What an app acknowledges without having been given it, or takes back unsent, changes nothing`() throws {
        let world = try LinkWorld.connected()
        for end in [world.phone, world.watch] { end.hearsEnds = false }
        // Each end has something that its app is still to get, and an end of its own that was not acknowledged.
        for (sender, receiver) in [(world.phone, world.watch), (world.watch, world.phone)] {
            _ = try world.transfer(from: sender)
            let context = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(1))
            try world.input(.fromApp(sender.app, context), at: sender)
            try world.exchange()
            try world.input(.handOverFailed(receiver.app), at: receiver)
        }
        for end in [world.phone, world.watch] {
            #expect(end.link.inbox.count(for: end.app) == 1 && end.link.finished.count == 1)
            for kind in [
                WatchFrame.Kind.delivered, .transferTold, .contextTold, .liveAcknowledgement, .liveReply, .liveError,
                .cancelTransfer,
            ] {
                let before = end.link
                let frame = WatchFrame(kind, messageId: UUID(), correlationId: UUID())
                #expect(end.link.handle(.fromApp(end.app, frame), at: world.now).isEmpty, "\(end.name): \(kind)")
                #expect(end.link == before, "\(end.name): \(kind)")
            }
            // The transfer is offered again when there is a reason.
            let offered = news(end.link.handle(.appChanged(end.app, end.presence), at: world.now))
            #expect(offered.map(\.kind) == [.deliver])
        }
    }
}
