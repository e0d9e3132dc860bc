import Foundation
import Glibc
import LabKit
import LabSystem
import SimulatedDevice

/// One link with its socket, its database and its timers: carries out what ``WatchLink`` decides.
///
/// Belongs to the agent's thread.
final class LinkHost {
    let name: String
    let port: LinkPort
    private(set) var link: WatchLink
    /// Watches the other agent's process while the link is up.
    var peerWatch: ProcessWatch?
    /// What goes wrong between the two devices; only the phone's end knows.
    var air: LinkAir
    let clock: LabClock
    let trace: TraceWriter

    private let database: LinkDatabase
    private let alarm: LabAlarm
    private let faults: FaultTable
    private let device: String
    private var effects: [LinkEffect] = []
    /// When to greet again, in monotonic nanoseconds, and how long to wait after that.
    private var nextGreeting: UInt64?
    private var greetingPause: UInt64 = 5_000_000
    /// When to send again what is not confirmed, and what that was when it was decided.
    private var retransmission: (due: UInt64, unconfirmed: WatchLink.Unconfirmed)?

    /// How long something may stay unconfirmed before it is sent again, in nanoseconds of real time.
    private static let retransmissionTimeout: UInt64 = 1_000_000_000

    init(
        layout: InstanceLayout, topology: Topology, link spec: LinkSpec, device: DeviceSpec, process: UInt64,
        seed: UInt64, clock: LabClock, mailbox: Mailbox, faults: FaultTable, trace: TraceWriter
    ) throws {
        name = spec.name
        air = LinkAir(seed: seed, link: spec.name)
        self.clock = clock
        self.faults = faults
        self.trace = trace
        self.device = device.name
        let isWatch = device.name == spec.watch
        let counterparts = Counterparts.of(device: device.name, link: spec, topology: topology)
        let setup = WatchLink.Setup(
            name: spec.name, device: device.name, peer: isWatch ? spec.phone : spec.watch, isWatch: isWatch,
            counterparts: counterparts,
            isActive: topology.links(of: device.name).first == spec, pid: getpid(), process: process)
        let path = layout.linkDatabasePath(device.name, spec.name)
        try Files.createDirectory(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
        database = LinkDatabase(path: path)
        link = WatchLink(setup: setup, queues: try database.load(counterparts: counterparts), isInRange: true)
        port = try LinkPort(layout: layout, link: spec, isWatch: isWatch, process: process)
        alarm = LabAlarm(clock: clock) { _ in mailbox.post(.labAlarm) }
        // Only the phone's end knows whether the devices are in range; it never answers while they are not.
        if !isWatch && !spec.up { collect(.range(isInRange: false)) }
        if link.isSeeking { nextGreeting = 0 }
    }

    /// Lets the link decide about an input; what it decides is carried out by ``settle(_:)``.
    func collect(_ input: WatchLink.Input) {
        collect(input, at: clock.now().nanoseconds)
    }

    /// The same for something that was due at a moment of the lab's time.
    func collect(_ input: WatchLink.Input, at time: Int64) {
        effects += link.handle(input, at: time)
    }

    var hasEffects: Bool { !effects.isEmpty }

    /// Carries out everything that was decided: stores first, in one transaction, then the rest in order.
    ///
    /// - Parameter perform: Carries out what concerns apps.
    func settle(_ perform: (LinkEffect) throws -> Void) throws {
        let batch = effects
        effects = []
        try database.apply(batch.compactMap { if case .store(let change) = $0 { change } else { nil } })
        for (index, effect) in batch.enumerated() {
            switch effect {
            case .store(let change): note(change)
            case .toPeer(let frame):
                // Of several confirmations in a row the last one says it all.
                if frame.kind == .userInfoAcknowledgement, index + 1 < batch.count,
                    batch[(index + 1)...].contains(where: { $0.isAcknowledgement })
                {
                    continue
                }
                if frame.kind == .userInfoAcknowledgement { pass(.linkAcknowledged) }
                try transmit(frame)
                noteSent(frame)
            case .toApp(_, let frame) where frame.kind == .deliver || frame.kind == .live:
                try perform(effect)
                pass(.linkDelivered)
            case .greet: try transmit(link.hello())
            case .linkChanged(isUp: false):
                air.lose()
                try perform(effect)
            default: try perform(effect)
            }
        }
        if link.isUp, let pid = link.peer?.pid, peerWatch?.pid != pid {
            peerWatch = try? ProcessWatch(pid: pid)
            if peerWatch == nil { collect(.peerEnded) }
        } else if !link.isUp {
            peerWatch = nil
        }
    }

    /// When ``collectDue()`` has something to do, in monotonic nanoseconds.
    var nextDeadline: UInt64? {
        [nextGreeting, retransmission?.due].compactMap(\.self).min()
    }

    /// Lets the link decide about what is due in real time.
    func collectDue() {
        let now = MonotonicClock.nanoseconds()
        if let due = nextGreeting, due <= now {
            greetingPause = min(greetingPause * 2, 500_000_000)
            nextGreeting = link.isSeeking ? now + greetingPause : nil
            collect(.seek)
        }
        if let (due, unconfirmed) = retransmission, due <= now {
            retransmission = nil
            if unconfirmed == link.unconfirmed { collect(.retransmit) }
        }
    }

    /// Forgets everything, as the device is erased.
    func erase() {
        collect(.erased(epoch: LinkDatabase.newEpoch()))
    }

    /// Tells the other agent that this one ends.
    func shutDown() throws {
        for case .toPeer(let frame) in link.handle(.shutdown, at: clock.now().nanoseconds) { try transmit(frame) }
        alarm.stop()
    }

    // MARK: Traces and fault points

    private func note(_ change: LinkChange) {
        switch change {
        case .accepted(let entry):
            emit(.linkAccepted, entry.transferId, ["kind": "transfer", "app": .string(entry.origin)])
            pass(.linkAccepted)
        case .received(let entry?, let sequence):
            emit(
                .linkReceived, entry.transferId,
                ["kind": "transfer", "seq": .integer(Int64(clamping: sequence)), "app": .string(entry.app)])
        case .acknowledged(let sequence):
            trace.emit(.linkAcknowledged, ["link": .string(name), "seq": .integer(Int64(clamping: sequence))])
        default: break
        }
    }

    private func noteSent(_ frame: WatchFrame) {
        switch frame.kind {
        case .live: emit(.linkSent, frame.messageId, ["kind": "live", "app": .string(frame.app)])
        case .userInfo, .userInfoTombstone:
            emit(
                .linkSent, frame.messageId,
                [
                    "kind": "transfer", "seq": .integer(Int64(clamping: frame.sequence)), "app": .string(frame.app),
                    "isRetransmission": .bool(frame.flags.contains(.retransmission)),
                ])
        case .liveError:
            emit(.linkFailed, frame.correlationId, ["code": .integer(Int64(clamping: frame.sequence))])
        case .userInfoRefusal:
            let code = (try? frame.decodeBody(RefusalBody.self))?.code ?? 0
            return noteRefused("the transfer \(frame.messageId.uuidString) cannot be taken (WCError \(code))")
        default: return
        }
        pass(.linkSent)
    }

    private func emit(_ event: TraceEventName, _ id: UUID, _ fields: [String: JSONValue]) {
        trace.emit(event, fields.merging(["id": .string(id.uuidString), "link": .string(name)]) { first, _ in first })
    }

    /// A scenario may kill or delay the agent here. An armed error has no meaning: the agent's own work does not fail.
    private func pass(_ point: FaultPoint) {
        try? faults.pass(point, process: device)
    }

    /// Sets the timers to what the link waits for now.
    func updateTimers() {
        alarm.set([link.nextLabDeadline, air.nextArrival].compactMap(\.self).min())
        if link.isSeeking {
            if nextGreeting == nil {
                greetingPause = 5_000_000
                nextGreeting = MonotonicClock.nanoseconds() + greetingPause
            }
        } else {
            nextGreeting = nil
        }
        if let unconfirmed = link.unconfirmed {
            if retransmission == nil {
                retransmission = (MonotonicClock.nanoseconds() + Self.retransmissionTimeout, unconfirmed)
            }
        } else {
            retransmission = nil
        }
    }
}

extension LinkEffect {
    fileprivate var isAcknowledgement: Bool {
        if case .toPeer(let frame) = self { frame.kind == .userInfoAcknowledgement } else { false }
    }
}

/// Which app talks to which over a link.
enum Counterparts {
    /// For each app of `device` that has a counterpart on the other device: the counterpart's name.
    ///
    /// A watch app accompanies the phone app that it names as its host, or else the phone's first app.
    static func of(device: String, link: LinkSpec, topology: Topology) -> [String: String] {
        guard let phone = topology.device(named: link.phone), let watch = topology.device(named: link.watch) else {
            return [:]
        }
        let phoneApps = phone.apps.filter { $0.kind == .app }
        var pairs: [String: String] = [:]
        for watchApp in watch.apps where watchApp.kind == .watchApp {
            let host = watchApp.host.map { host in phoneApps.first { $0.name == host } } ?? phoneApps.first
            guard let host else { continue }
            if device == link.watch {
                pairs[watchApp.name] = host.name
            } else if pairs[host.name] == nil {
                pairs[host.name] = watchApp.name
            }
        }
        return pairs
    }
}
