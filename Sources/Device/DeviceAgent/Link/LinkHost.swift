// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabPoints
import LabSystem
import SimulatedDevice

/// One link with its socket, its database and its timers: carries out what ``WatchLink`` decides.
///
/// Belongs to the agent's thread.
final class LinkHost {
    let name: String
    let port: LinkPort
    var link: WatchLink
    /// Watches the other agent's process while the link is up.
    var peerWatch: ProcessWatch?
    /// The faults between the two devices; only at the phone's end.
    var air: LinkFaultInjector
    let clock: LabClock
    let trace: TraceWriter

    let database: LinkDatabase
    private let alarm: LabAlarm
    let faults: FaultTable
    let device: String
    let disk: DeviceDisk
    var effects: [LinkEffect] = []
    /// Apps for which content was stored since ``takeArrivals()``.
    private var arrivals: Set<String> = []
    /// Until when frames of the other device are not read, in monotonic nanoseconds: the storage has just refused a
    /// write, and any frame would have to be stored, too.
    var pause: UInt64?
    /// The end of a pairing that the storage has not taken yet: it was reported already, and is decided again.
    private var unstoredEnd: WatchLink.Input?
    /// Recently refused frames.
    var refusals = RefusalTally()
    /// When something came from the other device, in nanoseconds of lab time.
    private(set) var lastContact: Int64?
    /// When to greet again, in monotonic nanoseconds, and how long to wait after that.
    private var nextGreeting: UInt64?
    private var greetingPause: UInt64 = 5_000_000
    /// When to send unconfirmed entries again, and which they were when that was decided.
    var retransmission: (wait: LinkWait, unconfirmed: WatchLink.Unconfirmed)?
    /// When to ask again whether the other device is there.
    var beat: LinkWait?

    /// How long something may stay unconfirmed before it is sent again, in nanoseconds of lab time.
    private static let retransmissionTimeout: Int64 = 1_000_000_000
    /// How much real time the other agent has to answer, independent of the lab's clock.
    private static let patience = LabDuration.milliseconds(100).stretched
    /// The same for an agent whose process is alive on this machine: it is slow, not lost.
    private static let patienceWithLivingProcess = LabDuration.seconds(1).stretched

    init(
        layout: InstanceLayout, topology: Topology, link spec: LinkSpec, device: DeviceSpec, role: LinkRole,
        isInRange: Bool, process: UInt64, tcpAddress: String?,
        seed: UInt64, clock: LabClock, mailbox: AgentMailbox, faults: FaultTable, disk: DeviceDisk,
        trace: TraceWriter
    ) throws {
        name = spec.name
        air = LinkFaultInjector(seed: seed, link: spec.name)
        self.clock = clock
        self.faults = faults
        self.trace = trace
        self.device = device.name
        self.disk = disk
        let isWatch = device.name == spec.watch
        let counterparts = Counterparts.of(device: device.name, link: spec, topology: topology)
        let setup = WatchLink.Setup(
            name: spec.name, device: device.name, peer: isWatch ? spec.phone : spec.watch, isWatch: isWatch,
            counterparts: counterparts, pid: getpid(), process: process,
            capacity: QueueCapacity(transfers: spec.capacity))
        let path = layout.linkDatabasePath(device.name, spec.name)
        try Files.createDirectory(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
        database = LinkDatabase(path: path)
        link = WatchLink(
            setup: setup, queues: try database.load(counterparts: counterparts), isInRange: true,
            role: role)
        port = try LinkPort(layout: layout, link: spec, isWatch: isWatch, process: process, tcpAddress: tcpAddress)
        alarm = LabAlarm(clock: clock) { _ in mailbox.post(.labAlarm) }
        // Only the phone's end knows whether the devices are in range; it never answers while they are not.
        if !isWatch && !isInRange { collect(.range(isInRange: false)) }
        if link.isSeeking { nextGreeting = 0 }
    }

    /// Lets the link decide about an input; what it decides is carried out by ``settle(_:)``.
    func collect(_ input: WatchLink.Input) { collect(input, at: clock.now().nanoseconds) }

    /// The same for something that was due at a moment of the lab's time.
    func collect(_ input: WatchLink.Input, at time: Int64) {
        if case .fromPeer = input, link.isInRange { lastContact = time }
        link.refusalOfStorage = input.contentSize.flatMap(refusal)
        effects += link.handle(input, at: time)
    }

    var hasEffects: Bool { !effects.isEmpty }

    /// Carries out everything that was decided: stores first, in one transaction, then the rest in order.
    /// - Parameter perform: Carries out what concerns apps.
    func settle(_ perform: (LinkEffect) throws -> Void) throws {
        let batch = effects
        effects = []
        // Only the last of several confirmations in a row is needed.
        let lastConfirmation = batch.lastIndex { $0.isAcknowledgement }
        let changes = batch.compactMap { if case .store(let change) = $0 { change } else { nil } }
        do {
            if !changes.isEmpty { try passInTurn(.linkStore) }
            try database.apply(changes)
            if changes.contains(where: \.endsPairing) { unstoredEnd = nil }
        } catch {
            return try recover(from: error, batch, perform)
        }
        // First: a device that crashes at one message must not lose the record of the others.
        changes.forEach(note)
        arrivals.formUnion(changes.compactMap(\.receiver))
        for (index, effect) in batch.enumerated() {
            switch effect {
            case .store(.accepted): pass(.linkAccepted)
            case .store: break
            case .toPeer(let frame):
                if frame.kind == .userInfoAcknowledgement, index != lastConfirmation { continue }
                if frame.kind == .userInfoAcknowledgement { pass(.linkAcknowledged) }
                try transmit(frame)
                noteSent(frame)
            case .toApp(_, let frame) where frame.kind == .deliver || frame.kind == .live:
                try perform(effect)
                pass(.linkDelivered)
            case .handOver:
                try perform(effect)
                pass(.linkDelivered)
            case .greet:
                try port.seekListener()
                try transmit(link.hello())
            case .linkChanged(isUp: false):
                air.lose()
                try perform(effect)
            default: try perform(effect)
            }
        }
        // The number of a process on another machine means nothing here; the questions tell whether it is there.
        if link.isUp, !port.isRemote, let pid = link.peer?.pid, peerWatch?.pid != pid {
            peerWatch = try? ProcessWatch(pid: pid)
            if peerWatch == nil { collect(.peerEnded) }
        } else if !link.isUp {
            peerWatch = nil
        }
    }

    /// The apps for which content was stored since the last call.
    func takeArrivals() -> Set<String> {
        defer { arrivals = [] }
        return arrivals
    }

    /// When ``collectDue()`` has something to do, in monotonic nanoseconds.
    var nextDeadline: UInt64? {
        let now = clock.now()
        return [
            nextGreeting, pause, refusals.due, retransmission?.wait.deadline(at: now), beat?.deadline(at: now),
        ].compactMap(\.self).min()
    }

    /// Lets the link handle what is due.
    func collectDue() {
        let now = MonotonicClock.nanoseconds()
        if let due = nextGreeting, due <= now {
            greetingPause = min(greetingPause * 2, 500_000_000)
            nextGreeting = link.isSeeking ? now + greetingPause : nil
            collect(.seek)
        }
        if let report = refusals.summary(at: now) { emit(report) }
        if let end = pause, end <= now {
            pause = nil
            if let unstoredEnd {
                // The phone may have been paired again meanwhile.
                let role = link.role
                collect(unstoredEnd)
                collect(.role(role))
            }
            collect(.retry)
        }
        let labTime = clock.now()
        if faults.givesTurns {
            // An order of turns holds the other agent: that it does not answer says nothing about it.
            if retransmission?.wait.isOver(at: labTime) == true {
                retransmission?.wait.postpone(by: Self.patienceWithLivingProcess)
            }
            if beat?.isOver(at: labTime) == true { beat?.postpone(by: Self.patienceWithLivingProcess) }
        }
        if let (wait, unconfirmed) = retransmission, wait.isOver(at: labTime) {
            retransmission = nil
            if unconfirmed == link.unconfirmed { collect(.retransmit) }
        }
        if let wait = beat, wait.isOver(at: labTime) {
            beat = nil
            collect(.beat)
        }
    }

    /// Forgets everything, as the device is erased.
    func erase() { end(.erased(epoch: LinkDatabase.newEpoch())) }

    /// Ends the pairing of the two devices.
    func unpair() { end(.unpaired(epoch: LinkDatabase.newEpoch())) }

    private func end(_ input: WatchLink.Input) {
        unstoredEnd = input
        collect(input)
    }

    /// Notifies the other agent that this one ends.
    func shutDown() throws {
        for case .toPeer(let frame) in link.handle(.shutdown, at: clock.now().nanoseconds) { try transmit(frame) }
        alarm.stop()
    }

    /// Sets the timers to what the link waits for now.
    func updateTimers() {
        if link.isSeeking {
            if nextGreeting == nil {
                greetingPause = 5_000_000
                nextGreeting = MonotonicClock.nanoseconds() + greetingPause
            }
        } else {
            nextGreeting = nil
        }
        let now = clock.now()
        if let unconfirmed = link.unconfirmed {
            if retransmission == nil {
                let due = now.nanoseconds + Self.retransmissionTimeout
                retransmission = (LinkWait(until: due, patience: Self.patience), unconfirmed)
            }
        } else {
            retransmission = nil
        }
        if let due = link.heartbeat.due {
            let patience = peerWatch == nil ? Self.patience : Self.patienceWithLivingProcess
            if beat?.due != due { beat = LinkWait(until: due, patience: patience) }
        } else {
            beat = nil
        }
        alarm.set(
            [link.nextLabDeadline, air.nextArrival, retransmission?.wait.alarm(at: now), beat?.alarm(at: now)]
                .compactMap(\.self).min())
    }
}

extension LinkEffect {
    fileprivate var isAcknowledgement: Bool {
        if case .toPeer(let frame) = self { frame.kind == .userInfoAcknowledgement } else { false }
    }
}

/// A timeout of the link's end for the other device: it expires at a time of the lab's clock, but not before the other
/// process has had some real time to answer. So a fast clock does not take a busy machine for a lost device, and a
/// stopped clock causes no timeout.
struct LinkWait: Equatable {
    /// When it is over, in nanoseconds of lab time.
    var due: Int64
    /// Not before, in monotonic nanoseconds.
    var earliest: UInt64

    /// - Parameters:
    ///   - due: in nanoseconds of lab time.
    ///   - patience: how much real time the other process has at least.
    init(until due: Int64, patience: LabDuration) {
        (self.due, earliest) = (due, 0)
        postpone(by: patience)
    }

    /// Gives the other process more real time from now on.
    mutating func postpone(by patience: LabDuration) {
        earliest = MonotonicClock.nanoseconds() + UInt64(patience.nanoseconds)
    }

    func isOver(at now: LabTime) -> Bool { due <= now.nanoseconds && earliest <= MonotonicClock.nanoseconds() }

    /// The moment of lab time to wait for; nil when only real time is left to wait for.
    func alarm(at now: LabTime) -> Int64? { due > now.nanoseconds ? due : nil }

    /// The moment of real time to wait for, in monotonic nanoseconds; nil while lab time is to come first.
    func deadline(at now: LabTime) -> UInt64? { due > now.nanoseconds ? nil : earliest }
}
