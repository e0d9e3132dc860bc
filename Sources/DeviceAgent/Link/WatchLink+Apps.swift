import Foundation
import SimulatedDevice

/// The apps of this device: what they send, what they are told, and when they come and go.
extension WatchLink {
    mutating func receive(_ frame: WatchFrame, from app: String, at now: Int64) -> [LinkEffect] {
        guard let counterpart = setup.counterparts[app] else {
            return refuse(frame, from: app, code: LinkCode.watchAppNotInstalled)
        }
        if let code = problem(in: frame) { return refuse(frame, from: app, code: code) }
        switch frame.kind {
        case .activate: return activation(of: app)
        case .live:
            guard state(for: app).isReachable else { return refuse(frame, from: app, code: LinkCode.notReachable) }
            return live.send(frame, from: app, to: counterpart, at: now)
        case .liveAcknowledgement, .liveReply, .liveError: return live.answer(frame, by: app)
        case .userInfo:
            let queued = LinkEffect.toApp(app, WatchFrame(.transferQueued, messageId: frame.messageId))
            if outbox.contains(frame.messageId) { return [queued] }
            return [queued] + outbox.add(frame.messageId, origin: app, destination: counterpart, body: frame.body)
        case .cancelTransfer: return outbox.cancel(frame.messageId)
        case .transferTold:
            guard let index = finished.firstIndex(where: { $0.transferId == frame.messageId && $0.app == app }) else {
                return []
            }
            finished.remove(at: index)
            return [.store(.told(transferId: frame.messageId))]
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

    /// What is wrong with the content of an app's message, as a `WCError.Code`.
    private func problem(in frame: WatchFrame) -> Int? {
        let isPropertyList = frame.flags.contains(.propertyList)
        return switch frame.kind {
        case .live, .userInfo:
            WatchContent.problem(in: frame.body, isPropertyList: isPropertyList, limit: WatchContent.messageLimit)
        case .context:
            WatchContent.problem(in: frame.body, isPropertyList: isPropertyList, limit: WatchContent.contextLimit)
        default: nil
        }
    }

    private func refuse(_ frame: WatchFrame, from app: String, code: Int) -> [LinkEffect] {
        switch frame.kind {
        case .live:
            [.toApp(app, WatchFrame(.liveError, correlationId: frame.messageId, sequence: UInt64(code)))]
        case .userInfo, .context:
            [.toApp(app, WatchFrame(.transferQueued, messageId: frame.messageId, sequence: UInt64(code)))]
        default: []
        }
    }

    /// Turns the end of an own transfer into news for its app, which is told now and again at each activation, until it
    /// says that its delegate has heard it.
    mutating func report(_ effect: LinkEffect) -> [LinkEffect] {
        guard case .finished(let entry, let code) = effect else { return [effect] }
        guard !entry.origin.isEmpty else { return [] }
        let transfer = FinishedTransfer(
            transferId: entry.transferId, app: entry.origin, body: entry.body, code: code)
        finished.append(transfer)
        let news: [LinkEffect] =
            apps[entry.origin]?.isActivated == true ? [.toApp(entry.origin, transfer.frame)] : []
        return [.store(.finished(transfer))] + news
    }

    mutating func change(_ app: String, to presence: AppPresence) -> [LinkEffect] {
        let previous = apps[app] ?? AppPresence()
        apps[app] = presence
        guard presence.isActivated, !presence.isSuspended else { return [] }
        var effects: [LinkEffect] = []
        if !previous.isActivated {
            backlog[app] = inbox.count(for: app)
            effects += activation(of: app)
            effects += finished.filter { $0.app == app }.map { .toApp(app, $0.frame) }
        }
        effects += offer(to: app)
        if isReadyForContext(app) { effects += contexts.tell(app) + live.release(to: app) }
        return effects
    }

    /// The answer to an app that activates its session. What it lists comes one by one before it, so that the answer is
    /// no larger than any other frame however much is queued.
    private mutating func activation(of app: String) -> [LinkEffect] {
        guard setup.isActive else { return [] }
        let state = state(for: app)
        shown[app] = state
        let own = outbox.outstanding(of: app).map { entry in
            LinkEffect.toApp(
                app,
                WatchFrame(.outstandingTransfer, flags: .propertyList, messageId: entry.transferId, body: entry.body))
        }
        return own + contexts.known(by: app) + [.toApp(app, WatchFrame(.activate, body: WatchFrame.body(state)))]
    }

    mutating func offer(to app: String) -> [LinkEffect] {
        guard let presence = apps[app], presence.isActivated, !presence.isSuspended else { return [] }
        return inbox.offer(to: app)
    }

    /// Whether everything that was stored before the app's activation has gone to it.
    func isReadyForContext(_ app: String) -> Bool {
        guard let presence = apps[app] else { return false }
        return presence.isActivated && !presence.isSuspended && (backlog[app] ?? 0) == 0
    }

    /// One transfer of the backlog is done; the context and live messages follow the last one.
    private mutating func drained(_ app: String) -> [LinkEffect] {
        guard let count = backlog[app], count > 0 else { return [] }
        backlog[app] = count - 1
        return count == 1 ? contexts.tell(app) + live.release(to: app) : []
    }

    // MARK: Apps that go

    mutating func ended(_ app: String, isRestarting: Bool) -> [LinkEffect] {
        apps[app] = AppPresence()
        backlog[app] = nil
        shown[app] = nil
        inbox.processEnded(app)
        return live.processEnded(app, keepsHeld: isRestarting)
    }

    /// The app was taken off the device. What it has sent goes with it, and what waits for it; transfers that come from
    /// now on are refused.
    mutating func uninstall(_ app: String) -> [LinkEffect] {
        guard uninstalled.insert(app).inserted else { return [] }
        finished.removeAll { $0.app == app }
        contexts.forget(app)
        return [.store(.forgotten(app: app))] + inbox.forget(app) + outbox.forget(app)
    }

    /// The device is as new: nothing that it has sent or received is left.
    mutating func erase(epoch: UInt64) -> [LinkEffect] {
        let farewell = isUp ? farewell(.erased) : []
        let lost = lose()
        outbox = Outbox(epoch: epoch)
        inbox = Inbox()
        contexts = ContextExchange()
        finished = []
        backlog = [:]
        missingCounterparts = []
        return [.store(.erased(epoch: epoch))] + farewell + lost
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
        return WatchCounterpartState(
            isPaired: true, isCounterpartInstalled: true, isReachable: isReachable,
            needsUnlock: setup.isWatch && isUp && !counterpartState.isUnlocked)
    }

    mutating func publishIfChanged() -> [LinkEffect] {
        guard isUp else { return [] }
        var state = PublishedState(isUnlocked: isUnlocked)
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

    mutating func showIfChanged() -> [LinkEffect] {
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
