// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice

/// One device's end of the link between a phone and a watch: range, reachability, immediate messages and guaranteed
/// transfers (watch.md, sections 9.3 and 11.4 to 11.6).
///
/// A value that decides and does nothing else: it takes what happened and gives what to do.
struct WatchLink: Equatable, Sendable {
    /// Fixed facts about this end.
    struct Setup: Equatable, Sendable {
        var name: String
        var device: String
        /// Name of the other device; greetings of other devices are refused.
        var peer: String
        var isWatch: Bool
        /// For each app of this device that has one: the name of its counterpart on the other device.
        var counterparts: [String: String]
        /// Process identifier of this agent.
        var pid: Int32
        /// Number of the boot in which the agent's process began.
        var process: UInt64
        /// How much a queue of this end holds.
        var capacity = QueueCapacity()
    }

    enum Input: Equatable, Sendable {
        /// A frame of the other agent.
        case fromPeer(WatchFrame)
        /// A frame of an app about messages or transfers.
        case fromApp(String, WatchFrame)
        /// An app sends a file with this content.
        case file(String, UUID, WatchFile, Data)
        /// The face of the watch shows a complication of an app, or no longer does.
        case complicationChanged(String, isEnabled: Bool)
        /// A process of an app attached, activated, was suspended, …
        case appChanged(String, AppPresence)
        /// The process of an app ended. `isRestarting`: the agent is starting another one.
        case appEnded(String, isRestarting: Bool)
        /// The app could not be started.
        case launchFailed(String)
        /// An app was uninstalled or reinstalled on this device.
        case installationChanged(String, isInstalled: Bool)
        /// The device was unlocked for the first time since it started, or started again.
        case unlocked(Bool)
        /// The device was erased; its outbox, and on a phone the next pairing, begins with this epoch.
        case erased(epoch: UInt64)
        /// The phone uses the watch, or another one.
        case role(LinkRole)
        /// The phone ends the pairing of the two devices; its outbox and the next pairing begin with this epoch.
        case unpaired(epoch: UInt64)
        /// The other agent's process ended.
        case peerEnded
        /// A scenario takes the devices out of range, or back.
        case range(isInRange: Bool)
        /// This end should try to reach the other one.
        case seek
        /// The faults of the link have ended; lost messages are to be repaired.
        case healed
        /// A file could not be put into the container of an app.
        case handOverFailed(String)
        /// The storage refused a decision some time ago.
        case retry
        /// Lab time has passed.
        case labTimePassed
        /// Transfers or contexts were not confirmed for a while.
        case retransmit
        /// The other device is to be asked whether it is there.
        case beat
        /// This agent ends.
        case shutdown
    }

    let setup: Setup
    /// The pairing that the queues belong to; 0 for a watch without one.
    var pairing: UInt64
    var outbox: Outbox
    var inbox: Inbox
    var live = LiveMessages()
    var isInRange: Bool
    /// What the phone does with the watch.
    var role: LinkRole
    /// The other agent has greeted, and nothing was lost since.
    var isUp = false
    /// The greeting of the other agent while the link is up.
    var peer: GreetingBody?
    var greetings: GreetingRules
    var apps: [String: AppPresence] = [:]
    /// Whether this device was unlocked since it started.
    var isUnlocked = true
    /// Uninstalled apps of this device.
    var uninstalled: Set<String> = []
    /// Apps that the other device lacks, as last reported; kept while the link is down.
    var missingCounterparts: Set<String> = []
    var counterpartState = PublishedState()
    var published: PublishedState?
    /// Number of the state that was published last, from 1.
    var publishedVersion: UInt64 = 0
    /// Number of the last state of the other device, and the process that has published it.
    var counterpartVersion = StateVersion()
    var heartbeat = Heartbeat()
    var shown: [String: WatchCounterpartState] = [:]
    /// The stored transfers that go to a freshly activated app before contexts and live messages do. A handled one
    /// stays listed: when the storage refuses its removal, it comes again before the others.
    var backlog: [String: Set<UUID>] = [:]
    var contexts: ContextExchange
    /// Own transfers that have ended, until their app was notified.
    var finished: EndedTransfers
    /// Own files that are queued or under way, oldest first.
    var files: Fifo<OutgoingFile>
    /// Apps of this watch whose complication the face shows.
    var complications: Set<String> = []
    /// Apps of the other device with a complication, as last reported; kept while the link is down.
    var counterpartComplications: Set<String> = []
    /// What the apps of this phone may still send to complications.
    var budgets: [String: ComplicationBudget]
    /// Why the storage of this device takes no content now, as a `WCError.Code`; nil while it does.
    var refusalOfStorage: Int?
    /// The moment of the last input, in nanoseconds of lab time.
    var now: Int64 = 0

    init(setup: Setup, queues: StoredQueues, isInRange: Bool, role: LinkRole = .active) {
        self.setup = setup
        self.role = role
        pairing = queues.pairing
        outbox = queues.outbox
        inbox = queues.inbox
        contexts = queues.contexts
        finished = EndedTransfers(queues.finished)
        files = queues.outgoingFiles
        budgets = queues.budgets
        greetings = GreetingRules(process: setup.process, peer: setup.peer)
        self.isInRange = isInRange
    }

    /// Restores the stored state. Running apps keep what they were handed, if that was stored.
    mutating func take(_ queues: StoredQueues) {
        let handedOver = inbox
        pairing = queues.pairing
        outbox = queues.outbox
        inbox = queues.inbox
        inbox.keepHandling(of: handedOver)
        contexts = queues.contexts
        finished = EndedTransfers(queues.finished)
        files = queues.outgoingFiles
        budgets = queues.budgets
    }

    /// When ``Input/labTimePassed`` is due, in nanoseconds of lab time.
    var nextLabDeadline: Int64? {
        [live.nextDeadline, budgets.values.compactMap(\.renewal).min()].compactMap(\.self).min()
    }

    /// What must arrive, was sent, and is not confirmed yet; it is other after each confirmation.
    struct Unconfirmed: Equatable, Sendable {
        /// Everything up to this transfer is confirmed.
        fileprivate var acknowledged: UInt64
        /// The versions of the contexts that are not.
        fileprivate var contexts: [String: UInt64]
    }

    /// What waits for confirmation; nil when nothing does.
    var unconfirmed: Unconfirmed? {
        let contexts = isUp ? contexts.unconfirmed : [:]
        guard outbox.isWaitingForAcknowledgement || !contexts.isEmpty else { return nil }
        return Unconfirmed(acknowledged: outbox.acknowledged, contexts: contexts)
    }

    /// Whether the queue of own transfers is full. Transfers whose end is not yet acknowledged count too.
    var isOutboxFull: Bool { setup.capacity.isFull(transfers: outbox.count + finished.count, size: outbox.size) }
    /// Whether nothing more fits into the queue of received transfers.
    var isInboxFull: Bool { setup.capacity.isFull(transfers: inbox.count, size: inbox.size) }
    /// Whether this end should greet again and again until the other one answers: the watch does, the phone waits.
    var isSeeking: Bool { setup.isWatch && isInRange && !isUp }

    /// Takes what happened at `now` (nanoseconds of lab time); gives what to do.
    mutating func handle(_ input: Input, at now: Int64) -> [LinkEffect] {
        let wasUp = isUp
        self.now = now
        var effects = react(to: input, at: now).flatMap { report($0) }
        if isUp != wasUp { if isUp { heartbeat.begin(at: now) } else { heartbeat.end() } }
        effects += publishIfChanged()
        effects += showIfChanged()
        return effects.map(ofMemory)
    }

    private mutating func react(to input: Input, at now: Int64) -> [LinkEffect] {
        switch input {
        case .fromPeer(let frame): return isServed ? receive(frame, at: now) : turnAway(frame)
        case .fromApp(let app, let frame): return receive(frame, from: app, at: now)
        case .file(let app, let transferId, let file, let content):
            return send(file, content, as: transferId, from: app)
        case .complicationChanged(let app, let isEnabled):
            if isEnabled { complications.insert(app) } else { complications.remove(app) }
            return []
        case .appChanged(let app, let presence): return change(app, to: presence)
        case .appEnded(let app, let isRestarting): return ended(app, isRestarting: isRestarting)
        case .launchFailed(let app): return live.processEnded(app)
        case .installationChanged(let app, true):
            uninstalled.remove(app)
            return []
        case .installationChanged(let app, false): return uninstall(app)
        case .unlocked(let value):
            isUnlocked = value
            return []
        case .erased(let epoch): return erase(epoch: epoch)
        case .role(let role): return play(role)
        case .unpaired(let epoch): return unpair(epoch: epoch, code: LinkCode.deviceNotPaired, saysFarewell: true)
        case .peerEnded: return lose()
        case .range(let value):
            guard value != isInRange else { return [] }
            isInRange = value
            if value { return isServed ? [.greet] : [] }
            return farewell(.outOfRange) + lose()
        case .healed: return isServed ? [.greet] : []
        case .seek: return isSeeking ? [.greet] : []
        case .handOverFailed(let app):
            inbox.processEnded(app)
            return []
        case .retry:
            return apps.keys.sorted().flatMap { offer(to: $0) + (isReadyForContext($0) ? contexts.tell($0) : []) }
                + (isServed ? [.greet] : [])
        case .labTimePassed:
            for app in budgets.keys { budgets[app]?.renew(at: now) }
            return live.expire(at: now)
        case .beat:
            guard isUp else { return [] }
            guard let number = heartbeat.beat(at: now) else { return lose() }
            return [.toPeer(beat(.ping, number))]
        case .retransmit: return outbox.retransmit() + (isUp ? contexts.retransmit() : [])
        case .shutdown: return isUp ? farewell(.shutdown) : []
        }
    }
}
