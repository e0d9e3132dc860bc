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
        /// Whether this end is the watch.
        var isWatch: Bool
        /// For each app of this device that has one: the name of its counterpart on the other device.
        var counterparts: [String: String]
        /// Whether this is the watch that the phone uses; always true on the watch.
        var isActive: Bool
        /// Process identifier of this agent.
        var pid: Int32
        /// Differs for each process of the agent.
        var nonce: UInt64
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
    private(set) var outbox: Outbox
    private(set) var inbox: Inbox
    private(set) var live = LiveMessages()
    private(set) var isInRange: Bool
    /// The other agent has greeted, and nothing was lost since.
    private(set) var isUp = false
    /// The greeting of the other agent while the link is up.
    private(set) var peer: GreetingBody?
    private var apps: [String: AppPresence] = [:]
    /// Apps of this device that are taken off it.
    private var uninstalled: Set<String> = []
    /// Apps that the other device lacks as far as this one has heard, which it remembers while the link is down.
    private var missingCounterparts: Set<String> = []
    private var counterpartState = PublishedState()
    private var published: PublishedState?
    private var shown: [String: WatchCounterpartState] = [:]
    /// Number of stored transfers that go to a freshly activated app before live messages do.
    private var backlog: [String: Int] = [:]
    private var contexts: ContextExchange
    /// Own transfers that are over while their app was not there to hear it.
    private var finished: [FinishedTransfer]

    init(setup: Setup, queues: StoredQueues, isInRange: Bool) {
        self.setup = setup
        outbox = queues.outbox
        inbox = queues.inbox
        contexts = queues.contexts
        finished = queues.finished
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
        case .appEnded(let app, let isRestarting):
            apps[app] = AppPresence()
            backlog[app] = nil
            shown[app] = nil
            inbox.processEnded(app)
            return live.processEnded(app, keepsHeld: isRestarting)
        case .launchFailed(let app): return live.processEnded(app)
        case .installationChanged(let app, true):
            uninstalled.remove(app)
            return []
        case .installationChanged(let app, false):
            uninstalled.insert(app)
            return []
        case .peerEnded: return lose()
        case .range(let value):
            guard value != isInRange else { return [] }
            isInRange = value
            if value { return [.greet] }
            let farewell = WatchFrame(.bye, sequence: ByeReason.outOfRange.rawValue)
            return [.toPeer(farewell)] + lose()
        case .healed: return isInRange ? [.greet] : []
        case .seek: return isSeeking ? [.greet] : []
        case .labTimePassed: return live.expire(at: now)
        case .retransmit: return outbox.retransmit() + (isUp ? contexts.connect() : [])
        case .shutdown: return isUp ? [.toPeer(WatchFrame(.bye, sequence: ByeReason.shutdown.rawValue))] : []
        }
    }

    /// Turns the end of an own transfer into news for its app, which is told now or at its next activation.
    private mutating func report(_ effect: LinkEffect) -> [LinkEffect] {
        guard case .finished(let entry, let code) = effect else { return [effect] }
        let transfer = FinishedTransfer(
            transferId: entry.transferId, app: entry.origin, body: entry.body, code: code)
        if apps[entry.origin]?.isActivated == true { return [.toApp(entry.origin, transfer.frame)] }
        finished.append(transfer)
        return [.store(.finished(transfer))]
    }

    // MARK: The other agent

    /// The greeting of this end.
    var greeting: GreetingBody {
        GreetingBody(
            device: setup.device, nonce: setup.nonce, pid: setup.pid, epoch: outbox.epoch,
            receivedEpoch: inbox.epoch, receivedSequence: inbox.received)
    }

    private mutating func receive(_ frame: WatchFrame, at now: Int64) -> [LinkEffect] {
        switch frame.kind {
        case .hello:
            guard let body = try? frame.decodeBody(GreetingBody.self) else { return [] }
            let received = inbox.connect(epoch: body.epoch)
            return received + [.toPeer(WatchFrame(.welcome, body: WatchFrame.body(greeting)))] + connect(body)
        case .welcome:
            guard let body = try? frame.decodeBody(GreetingBody.self) else { return [] }
            return inbox.connect(epoch: body.epoch) + connect(body)
        default: break
        }
        guard isUp else { return [] }
        switch frame.kind {
        case .bye: return lose()
        case .state:
            guard let body = try? frame.decodeBody(PublishedState.self) else { return [] }
            counterpartState = body
            missingCounterparts = Set(body.apps.filter { !$0.value.isInstalled }.keys)
            return []
        case .live: return receiveLive(frame, at: now)
        case .liveAcknowledgement, .liveReply, .liveError: return live.answered(frame, at: now)
        case .userInfo, .userInfoTombstone: return inbox.receive(frame) + offer(to: frame.app)
        case .userInfoAcknowledgement: return outbox.acknowledge(epoch: frame.epoch, upTo: frame.sequence)
        case .userInfoGap: return outbox.rewind(epoch: frame.epoch, to: frame.sequence)
        case .context: return contexts.receive(frame, isActivated: apps[frame.app]?.isActivated ?? false)
        case .contextAcknowledgement: return contexts.acknowledge(frame)
        default: return []
        }
    }

    private mutating func connect(_ body: GreetingBody) -> [LinkEffect] {
        var effects: [LinkEffect] = []
        if isUp, peer?.nonce != body.nonce { effects += lose() }
        let wasUp = isUp
        isUp = true
        peer = body
        // Who greets may have missed what was published before.
        published = nil
        if !wasUp { effects.append(.linkChanged(isUp: true)) }
        return effects + outbox.connect(epoch: body.receivedEpoch, received: body.receivedSequence) + contexts.connect()
    }

    private mutating func lose() -> [LinkEffect] {
        guard isUp else { return [] }
        isUp = false
        peer = nil
        counterpartState = PublishedState()
        outbox.disconnect()
        return [.linkChanged(isUp: false)] + live.linkLost()
    }

    private mutating func receiveLive(_ frame: WatchFrame, at now: Int64) -> [LinkEffect] {
        let presence = apps[frame.app] ?? AppPresence()
        let refusal = LinkEffect.toPeer(
            WatchFrame(.liveError, correlationId: frame.messageId, sequence: UInt64(LinkCode.deliveryFailed)))
        guard setup.counterparts[frame.app] != nil else { return [refusal] }
        // A message never launches the watch app.
        if setup.isWatch && !presence.isActivated { return [refusal] }
        let isReady = presence.isActivated && !presence.isSuspended && (backlog[frame.app] ?? 0) == 0
        var effects = live.receive(frame, isReady: isReady, at: now)
        if !presence.isAttached {
            effects.append(.launch(frame.app))
        } else if presence.isSuspended {
            effects.append(.wake(frame.app))
        }
        return effects
    }

    // MARK: The apps

    private mutating func receive(_ frame: WatchFrame, from app: String, at now: Int64) -> [LinkEffect] {
        guard let counterpart = setup.counterparts[app] else { return refuse(frame, from: app) }
        switch frame.kind {
        case .activate: return activation(of: app)
        case .live:
            guard state(for: app).isReachable else {
                let error = WatchFrame(
                    .liveError, correlationId: frame.messageId, sequence: UInt64(LinkCode.notReachable))
                return [.toApp(app, error)]
            }
            return live.send(frame, from: app, to: counterpart, at: now)
        case .liveAcknowledgement, .liveReply, .liveError: return live.answer(frame, by: app)
        case .userInfo:
            let queued = LinkEffect.toApp(app, WatchFrame(.transferQueued, messageId: frame.messageId))
            if outbox.contains(frame.messageId) { return [queued] }
            return [queued] + outbox.add(frame.messageId, origin: app, destination: counterpart, body: frame.body)
        case .cancelTransfer: return outbox.cancel(frame.messageId)
        case .delivered:
            let effects = inbox.handled(frame.messageId, by: app)
            guard !effects.isEmpty else { return [] }
            return effects + drained(app) + offer(to: app)
        case .context:
            let queued = LinkEffect.toApp(app, WatchFrame(.transferQueued, messageId: frame.messageId))
            return [queued] + contexts.update(frame.body, of: app, for: counterpart, isUp: isUp)
        default: return []
        }
    }

    private func refuse(_ frame: WatchFrame, from app: String) -> [LinkEffect] {
        let code = UInt64(LinkCode.watchAppNotInstalled)
        switch frame.kind {
        case .live: return [.toApp(app, WatchFrame(.liveError, correlationId: frame.messageId, sequence: code))]
        case .userInfo, .context:
            return [.toApp(app, WatchFrame(.transferQueued, messageId: frame.messageId, sequence: code))]
        default: return []
        }
    }

    private mutating func change(_ app: String, to presence: AppPresence) -> [LinkEffect] {
        let previous = apps[app] ?? AppPresence()
        apps[app] = presence
        guard presence.isActivated, !presence.isSuspended else { return [] }
        var effects: [LinkEffect] = []
        if !previous.isActivated {
            backlog[app] = inbox.count(for: app)
            effects += activation(of: app) + tellFinished(app)
        }
        effects += offer(to: app)
        if !previous.isActivated { effects += contexts.activated(app) }
        if (backlog[app] ?? 0) == 0 { effects += live.release(to: app) }
        return effects
    }

    /// The answer to an app that activates its session.
    private mutating func activation(of app: String) -> [LinkEffect] {
        guard setup.isActive else { return [] }
        let state = state(for: app)
        shown[app] = state
        let own = outbox.entries.filter { $0.origin == app && !$0.isCancelled }
        let body = ActivatedBody(
            state: state, outstanding: own.map { .init(transferId: $0.transferId, body: $0.body) })
        return [.toApp(app, WatchFrame(.activate, body: WatchFrame.body(body)))]
    }

    private mutating func tellFinished(_ app: String) -> [LinkEffect] {
        let own = finished.filter { $0.app == app }
        finished.removeAll { $0.app == app }
        return own.flatMap {
            [.store(.told(transferId: $0.transferId)), .toApp(app, $0.frame)] as [LinkEffect]
        }
    }

    private mutating func offer(to app: String) -> [LinkEffect] {
        guard let presence = apps[app], presence.isActivated, !presence.isSuspended else { return [] }
        return inbox.offer(to: app)
    }

    /// One transfer of the backlog is done; live messages follow the last one.
    private mutating func drained(_ app: String) -> [LinkEffect] {
        guard let count = backlog[app], count > 0 else { return [] }
        backlog[app] = count - 1
        return count == 1 ? live.release(to: app) : []
    }

    // MARK: Reachability

    /// What a session of an app shows (watch.md, section 9.3).
    func state(for app: String) -> WatchCounterpartState {
        guard let counterpart = setup.counterparts[app] else {
            return WatchCounterpartState(isPaired: true)
        }
        let presence = apps[app] ?? AppPresence()
        guard !missingCounterparts.contains(counterpart) else { return WatchCounterpartState(isPaired: true) }
        let other = counterpartState.apps[counterpart] ?? PublishedState.App()
        let isReachable =
            if setup.isWatch {
                isUp && presence.isActivated && presence.isForeground && counterpartState.isUnlocked
            } else {
                isUp && setup.isActive && presence.isActivated && other.isAttached && other.isReachable
            }
        return WatchCounterpartState(isPaired: true, isCounterpartInstalled: true, isReachable: isReachable)
    }

    private mutating func publishIfChanged() -> [LinkEffect] {
        guard isUp else { return [] }
        var state = PublishedState()
        for app in setup.counterparts.keys {
            let presence = apps[app] ?? AppPresence()
            state.apps[app] = PublishedState.App(
                isInstalled: !uninstalled.contains(app), isAttached: presence.isAttached,
                isActivated: presence.isActivated,
                isReachable: setup.isWatch && self.state(for: app).isReachable)
        }
        guard state != published else { return [] }
        published = state
        return [.toPeer(WatchFrame(.state, body: WatchFrame.body(state)))]
    }

    private mutating func showIfChanged() -> [LinkEffect] {
        guard setup.isActive else { return [] }
        return setup.counterparts.keys.sorted().compactMap { app in
            guard apps[app]?.isActivated == true else { return nil }
            let state = state(for: app)
            guard shown[app] != state else { return nil }
            shown[app] = state
            return .toApp(app, WatchFrame(.event, body: WatchFrame.body(state)))
        }
    }
}
