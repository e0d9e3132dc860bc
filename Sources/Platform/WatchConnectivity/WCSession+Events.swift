// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import Synchronization

/// Delivery of the system's events to the app.
extension WCSession {
    /// Runs on the backend's thread: the session's state changes at once, the app is notified on `queue`.
    func receive(_ event: WatchSessionEvent) {
        switch event {
        case .activated(let counterpart, let outstanding): activated(counterpart, outstanding: outstanding)
        case .activationFailed(let code): enqueueActivation(error: WCError.reported(code))
        case .becameInactive:
            change { $0.activation = .inactive }
            queue.async { self.delegate?.sessionDidBecomeInactive(self) }
        case .deactivated: deactivated()
        case .changed(let counterpart): changed(to: counterpart)
        case .message(let message): received(message)
        case .acknowledged(let messageId):
            // Without a reply handler there is nothing more to come.
            state.withLock { if $0.pending[messageId]?.expectsReply == false { $0.pending[messageId] = nil } }
        case .reply(let messageId, let body, let isPropertyList):
            guard let pending = state.withLock({ $0.pending.removeValue(forKey: messageId) }) else { return }
            queue.async { pending.reply(body, isPropertyList) }
        case .failed(let messageId, let code):
            guard let pending = state.withLock({ $0.pending.removeValue(forKey: messageId) }) else { return }
            queue.async { pending.fail(WCError.reported(code)) }
        case .transferFinished(let transferId, .userInfo(let body, _), let code): finished(transferId, body, code: code)
        case .transferFinished(let transferId, .file(let file), let code): finished(transferId, file, code: code)
        case .transferProgressed(let transferId, let sent):
            let transfer = state.withLock { $0.fileTransfers.first { $0.transferId == transferId } }
            queue.async { transfer?.advance(to: sent) }
        case .userInfo(let transferId, let body, let hasMore):
            received(transferId, hasMore: hasMore) { delegate in
                delegate.session(self, didReceiveUserInfo: WatchContent.dictionary(in: body) ?? [:])
            }
        case .file(let transferId, let file, let hasMore):
            received(transferId, hasMore: hasMore) { delegate in
                delegate.session(self, didReceive: WCSessionFile(file))
                // A moved file belongs to the delegate.
                try? FileManager.default.removeItem(atPath: file.path)
            }
        case .context(let body, let news): received(body, news: news)
        case .ownContext(let body):
            state.withLock { $0.sentContext = body }
        case .contentPending(let isPending): change { $0.isContentAnnounced = isPending }
        }
    }

    private func activated(_ counterpart: WatchCounterpartState, outstanding: [OwnTransfer]) {
        var own: [WCSessionUserInfoTransfer] = []
        var files: [WCSessionFileTransfer] = []
        for transfer in outstanding {
            switch transfer.content {
            case .userInfo(let body, let isComplication):
                own.append(
                    self.transfer(
                        transfer.transferId, WatchContent.dictionary(in: body) ?? [:], isTransferring: true,
                        isComplication: isComplication))
            case .file(let file):
                let known = fileTransfer(
                    transfer.transferId, WCSessionFile(file), size: file.size, isTransferring: true)
                // No other thread has the object yet.
                known.advance(to: transfer.sent)
                files.append(known)
            }
        }
        change { state in
            state.activation = counterpart.isInactive ? .inactive : .activated
            state.counterpart = counterpart
            let known = Set(state.transfers.map(\.transferId))
            state.transfers = own.filter { !known.contains($0.transferId) } + state.transfers
            let knownFiles = Set(state.fileTransfers.map(\.transferId))
            state.fileTransfers = files.filter { !knownFiles.contains($0.transferId) } + state.fileTransfers
        }
        enqueueActivation(error: nil)
        if counterpart.isReachable, !counterpart.isInactive {
            queue.async { self.delegate?.sessionReachabilityDidChange(self) }
        }
    }

    /// No state of the session applies to the next watch.
    private func deactivated() {
        change { state in
            state.activation = .notActivated
            state.counterpart = WatchCounterpartState()
            state.transfers = []
            state.fileTransfers = []
            state.hasMoreWaiting = false
            state.isContentAnnounced = false
            state.sentContext = Data()
        }
        queue.async {
            // After the last context of the watch before.
            self.state.withLock { $0.receivedContext = Data() }
            self.delegate?.sessionDidDeactivate(self)
        }
    }

    func enqueueActivation(error: (any Error)?) {
        queue.async { self.delegate?.session(self, activationDidCompleteWith: self.activationState, error: error) }
    }

    private func changed(to counterpart: WatchCounterpartState) {
        let previous = state.withLock { state in
            defer { state.counterpart = counterpart }
            return state.counterpart
        }
        if previous.isReachable != counterpart.isReachable {
            queue.async { self.delegate?.sessionReachabilityDidChange(self) }
        }
        if backend?.isWatch == true {
            guard previous.isCounterpartInstalled != counterpart.isCounterpartInstalled else { return }
            queue.async { self.delegate?.sessionCompanionAppInstalledDidChange(self) }
        } else if previous.isPaired != counterpart.isPaired
            || previous.isCounterpartInstalled != counterpart.isCounterpartInstalled
            || previous.isComplicationEnabled != counterpart.isComplicationEnabled
        {
            queue.async { self.delegate?.sessionWatchStateDidChange(self) }
        }
    }

    private func received(_ message: LiveMessage) {
        guard delegate != nil else {
            backend?.refuse(message.messageId, code: WCError.Code.deliveryFailed.rawValue)
            return
        }
        change { $0.undelivered += 1 }
        // Before the delegate can answer, so that its answer comes second.
        backend?.acknowledge(message.messageId)
        queue.async { [self] in
            deliver(message)
            change { $0.undelivered -= 1 }
        }
    }

    private func deliver(_ message: LiveMessage) {
        guard let delegate else { return }
        // A second call of the handler is dropped by the agents, which know what was answered.
        let answer: @Sendable (Result<Data, ContentError>) -> Void = { [weak backend] body in
            switch body {
            case .success(let body):
                backend?.reply(to: message.messageId, body: body, isPropertyList: message.isPropertyList)
            case .failure(let error): backend?.refuse(message.messageId, code: error.code.rawValue)
            }
        }
        switch (message.isPropertyList, message.expectsReply) {
        case (false, false): delegate.session(self, didReceiveMessageData: message.body)
        case (false, true):
            delegate.session(self, didReceiveMessageData: message.body) { reply in
                answer(Result { () throws(ContentError) in try WatchContent.checked(reply) })
            }
        case (true, false): delegate.session(self, didReceiveMessage: WatchContent.dictionary(in: message.body) ?? [:])
        case (true, true):
            delegate.session(self, didReceiveMessage: WatchContent.dictionary(in: message.body) ?? [:]) { reply in
                answer(Result { () throws(ContentError) in try PropertyList.encode(reply) })
            }
        }
        let isUnhandled = state.withLock { state in
            defer { state.isUnhandled = false }
            return state.isUnhandled
        }
        if isUnhandled { answer(.failure(ContentError(code: .deliveryFailed))) }
    }

    /// Called by the delegate's default methods, on the delegate queue: the app has none of its own.
    func noteUnhandled() { state.withLock { $0.isUnhandled = true } }

    /// The system reports the end of a transfer until the delegate has it and the session acknowledges.
    private func finished(_ transferId: UUID, _ body: Data, code: Int?) {
        let known = state.withLock { state in
            let index = state.transfers.firstIndex { $0.transferId == transferId }
            return index.map { state.transfers.remove(at: $0) }
        }
        let content = WatchContent.dictionary(in: body) ?? [:]
        let transfer = known ?? transfer(transferId, content, isTransferring: false)
        transfer.finish()
        reportEnd(of: transfer, error: code.map(WCError.reported)) { [weak backend] in backend?.told(transferId) }
    }

    private func finished(_ transferId: UUID, _ file: WatchFile, code: Int?) {
        let known = state.withLock { state in
            let index = state.fileTransfers.firstIndex { $0.transferId == transferId }
            return index.map { state.fileTransfers.remove(at: $0) }
        }
        let transfer = known ?? fileTransfer(transferId, WCSessionFile(file), size: file.size, isTransferring: false)
        transfer.finish()
        if code == nil { queue.async { transfer.advance(to: file.size) } }
        reportEnd(of: transfer, error: code.map(WCError.reported)) { [weak backend] in backend?.told(transferId) }
    }

    private func received(_ context: Data, news: UUID?) {
        guard let news else { return state.withLock { $0.receivedContext = context } }
        change { $0.undelivered += 1 }
        queue.async { [self] in
            // The delegate sees its own context, also when a newer one is on its way.
            state.withLock { $0.receivedContext = context }
            if let delegate {
                delegate.session(self, didReceiveApplicationContext: receivedApplicationContext)
                backend?.contextTold(news)
            }
            change { $0.undelivered -= 1 }
        }
    }

    /// Hands a transfer to the delegate, on the delegate queue.
    private func received(
        _ transferId: UUID, hasMore: Bool, _ handOver: @escaping @Sendable (any WCSessionDelegate) -> Void
    ) {
        change { state in
            state.hasMoreWaiting = hasMore
            state.undelivered += 1
        }
        queue.async { [self] in
            let delegate = self.delegate
            if let delegate { handOver(delegate) }
            change { $0.undelivered -= 1 }
            // What no delegate has seen is handed to the next process.
            if delegate != nil { backend?.delivered(transferId) }
        }
    }
}

/// The handlers of a message that was sent: the code that removes it from the session's list calls one of them, once, on
/// the delegate queue.
struct PendingMessage: @unchecked Sendable {
    // Sendable is safe: the app's closures are only ever called on the session's serial delegate queue.
    private let replyHandler: ((Data, Bool) -> Void)?
    private let errorHandler: ((any Error) -> Void)?

    init(reply: ((Data, Bool) -> Void)?, failure: ((any Error) -> Void)?) {
        replyHandler = reply
        errorHandler = failure
    }

    var expectsReply: Bool { replyHandler != nil }

    func reply(_ body: Data, _ isPropertyList: Bool) { replyHandler?(body, isPropertyList) }
    func fail(_ error: any Error) { errorHandler?(error) }
}
