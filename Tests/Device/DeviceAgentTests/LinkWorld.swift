// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabSystem
import SimulatedDevice
import TestSupport

@testable import DeviceAgent

/// The content of a transfer or a context.
func content(_ number: Int = 0) throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: ["n": number], format: .binary, options: 0)
}

/// A phone and a watch with their agents, their apps and the air between them, all in one value-driven world: every
/// frame on the way, every crash and every loss is a decision of the test.
final class LinkWorld {
    /// One device with the end of the link, the disk that survives crashes, and its app.
    final class End {
        let name: String
        let isWatch: Bool
        let database: LinkDatabase
        let counterparts: [String: String]
        var link: WatchLink
        var presence = AppPresence()
        /// What the app has to handle: transfer and whether it is marked as repeated.
        var toApp: [WatchFrame] = []
        /// Transfers in the order in which the app has handled them.
        var handled: [UUID] = []
        /// Transfers in the order in which they were stored as received.
        var arrived: [UUID] = []
        /// Own transfers that were reported as finished to the app.
        var finished: [UUID] = []
        /// With which code those ended that did not arrive.
        var codes: [UUID: UInt64] = [:]
        /// Whether the app's delegate acknowledges the end of transfers.
        var hearsEnds = true
        var launches = 0
        /// Whether the app is on the device, which the agent hears again when it starts.
        var isInstalled = true
        /// What the phone does with the watch, which its agent knows when it starts.
        var role = LinkRole.active
        /// Files that were handed to the app.
        var files: [ReceivedFile] = []
        private let processes: () -> UInt64
        private let capacity: QueueCapacity

        init(
            name: String, isWatch: Bool, directory: String, capacity: QueueCapacity, processes: @escaping () -> UInt64
        ) throws {
            self.capacity = capacity
            self.name = name
            self.isWatch = isWatch
            self.processes = processes
            counterparts = isWatch ? ["watchApp": "phoneApp"] : ["phoneApp": "watchApp"]
            database = LinkDatabase(path: "\(directory)/\(name).sqlite")
            link = try Self.boot(name, isWatch, counterparts, database, processes(), capacity, role)
        }

        var app: String { isWatch ? "watchApp" : "phoneApp" }

        /// The agent, and with it the app, dies and starts again from what is on the disk.
        func reboot() throws {
            link = try Self.boot(name, isWatch, counterparts, database, processes(), capacity, role)
            if !isInstalled { _ = link.handle(.installationChanged(app, isInstalled: false), at: 0) }
            presence = AppPresence()
            toApp = []
        }

        private static func boot(
            _ name: String, _ isWatch: Bool, _ counterparts: [String: String], _ database: LinkDatabase,
            _ process: UInt64, _ capacity: QueueCapacity, _ role: LinkRole
        ) throws -> WatchLink {
            let setup = WatchLink.Setup(
                name: "link", device: name, peer: isWatch ? "phone" : "watch", isWatch: isWatch,
                counterparts: counterparts, pid: 1, process: process, capacity: capacity)
            return WatchLink(
                setup: setup, queues: try database.load(counterparts: counterparts), isInRange: true, role: role)
        }
    }

    let phone: End
    let watch: End
    /// Frames on their way to the phone and to the watch.
    var toPhone: [WatchFrame] = []
    var toWatch: [WatchFrame] = []
    var now: Int64 = 0
    /// Every greeting that was ever sent, and whether to the watch.
    var greetings: [(frame: WatchFrame, isToWatch: Bool)] = []
    /// Sees what is stored and carried out.
    weak var observer: (any LinkWorldObserver)?
    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - processes: Number of processes that there were in other worlds.
    ///   - capacity: How much each queue holds.
    init(processes: UInt64 = 0, capacity: QueueCapacity = QueueCapacity()) throws {
        directory = try TemporaryDirectory()
        var process = processes
        let next = {
            process += 1
            return process
        }
        phone = try End(name: "phone", isWatch: false, directory: directory.path, capacity: capacity, processes: next)
        watch = try End(name: "watch", isWatch: true, directory: directory.path, capacity: capacity, processes: next)
    }

    /// Something happens at one end. `crashesAfterStore` lets the agent die between its commit and everything else.
    func input(_ input: WatchLink.Input, at end: End, crashesAfterStore: Bool = false) throws {
        let effects = end.link.handle(input, at: now)
        let changes = effects.compactMap { if case .store(let change) = $0 { change } else { nil } }
        try end.database.apply(changes)
        for change in changes { observer?.stored(change, at: end) }
        for case .received(let entry?, _) in changes { end.arrived.append(entry.transferId) }
        if crashesAfterStore {
            airIsEmpty(for: end)
            try end.reboot()
            return
        }
        for effect in effects {
            observer?.carriedOut(effect, at: end)
            switch effect {
            case .toPeer(let frame): send(frame, from: end)
            case .greet: send(end.link.hello(), from: end)
            case .toApp(_, let frame):
                end.toApp.append(frame)
                if frame.kind == .transferDone { try hear(frame, at: end) }
                if frame.kind == .context, !frame.flags.contains(.retransmission), end.hearsEnds {
                    try self.input(.fromApp(end.app, WatchFrame(.contextTold, messageId: frame.messageId)), at: end)
                }
            case .launch: end.launches += 1
            case .handOver(_, let file):
                end.files.append(file)
                end.toApp.append(file.frame(for: end.app, at: "/inbox"))
            case .store, .finished, .wake, .linkChanged: break
            }
        }
    }

    private func hear(_ frame: WatchFrame, at end: End) throws {
        guard end.hearsEnds else { return }
        end.finished.append(frame.messageId)
        if frame.sequence != 0 { end.codes[frame.messageId] = frame.sequence }
        try input(.fromApp(end.app, WatchFrame(.transferTold, messageId: frame.messageId)), at: end)
    }

    private func send(_ frame: WatchFrame, from end: End) {
        if frame.kind == .hello || frame.kind == .welcome { greetings.append((frame, !end.isWatch)) }
        if end.isWatch { toPhone.append(frame) } else { toWatch.append(frame) }
    }

    /// Frames of and for a process that died are gone with its sockets.
    func airIsEmpty(for end: End) {
        toPhone = []
        toWatch = []
        let other = end.isWatch ? phone : watch
        _ = try? input(.peerEnded, at: other)
    }

    /// Lets the next frame, or the one at `index`, arrive.
    func arrive(at end: End, index: Int = 0) throws {
        let frame = end.isWatch ? toWatch.remove(at: index) : toPhone.remove(at: index)
        try input(.fromPeer(frame), at: end)
    }

    /// Lets all frames arrive that are on their way, and those that follow from them.
    func exchange() throws {
        while !(toPhone.isEmpty && toWatch.isEmpty) {
            if !toWatch.isEmpty { try arrive(at: watch) }
            if !toPhone.isEmpty { try arrive(at: phone) }
        }
    }

    /// A world whose devices have found each other.
    static func settled() throws -> LinkWorld {
        let world = try LinkWorld()
        try world.settle()
        return world
    }

    /// A world in which both apps run and both ends of the link are up.
    static func connected() throws -> LinkWorld {
        let world = try LinkWorld()
        try world.activateApp(of: world.phone)
        try world.activateApp(of: world.watch)
        try world.settle()
        return world
    }

    /// The app of an end sends a guaranteed message.
    ///
    /// - Returns: the identity of the transfer.
    func transfer(_ number: Int = 0, from end: End, crashesAfterStore: Bool = false) throws -> UUID {
        let id = UUID()
        let frame = WatchFrame(.userInfo, flags: .propertyList, messageId: id, body: try content(number))
        try input(.fromApp(end.app, frame), at: end, crashesAfterStore: crashesAfterStore)
        return id
    }

    /// The app starts and activates its session.
    func activateApp(of end: End) throws {
        end.presence = AppPresence(isAttached: true, isActivated: true, isForeground: true)
        try input(.appChanged(end.app, end.presence), at: end)
    }

    func killApp(of end: End) throws {
        end.presence = AppPresence()
        end.toApp = []
        try input(.appEnded(end.app, isRestarting: false), at: end)
    }

    /// The app handles the first transfer it was given; `diesBeforeReport` kills it right after its handler.
    func handleNext(at end: End, diesBeforeReport: Bool = false) throws {
        guard let index = end.toApp.firstIndex(where: { $0.kind == .deliver }) else { return }
        let frame = end.toApp.remove(at: index)
        end.handled.append(frame.messageId)
        if diesBeforeReport {
            try killApp(of: end)
        } else {
            try input(.fromApp(end.app, WatchFrame(.delivered, messageId: frame.messageId)), at: end)
        }
    }

    /// Everything works from now on: brings both ends together and lets all frames arrive, until nothing moves.
    func settle() throws {
        try input(.range(isInRange: true), at: phone)
        for _ in 0..<3 {
            if !watch.link.isUp || !phone.link.isUp {
                try input(.peerEnded, at: watch)
                try input(.seek, at: watch)
            }
            try input(.retransmit, at: phone)
            try input(.retransmit, at: watch)
            while !(toPhone.isEmpty && toWatch.isEmpty) {
                if !toPhone.isEmpty { try arrive(at: phone) }
                if !toWatch.isEmpty { try arrive(at: watch) }
            }
        }
        for end in [phone, watch] where end.isInstalled && !end.presence.isActivated { try activateApp(of: end) }
        while [phone, watch].contains(where: { $0.toApp.contains { $0.kind == .deliver } }) {
            try handleNext(at: phone)
            try handleNext(at: watch)
        }
    }
}

/// Sees what happens in a ``LinkWorld``, in order.
protocol LinkWorldObserver: AnyObject {
    /// A change is on the disk of an end.
    func stored(_ change: LinkChange, at end: LinkWorld.End)
    /// Something is being done for an end.
    func carriedOut(_ effect: LinkEffect, at end: LinkWorld.End)
}

/// How devices and apps lose their memory. Each does what the agent does, in the same order.
extension LinkWorld {
    /// The app is taken off its device, or put back.
    func setInstalled(_ isInstalled: Bool, at end: End) throws {
        if !isInstalled { try killApp(of: end) }
        end.isInstalled = isInstalled
        try input(.installationChanged(end.app, isInstalled: isInstalled), at: end)
    }

    /// The device becomes as new; the apps of the topology are on it.
    ///
    /// - Parameter epoch: With which the outbox begins, and on a phone the next pairing.
    func erase(_ end: End, epoch: UInt64, crashesAfterStore: Bool = false) throws {
        try killApp(of: end)
        end.role = .active
        end.isInstalled = true
        try input(.erased(epoch: epoch), at: end, crashesAfterStore: crashesAfterStore)
        try input(.role(.active), at: end)
        try input(.installationChanged(end.app, isInstalled: true), at: end)
    }

    /// The phone ends the pairing.
    func unpair(epoch: UInt64, crashesAfterStore: Bool = false) throws {
        phone.role = .unpaired
        try input(.unpaired(epoch: epoch), at: phone, crashesAfterStore: crashesAfterStore)
    }

    /// The phone uses the watch from now on, pairs it anew, or stops using it.
    func play(_ role: LinkRole) throws {
        phone.role = role
        try input(.role(role), at: phone)
    }
}
