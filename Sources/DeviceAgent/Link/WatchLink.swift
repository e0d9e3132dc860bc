import Foundation
import SimulatedDevice

/// One device's end of the link between a phone and a watch: range, reachability, immediate messages and guaranteed
/// transfers (watch.md, sections 9.3 and 11.4 to 11.6).
///
/// A value that decides and does nothing else: it takes what happened and gives what to do.
struct WatchLink: Equatable, Sendable {
    /// Fixed facts about this end.
    struct Setup: Equatable, Sendable {
        /// Name of the link.
        var name: String
        /// Name of this device.
        var device: String
        /// Name of the other device; nobody else may greet.
        var peer: String
        /// Whether this end is the watch.
        var isWatch: Bool
        /// For each app of this device that has one: the name of its counterpart on the other device.
        var counterparts: [String: String]
        /// Whether this is the watch that the phone uses; always true on the watch.
        var isActive: Bool
        /// Process identifier of this agent.
        var pid: Int32
        /// Number of the boot in which the agent's process began.
        var process: UInt64
    }

    /// What happened.
    enum Input: Equatable, Sendable {
        /// A frame of the other agent.
        case fromPeer(WatchFrame)
        /// A frame of an app about messages or transfers.
        case fromApp(String, WatchFrame)
        /// A process of an app attached, activated, was suspended, …
        case appChanged(String, AppPresence)
        /// The process of an app ended. `isRestarting`: the agent is starting another one.
        case appEnded(String, isRestarting: Bool)
        /// The app could not be started.
        case launchFailed(String)
        /// An app was taken off this device, or put back.
        case installationChanged(String, isInstalled: Bool)
        /// The device was unlocked for the first time since it started, or started again.
        case unlocked(Bool)
        /// The device was erased; its outbox begins anew with this epoch.
        case erased(epoch: UInt64)
        /// The other agent's process ended.
        case peerEnded
        /// A scenario takes the devices out of range, or back.
        case range(isInRange: Bool)
        /// This end should try to reach the other one.
        case seek
        /// The faults of the link are over; what they took is to be repaired.
        case healed
        /// Lab time has passed.
        case labTimePassed
        /// Transfers or contexts were not confirmed for a while.
        case retransmit
        /// This agent ends.
        case shutdown
    }

    let setup: Setup
    var outbox: Outbox
    var inbox: Inbox
    var live = LiveMessages()
    var isInRange: Bool
    /// The other agent has greeted, and nothing was lost since.
    var isUp = false
    /// The greeting of the other agent while the link is up.
    var peer: GreetingBody?
    var greetings: GreetingRules
    var apps: [String: AppPresence] = [:]
    /// Whether this device was unlocked since it started.
    var isUnlocked = true
    /// Apps of this device that are taken off it.
    var uninstalled: Set<String> = []
    /// Apps that the other device lacks as far as this one has heard, which it remembers while the link is down.
    var missingCounterparts: Set<String> = []
    var counterpartState = PublishedState()
    var published: PublishedState?
    var shown: [String: WatchCounterpartState] = [:]
    /// Number of stored transfers that go to a freshly activated app before contexts and live messages do.
    var backlog: [String: Int] = [:]
    var contexts: ContextExchange
    /// Own transfers that are over, until their app was told.
    var finished: [FinishedTransfer]

    init(setup: Setup, queues: StoredQueues, isInRange: Bool) {
        self.setup = setup
        outbox = queues.outbox
        inbox = queues.inbox
        contexts = queues.contexts
        finished = queues.finished
        greetings = GreetingRules(process: setup.process, peer: setup.peer)
        self.isInRange = isInRange
    }

    /// When ``Input/labTimePassed`` is due, in nanoseconds of lab time.
    var nextLabDeadline: Int64? { live.nextDeadline }

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

    /// Whether this end should greet again and again until the other one answers: the watch does, the phone waits.
    var isSeeking: Bool { setup.isWatch && isInRange && !isUp }

    /// Takes what happened at `now` (nanoseconds of lab time); gives what to do.
    mutating func handle(_ input: Input, at now: Int64) -> [LinkEffect] {
        var effects = react(to: input, at: now).flatMap { report($0) }
        effects += publishIfChanged()
        effects += showIfChanged()
        return effects
    }

    private mutating func react(to input: Input, at now: Int64) -> [LinkEffect] {
        switch input {
        case .fromPeer(let frame): return isInRange ? receive(frame, at: now) : []
        case .fromApp(let app, let frame): return receive(frame, from: app, at: now)
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
        case .peerEnded: return lose()
        case .range(let value):
            guard value != isInRange else { return [] }
            isInRange = value
            if value { return [.greet] }
            return farewell(.outOfRange) + lose()
        case .healed: return isInRange ? [.greet] : []
        case .seek: return isSeeking ? [.greet] : []
        case .labTimePassed: return live.expire(at: now)
        case .retransmit: return outbox.retransmit() + (isUp ? contexts.retransmit() : [])
        case .shutdown: return isUp ? farewell(.shutdown) : []
        }
    }
}
