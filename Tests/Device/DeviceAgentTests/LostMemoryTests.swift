// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What devices and apps forget in the middle of something (watch.md, section 11.6).
@Suite("Devices and apps that lose their memory in the middle of something", .endsInTime)
struct LostMemoryTests {
    /// What ends the memory.
    enum Loss: CaseIterable, Sendable {
        case senderApp, receiverApp, sendingDevice, receivingDevice, pairing
    }

    /// Two devices, and which of them sends.
    private struct Course {
        let world: LinkWorld
        let sender: LinkWorld.End
        let receiver: LinkWorld.End

        init(isToWatch: Bool) throws {
            world = try LinkWorld.connected()
            (sender, receiver) = isToWatch ? (world.phone, world.watch) : (world.watch, world.phone)
        }

        func update(_ number: Int) throws {
            let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(number))
            try world.input(.fromApp(sender.app, frame), at: sender)
        }

        func send(file: Data) throws -> UUID {
            let id = UUID()
            try world.input(.file(sender.app, id, WatchFile(path: "/a", size: file.count), file), at: sender)
            return id
        }

        /// The contexts delivered to the receiver's app since its start.
        var told: [Data] {
            receiver.toApp.filter { $0.kind == .context && !$0.flags.contains(.retransmission) }.map(\.body)
        }

        func lose(_ loss: Loss, reboots: Bool = false) throws {
            let end = [.senderApp, .sendingDevice].contains(loss) ? sender : receiver
            switch loss {
            case .senderApp, .receiverApp:
                try world.setInstalled(false, at: end)
                if reboots { try reboot(end) }
                try world.setInstalled(true, at: end)
            case .sendingDevice, .receivingDevice:
                try world.erase(end, epoch: 1 << 41)
                if reboots { try reboot(end) }
            case .pairing:
                try world.unpair(epoch: 1 << 42)
                try world.play(.active)
            }
        }

        private func reboot(_ end: LinkWorld.End) throws {
            try end.reboot()
            world.airIsEmpty(for: end)
        }
    }

    @Test(arguments: Loss.allCases, [true, false])
    func `The first context after a loss of memory arrives with any earlier numbers, and no earlier one comes late`(
        loss: Loss, isToWatch: Bool
    ) throws {
        for reboots in [false, true] {
            let course = try Course(isToWatch: isToWatch)
            let world = course.world
            try course.update(1)
            try world.settle()
            for number in 2...3 { try course.update(number) }
            let late = (isToWatch ? world.toWatch : world.toPhone).filter { $0.kind == .context }
            #expect(late.count == 2)
            try world.settle()
            try course.lose(loss, reboots: reboots)
            try world.settle()
            course.receiver.toApp = []
            if loss == .receiverApp || loss == .pairing {
                for frame in late { try world.input(.fromPeer(frame), at: course.receiver) }
                #expect(course.told.isEmpty, "\(loss): a context from before")
            }
            try course.update(4)
            try world.settle()
            #expect(try course.told == [content(4)], "\(loss), reboots: \(reboots)")
            try course.update(5)
            try world.settle()
            #expect(try course.told.last == content(5), "\(loss), reboots: \(reboots)")
        }
    }

    @Test(arguments: Loss.allCases, [true, false])
    func `A partly received file is dropped when a memory ends; its sender, if it still exists, is notified`(
        loss: Loss, isToWatch: Bool
    ) throws {
        // The head and three parts.
        let bytes = Data(repeating: 7, count: 3 * FileParts.size)
        for pieces in 1...4 {
            let course = try Course(isToWatch: isToWatch)
            let (world, sender, receiver) = (course.world, course.sender, course.receiver)
            let file = try course.send(file: bytes)
            for _ in 0..<pieces { try world.arrive(at: receiver) }
            // An even number is known to the sender, the answers to an odd one are lost.
            while pieces.isMultiple(of: 2), !(isToWatch ? world.toPhone : world.toWatch).isEmpty {
                try world.arrive(at: sender)
            }
            if isToWatch { world.toPhone = [] } else { world.toWatch = [] }
            try course.lose(loss)
            try world.settle()
            let place = "\(loss) after \(pieces) pieces"
            let isWhole = pieces == 4
            let code: UInt64? =
                switch loss {
                case _ where isWhole: nil
                case .senderApp, .sendingDevice: nil
                case .receiverApp: 7014
                // A watch that is as new gets again what its phone does not know as arrived.
                case .receivingDevice: isToWatch && pieces != 2 ? nil : 7014
                case .pairing: isToWatch ? 7005 : 7014
                }
            #expect(sender.codes == (code.map { [file: $0] } ?? [:]), "\(place)")
            if [.senderApp, .sendingDevice].contains(loss) {
                #expect(sender.finished == (isWhole ? [file] : []), "\(place)")
            }
            #expect(receiver.link.inbox.count == 0 && sender.link.files.isEmpty, "\(place)")
            #expect(sender.link.outbox.entries.isEmpty, "\(place)")
            let before = receiver.files.count
            let next = try course.send(file: bytes)
            try world.settle()
            #expect(receiver.files.dropFirst(before).map(\.transferId) == [next], "\(place)")
            #expect(receiver.files.last?.parts.reduce(Data(), +) == bytes, "\(place)")
        }
    }

    @Test(arguments: [true, false])
    func `A cancelled transfer ends with the cancellation code when the pairing ends`(isToWatch: Bool) throws {
        let course = try Course(isToWatch: isToWatch)
        let (world, sender) = (course.world, course.sender)
        let cancelled = [try world.transfer(from: sender), try course.send(file: Data(count: 10))]
        for id in cancelled {
            try world.input(.fromApp(sender.app, WatchFrame(.cancelTransfer, messageId: id)), at: sender)
        }
        let waiting = try world.transfer(from: sender)
        world.toWatch = []
        world.toPhone = []
        try course.lose(.pairing)
        try world.settle()
        #expect(Set(sender.finished) == Set(cancelled + [waiting]))
        #expect(cancelled.allSatisfy { sender.codes[$0] == 7014 })
        #expect(sender.codes[waiting] == (isToWatch ? 7005 : 7014))
    }

    @Test func `The greeting of an erased watch ends the previous connection, and the messages held on it`() throws {
        let world = try LinkWorld.connected()
        try world.erase(world.watch, epoch: 1 << 41)
        world.toPhone = []
        try world.input(.seek, at: world.watch)
        // The watch no longer belongs to a pairing, and greets in that of its phone as soon as it knows it.
        try world.arrive(at: world.phone)
        try world.arrive(at: world.watch, index: world.toWatch.count - 1)
        let greeting = try #require(world.toPhone.first { $0.kind == .welcome || $0.kind == .hello })
        #expect(world.phone.link.isUp)
        let effects = world.phone.link.handle(.fromPeer(greeting), at: world.now)
        #expect(effects.contains(.linkChanged(isUp: false)) && world.phone.link.isUp)
    }

    @Test(arguments: [true, false], [WatchFrame.Kind.hello, .welcome])
    func `An answer to a greeting sent before an erasure does not connect`(isWatch: Bool, kind: WatchFrame.Kind) throws
    {
        let world = try LinkWorld()
        let erased = isWatch ? world.watch : world.phone
        for end in [world.phone, world.watch] { try world.activateApp(of: end) }
        try world.input(.seek, at: world.watch)
        if kind == .welcome { try world.arrive(at: world.phone) }
        try world.erase(erased, epoch: 1 << 41)
        try world.activateApp(of: erased)
        try world.exchange()
        try world.settle()
        for end in [world.phone, world.watch] {
            #expect(end.link.isUp && end.link.state(for: end.app).isReachable, "\(end.name)")
        }
        let update = try content(1)
        for end in [world.phone, world.watch] {
            try world.input(.fromApp(end.app, WatchFrame(.context, flags: .propertyList, body: update)), at: end)
        }
        try world.settle()
        for end in [world.phone, world.watch] {
            #expect(end.link.contexts.received[end.app]?.body == update, "\(end.name)")
        }
    }

    @Test(arguments: [true, false], [WatchFrame.Kind.context, .contextAcknowledgement])
    func `Messages in flight when a device is erased are ignored by the other one afterwards`(
        isToWatch: Bool, kind: WatchFrame.Kind
    ) throws {
        let course = try Course(isToWatch: isToWatch)
        let world = course.world
        try course.update(1)
        try world.settle()
        try course.update(2)
        func air(to end: LinkWorld.End) -> [WatchFrame] { end.isWatch ? world.toWatch : world.toPhone }
        if kind == .contextAcknowledgement {
            while air(to: course.sender).isEmpty { try world.arrive(at: course.receiver) }
        }
        let goal = kind == .context ? course.receiver : course.sender
        let late = try #require(air(to: goal).first { $0.kind == kind })
        world.airIsEmpty(for: world.phone)
        world.airIsEmpty(for: world.watch)
        try course.lose(.sendingDevice, reboots: true)
        try world.settle()
        try world.activateApp(of: course.sender)
        // The sender counts from the beginning, so its second context has the number of the one before the loss.
        for number in [8, 9] { try course.update(number) }
        if isToWatch {
            world.toWatch.removeAll { $0.kind == .context }
        } else {
            world.toPhone.removeAll { $0.kind == .context }
        }
        try world.input(.fromPeer(late), at: goal)
        try world.input(.retransmit, at: course.sender)
        try world.settle()
        #expect(course.receiver.link.contexts.received[course.receiver.app]?.body == (try content(9)))
    }
}
