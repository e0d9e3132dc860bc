// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice

/// The apps of this device: what they send and receive, and when they start and end.
extension WatchLink {
    mutating func receive(_ frame: WatchFrame, from app: String, at now: Int64) -> [LinkEffect] {
        guard let counterpart = setup.counterparts[app] else {
            return refuse(frame, from: app, code: LinkCode.watchAppNotInstalled)
        }
        if let code = refusal(ofRole: role) {
            let refused = refuse(frame, from: app, code: code)
            if !refused.isEmpty { return refused }
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
            if isOutboxFull { return refuse(frame, from: app, code: LinkCode.insufficientSpace) }
            if let refusalOfStorage { return refuse(frame, from: app, code: refusalOfStorage) }
            let (way, counted) = kind(of: frame, from: app)
            return [queued] + counted
                + outbox.add(frame.messageId, origin: app, destination: counterpart, body: frame.body, kind: way)
        case .cancelTransfer:
            return outbox.pieces(of: frame.messageId) > 0
                ? cancel(file: frame.messageId) : outbox.cancel(frame.messageId)
        case .transferTold:
            guard finished.told(frame.messageId, by: app) else { return [] }
            return [.store(.told(transferId: frame.messageId))]
        case .delivered:
            let effects = inbox.handled(frame.messageId, by: app)
            guard !effects.isEmpty else { return [] }
            return effects + drained(app, by: frame.messageId) + offer(to: app)
        case .contextTold: return contexts.told(frame.messageId, by: app)
        case .context:
            if let refusalOfStorage { return refuse(frame, from: app, code: refusalOfStorage) }
            let queued = LinkEffect.toApp(app, WatchFrame(.transferQueued, messageId: frame.messageId))
            return [queued] + contexts.update(frame.body, of: app, for: counterpart, isUp: isUp)
        default: return []
        }
    }

    /// The kind of an app's transfer; takes it from the budget.
    private mutating func kind(of frame: WatchFrame, from app: String) -> (Outbox.Kind, [LinkEffect]) {
        guard frame.flags.contains(.complication), state(for: app).remainingComplicationTransfers > 0 else {
            return (.userInfo, [])
        }
        var budget = budgets[app] ?? ComplicationBudget()
        budget.use(at: now)
        budgets[app] = budget
        return (.complication, [.store(.budget(app: app, budget))])
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

    /// Why nothing can be sent to a watch that is not used.
    private func refusal(ofRole role: LinkRole) -> Int? {
        switch role {
        case .active: nil
        case .idle: LinkCode.sessionInactive
        case .unpaired: LinkCode.deviceNotPaired
        }
    }

    private func refuse(_ frame: WatchFrame, from app: String, code: Int) -> [LinkEffect] {
        switch frame.kind {
        case .live: [.toApp(app, WatchFrame(.liveError, correlationId: frame.messageId, sequence: UInt64(code)))]
        case .userInfo, .context:
            [.toApp(app, WatchFrame(.transferQueued, messageId: frame.messageId, sequence: UInt64(code)))]
        default: []
        }
    }

    /// Turns the end of an own transfer into news for its app, which is reported now and at each activation, until it
    /// acknowledges that its delegate has it.
    mutating func report(_ effect: LinkEffect) -> [LinkEffect] {
        guard case .finished(let entry, let code) = effect else { return [effect] }
        guard !entry.origin.isEmpty else { return [] }
        if let file = entry.file { return partEnded(entry, of: file, code: code) }
        return finish(
            FinishedTransfer(
                transferId: entry.transferId, app: entry.origin,
                content: .userInfo(entry.body, isComplication: entry.kind == .complication), code: code))
    }

    mutating func finish(_ transfer: FinishedTransfer) -> [LinkEffect] {
        finished.add(transfer)
        let news: [LinkEffect] = apps[transfer.app]?.isActivated == true ? [.toApp(transfer.app, transfer.frame)] : []
        return [.store(.finished(transfer))] + news
    }

    mutating func change(_ app: String, to presence: AppPresence) -> [LinkEffect] {
        let previous = apps[app] ?? AppPresence()
        apps[app] = presence
        guard presence.isActivated, !presence.isSuspended else { return [] }
        var effects: [LinkEffect] = []
        if !previous.isActivated {
            backlog[app] = Set(inbox.waiting(for: app))
            effects += activation(of: app)
            effects += finished.waiting(for: app).map { .toApp(app, $0.frame) }
        }
        effects += offer(to: app)
        if isReadyForContext(app) { effects += contexts.tell(app) + live.release(to: app) }
        return effects
    }

    /// The answer to an app that activates its session. The listed transfers are sent one by one before it, so that the
    /// answer is no larger than other frames, at any queue length.
    private mutating func activation(of app: String) -> [LinkEffect] {
        let state = state(for: app)
        shown[app] = state
        func listed(_ transferId: UUID, _ content: TransferContent, sent: Int = 0) -> LinkEffect {
            .toApp(
                app,
                WatchFrame(
                    .outstandingTransfer, flags: content.flags, messageId: transferId, sequence: UInt64(sent),
                    body: content.body))
        }
        let own =
            outbox.outstanding(of: app).map { entry in
                listed(entry.transferId, .userInfo(entry.body, isComplication: entry.kind == .complication))
            }
            + files.filter { $0.app == app && $0.code == nil }.map {
                listed($0.transferId, .file($0.file), sent: $0.sent)
            }
        return own + contexts.known(by: app) + [.toApp(app, WatchFrame(.activate, body: WatchFrame.body(state)))]
    }

    /// Whether content of the other device waits until the delegate of an app has it.
    func hasContent(for app: String) -> Bool { inbox.count(for: app) > 0 || contexts.isWaiting(for: app) }

    mutating func offer(to app: String) -> [LinkEffect] {
        guard let presence = apps[app], presence.isActivated, !presence.isSuspended else { return [] }
        return inbox.offer(to: app)
    }

    /// Whether everything that was stored before the app's activation was sent to it.
    func isReadyForContext(_ app: String) -> Bool {
        guard let presence = apps[app] else { return false }
        return presence.isActivated && !presence.isSuspended && !hasBacklog(app)
    }

    /// Whether a transfer waits for the app since before its activation. Those come first.
    private func hasBacklog(_ app: String) -> Bool {
        guard let backlog = backlog[app], let next = inbox.waiting(for: app).first else { return false }
        return backlog.contains(next)
    }

    /// A transfer is done; the context and live messages follow the last one of the backlog.
    private mutating func drained(_ app: String, by transferId: UUID) -> [LinkEffect] {
        guard backlog[app]?.contains(transferId) == true, !hasBacklog(app) else { return [] }
        return contexts.tell(app) + live.release(to: app)
    }

    // MARK: Apps that go

    mutating func ended(_ app: String, isRestarting: Bool) -> [LinkEffect] {
        apps[app] = AppPresence()
        backlog[app] = nil
        shown[app] = nil
        inbox.processEnded(app)
        contexts.processEnded(app)
        return live.processEnded(app, keepsHeld: isRestarting)
    }

    /// The app was removed from the device, with the transfers it has sent and those queued for it; later transfers are
    /// refused.
    mutating func uninstall(_ app: String) -> [LinkEffect] {
        guard uninstalled.insert(app).inserted else { return [] }
        finished.forget(app)
        contexts.forget(app)
        complications.remove(app)
        budgets[app] = nil
        let sent = files.filter { $0.app == app }.map(\.transferId)
        files.removeAll { $0.app == app }
        return [.store(.forgotten(app: app))] + inbox.forget(app) + outbox.forget(app, files: sent)
    }

    /// The device is as new: nothing that it has sent or received is left.
    mutating func erase(epoch: UInt64) -> [LinkEffect] {
        // A phone that is as new has no watch; an erased watch belongs to its phone as before.
        let farewell = isUp ? setup.isWatch ? farewell(.erased) : [endOfPairing(pairing)] : []
        complications = []
        return farewell + lose() + eraseQueues(epoch: epoch)
    }

    /// Nothing that was sent or received is left.
    mutating func eraseQueues(epoch: UInt64) -> [LinkEffect] {
        outbox = Outbox(epoch: epoch)
        inbox = Inbox()
        contexts = ContextExchange()
        finished = EndedTransfers()
        files = Fifo()
        budgets = [:]
        backlog = [:]
        missingCounterparts = []
        counterpartComplications = []
        pairing = setup.isWatch ? 0 : epoch
        // They described the previous outbox: an answer would connect the other device with that.
        greetings.lose()
        return [.store(.erased(epoch: epoch, pairing: pairing))]
    }

    // MARK: Reachability

    /// What a session of an app shows (watch.md, section 9.3).
    func state(for app: String) -> WatchCounterpartState {
        guard role != .unpaired else { return WatchCounterpartState() }
        guard let counterpart = setup.counterparts[app] else {
            return WatchCounterpartState(isPaired: true, isInactive: role == .idle)
        }
        let presence = apps[app] ?? AppPresence()
        guard !missingCounterparts.contains(counterpart) else {
            return WatchCounterpartState(isPaired: true, isInactive: role == .idle)
        }
        let other = counterpartState.apps[counterpart] ?? PublishedState.App()
        let isReachable =
            if setup.isWatch {
                isUp && presence.isActivated && presence.isForeground && counterpartState.isUnlocked
            } else {
                isUp && presence.isActivated && other.isAttached && other.isReachable
            }
        let isComplicationEnabled = !setup.isWatch && counterpartComplications.contains(counterpart)
        return WatchCounterpartState(
            isPaired: true, isCounterpartInstalled: true, isReachable: isReachable,
            needsUnlock: setup.isWatch && isUp && !counterpartState.isUnlocked,
            isComplicationEnabled: isComplicationEnabled,
            remainingComplicationTransfers: isComplicationEnabled
                ? (budgets[app] ?? ComplicationBudget()).remaining(at: now) : 0, isInactive: role == .idle)
    }

    mutating func publishIfChanged() -> [LinkEffect] {
        guard isUp else { return [] }
        var state = PublishedState(isUnlocked: isUnlocked)
        for app in setup.counterparts.keys {
            let presence = apps[app] ?? AppPresence()
            state.apps[app] = PublishedState.App(
                isInstalled: !uninstalled.contains(app), isAttached: presence.isAttached,
                isActivated: presence.isActivated,
                isReachable: setup.isWatch && self.state(for: app).isReachable,
                hasComplication: complications.contains(app))
        }
        guard state != published else { return [] }
        published = state
        publishedVersion += 1
        return publish()
    }

    /// Sends the other device the last published state.
    func publish() -> [LinkEffect] {
        guard let published else { return [] }
        return [.toPeer(WatchFrame(.state, sequence: publishedVersion, body: WatchFrame.body(published)))]
    }

    mutating func showIfChanged() -> [LinkEffect] {
        // What an inactive session shows does not change until it is deactivated.
        guard role != .idle else { return [] }
        return setup.counterparts.keys.sorted().compactMap { app in
            guard apps[app]?.isActivated == true else { return nil }
            let state = state(for: app)
            guard shown[app] != state else { return nil }
            shown[app] = state
            return .toApp(app, WatchFrame(.event, body: WatchFrame.body(state)))
        }
    }
}
