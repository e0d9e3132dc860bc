public import Foundation
public import SimulatedDevice
import Synchronization

/// The connection of this app with its counterpart on the paired device (watch.md, section 9).
///
/// Set ``delegate``, then call ``activate()``. Properties mean something only while the session is activated.
///
/// Safe to use from any thread. Delegate calls and the handlers of messages run one after the other on one private
/// serial queue.
public final class WCSession: NSObject, @unchecked Sendable {
    // Sendable is safe: the fixed parts are Sendable, everything that changes is behind `state`, and the delegate and
    // the handlers of the app run on `queue` only.

    private let backend: (any WatchSessionBackend)?
    private let queue = DispatchQueue(label: "com.apple.watchconnectivity.delegate")
    private let state = Mutex(State())

    private struct State {
        var delegate = DelegateReference()
        var activation = WCSessionActivationState.notActivated
        var counterpart = WatchCounterpartState()
        var pending: [UUID: PendingMessage] = [:]
        var transfers: [WCSessionUserInfoTransfer] = []
        var undelivered = 0
        var sentContext = Data()
        var receivedContext = Data()
    }

    /// A session over a backend of its own; an app uses ``default``.
    public init(backend: (any WatchSessionBackend)?) {
        self.backend = backend
        super.init()
        // The default session lives as long as its process; a test's session must not be kept by its backend.
        backend?.setReceiver { [weak self] event in self?.receive(event) }
    }

    /// The session of this process.
    public static var `default`: WCSession { shared }

    private static let shared = WCSession(backend: Sandbox.current.watchSession)

    /// Whether this device can have a counterpart.
    public class func isSupported() -> Bool {
        Sandbox.current.watchSession?.isSupported ?? false
    }

    // MARK: State

    /// Gets all news; held weakly.
    public weak var delegate: (any WCSessionDelegate)? {
        get { state.withLock { $0.delegate }.value }
        set {
            let reference = DelegateReference(value: newValue)
            state.withLock { $0.delegate = reference }
        }
    }

    /// Activates the session; the result comes through the delegate. Without a delegate nothing happens.
    public func activate() {
        guard delegate != nil else { return }
        guard let backend, backend.isSupported else {
            enqueueActivation(error: NSError(.sessionNotSupported))
            return
        }
        backend.activate()
    }

    /// State of this session.
    public var activationState: WCSessionActivationState { state.withLock { $0.activation } }

    /// Phone: whether a watch is paired.
    public var isPaired: Bool { state.withLock { $0.activation == .activated && $0.counterpart.isPaired } }

    /// Phone: whether the watch has the companion app.
    public var isWatchAppInstalled: Bool {
        state.withLock { $0.activation == .activated && $0.counterpart.isCounterpartInstalled }
    }

    /// Watch: whether the phone has the companion app.
    public var isCompanionAppInstalled: Bool { isWatchAppInstalled }

    /// Whether a message would be delivered now; the link may break before it is.
    public var isReachable: Bool { state.withLock { $0.activation == .activated && $0.counterpart.isReachable } }

    /// Whether received content waits for the delegate.
    public var hasContentPending: Bool { state.withLock { $0.undelivered > 0 } }

    // MARK: Immediate messages

    /// Sends data to the counterpart, which must be reachable (watch.md, section 9.4).
    ///
    /// - Parameters:
    ///   - data: At most 65,536 bytes.
    ///   - replyHandler: Gets the reply. With it, exactly one of the two handlers is called, once.
    ///   - errorHandler: Gets an `NSError` of ``WCErrorDomain``.
    public func sendMessageData(
        _ data: Data, replyHandler: ((Data) -> Void)?, errorHandler: ((any Error) -> Void)? = nil
    ) {
        let pending = PendingMessage(
            reply: replyHandler.map { handler in { body, _ in handler(body) } }, failure: errorHandler)
        guard data.count <= PropertyList.messageLimit else {
            return fail(pending, firstProblem(ofSending: true) ?? .payloadTooLarge)
        }
        send(data, isPropertyList: false, pending)
    }

    /// Sends a dictionary of property-list values to the counterpart, which must be reachable.
    ///
    /// - Parameters:
    ///   - message: At most 65,536 bytes as a binary property list.
    ///   - replyHandler: Gets the reply. With it, exactly one of the two handlers is called, once.
    ///   - errorHandler: Gets an `NSError` of ``WCErrorDomain``.
    public func sendMessage(
        _ message: [String: Any], replyHandler: (([String: Any]) -> Void)?,
        errorHandler: ((any Error) -> Void)? = nil
    ) {
        let pending = PendingMessage(
            reply: replyHandler.map { handler in { body, _ in handler(PropertyList.decode(body) ?? [:]) } },
            failure: errorHandler)
        do {
            send(try PropertyList.encode(message), isPropertyList: true, pending)
        } catch {
            fail(pending, firstProblem(ofSending: false) ?? error.code)
        }
    }

    private func send(_ body: Data, isPropertyList: Bool, _ pending: PendingMessage) {
        if let problem = firstProblem(ofSending: true) { return fail(pending, problem) }
        guard let backend else { return fail(pending, .sessionNotSupported) }
        let message = LiveMessage(
            messageId: UUID(), body: body, isPropertyList: isPropertyList, expectsReply: pending.expectsReply)
        state.withLock { $0.pending[message.messageId] = pending }
        backend.send(message)
    }

    /// The first reason to refuse a message, in the order of watch.md, section 9.7; nil if there is none.
    private func firstProblem(ofSending live: Bool) -> WCError.Code? {
        guard let backend, backend.isSupported else { return .sessionNotSupported }
        return state.withLock { state in
            if state.delegate.value == nil { return .sessionMissingDelegate }
            switch state.activation {
            case .notActivated: return .sessionNotActivated
            case .inactive: return .sessionInactive
            case .activated: break
            }
            if !backend.isWatch && !state.counterpart.isPaired { return .deviceNotPaired }
            if !state.counterpart.isCounterpartInstalled {
                return backend.isWatch ? .companionAppNotInstalled : .watchAppNotInstalled
            }
            return live && !state.counterpart.isReachable ? .notReachable : nil
        }
    }

    private func fail(_ pending: PendingMessage, _ code: WCError.Code) {
        queue.async { pending.fail(NSError(code)) }
    }

    // MARK: Guaranteed transfers

    /// Queues a dictionary for the counterpart; it arrives once and in order, also after both apps ended (watch.md,
    /// section 9.5). The content is stored when the call returns.
    ///
    /// A refused transfer is returned with `isTransferring` false, and the delegate gets the reason.
    @discardableResult
    public func transferUserInfo(_ userInfo: [String: Any] = [:]) -> WCSessionUserInfoTransfer {
        let transferId = UUID()
        do {
            let problem = firstProblem(ofSending: false)
            if let problem, ![.deviceNotPaired, .watchAppNotInstalled].contains(problem) {
                throw ContentError(code: problem)
            }
            let body = try PropertyList.encode(userInfo)
            if let problem { throw ContentError(code: problem) }
            let transfer = transfer(transferId, userInfo, isTransferring: true)
            // Listed before it is queued: the end of the transfer may be reported at once.
            state.withLock { $0.transfers.append(transfer) }
            if let code = backend?.queueTransfer(transferId, body: body) {
                state.withLock { $0.transfers.removeAll { $0.transferId == transferId } }
                transfer.finish()
                reportEnd(of: transfer, error: NSError(watchConnectivityCode: code))
            }
            return transfer
        } catch {
            let transfer = transfer(transferId, userInfo, isTransferring: false)
            let code = (error as? ContentError)?.code ?? .genericError
            reportEnd(of: transfer, error: NSError(code))
            return transfer
        }
    }

    /// The transfers that are queued or under way, oldest first.
    public var outstandingUserInfoTransfers: [WCSessionUserInfoTransfer] { state.withLock { $0.transfers } }

    private func transfer(
        _ transferId: UUID, _ userInfo: [String: Any], isTransferring: Bool
    ) -> WCSessionUserInfoTransfer {
        WCSessionUserInfoTransfer(transferId: transferId, userInfo: userInfo, isTransferring: isTransferring) {
            [weak backend] in backend?.cancelTransfer($0)
        }
    }

    private func reportEnd(of transfer: WCSessionUserInfoTransfer, error: NSError?) {
        queue.async { self.delegate?.session(self, didFinish: transfer, error: error) }
    }

    // MARK: Application context

    /// The context that was set last.
    public var applicationContext: [String: Any] { PropertyList.decode(state.withLock { $0.sentContext }) ?? [:] }

    /// The context that the counterpart set last.
    public var receivedApplicationContext: [String: Any] {
        PropertyList.decode(state.withLock { $0.receivedContext }) ?? [:]
    }

    /// Replaces the context for the counterpart; it gets the newest one.
    ///
    /// - Parameter applicationContext: At most 262,144 bytes as a binary property list.
    /// - Throws: An `NSError` of ``WCErrorDomain``.
    public func updateApplicationContext(_ applicationContext: [String: Any]) throws {
        if let problem = firstProblem(ofSending: false) { throw NSError(problem) }
        do {
            let body = try PropertyList.encode(applicationContext, limit: PropertyList.contextLimit)
            if let code = backend?.updateContext(body) { throw NSError(watchConnectivityCode: code) }
            state.withLock { $0.sentContext = body }
        } catch let error as ContentError {
            throw NSError(error.code)
        }
    }
}

// MARK: - Events

extension WCSession {
    /// Runs on the backend's thread: the session's state changes at once, the app hears of it on `queue`.
    private func receive(_ event: WatchSessionEvent) {
        switch event {
        case .activated(let counterpart, let outstanding):
            activated(counterpart, outstanding: outstanding)
        case .activationFailed(let code):
            enqueueActivation(error: NSError(watchConnectivityCode: code))
        case .changed(let counterpart):
            changed(to: counterpart)
        case .message(let message):
            received(message)
        case .acknowledged(let messageId):
            // Without a reply handler there is nothing more to come.
            state.withLock { if $0.pending[messageId]?.expectsReply == false { $0.pending[messageId] = nil } }
        case .reply(let messageId, let body, let isPropertyList):
            guard let pending = state.withLock({ $0.pending.removeValue(forKey: messageId) }) else { return }
            queue.async { pending.reply(body, isPropertyList) }
        case .failed(let messageId, let code):
            guard let pending = state.withLock({ $0.pending.removeValue(forKey: messageId) }) else { return }
            queue.async { pending.fail(NSError(watchConnectivityCode: code)) }
        case .transferFinished(let transferId, let body, let code):
            let known = state.withLock { state in
                let index = state.transfers.firstIndex { $0.transferId == transferId }
                return index.map { state.transfers.remove(at: $0) }
            }
            let transfer = known ?? transfer(transferId, PropertyList.decode(body) ?? [:], isTransferring: false)
            transfer.finish()
            reportEnd(of: transfer, error: code.map { NSError(watchConnectivityCode: $0) })
        case .userInfo(let transferId, let body, _):
            received(transferId, PropertyList.decode(body) ?? [:])
        case .context(let body):
            state.withLock { $0.receivedContext = body }
            queue.async { [self] in delegate?.session(self, didReceiveApplicationContext: receivedApplicationContext) }
        }
    }

    private func activated(_ counterpart: WatchCounterpartState, outstanding: [(UUID, Data)]) {
        let own = outstanding.map { transfer($0.0, PropertyList.decode($0.1) ?? [:], isTransferring: true) }
        state.withLock { state in
            state.activation = .activated
            state.counterpart = counterpart
            let known = Set(state.transfers.map(\.transferId))
            state.transfers = own.filter { !known.contains($0.transferId) } + state.transfers
        }
        enqueueActivation(error: nil)
        if counterpart.isReachable { queue.async { self.delegate?.sessionReachabilityDidChange(self) } }
    }

    private func enqueueActivation(error: NSError?) {
        queue.async {
            self.delegate?.session(self, activationDidCompleteWith: self.activationState, error: error)
        }
    }

    private func changed(to counterpart: WatchCounterpartState) {
        let previous = state.withLock { state in
            defer { state.counterpart = counterpart }
            return state.counterpart
        }
        if previous.isReachable != counterpart.isReachable {
            queue.async { self.delegate?.sessionReachabilityDidChange(self) }
        }
        let isWatch = backend?.isWatch ?? false
        if !isWatch,
            previous.isPaired != counterpart.isPaired
                || previous.isCounterpartInstalled != counterpart.isCounterpartInstalled
        {
            queue.async { self.delegate?.sessionWatchStateDidChange(self) }
        }
    }

    private func received(_ message: LiveMessage) {
        guard delegate != nil else {
            backend?.refuse(message.messageId, code: WCError.Code.deliveryFailed.rawValue)
            return
        }
        state.withLock { $0.undelivered += 1 }
        queue.async { [self] in
            deliver(message)
            state.withLock { $0.undelivered -= 1 }
        }
        backend?.acknowledge(message.messageId)
    }

    private func deliver(_ message: LiveMessage) {
        guard let delegate else { return }
        // A second call of the handler is dropped by the agents, which know what was answered.
        let answer: @Sendable (Data) -> Void = { [weak backend] body in
            backend?.reply(to: message.messageId, body: body, isPropertyList: message.isPropertyList)
        }
        switch (message.isPropertyList, message.expectsReply) {
        case (false, false):
            delegate.session(self, didReceiveMessageData: message.body)
        case (false, true):
            delegate.session(self, didReceiveMessageData: message.body, replyHandler: answer)
        case (true, false):
            delegate.session(self, didReceiveMessage: PropertyList.decode(message.body) ?? [:])
        case (true, true):
            delegate.session(self, didReceiveMessage: PropertyList.decode(message.body) ?? [:]) {
                [weak backend] reply in
                if let body = try? PropertyList.encode(reply) {
                    answer(body)
                } else {
                    backend?.refuse(message.messageId, code: WCError.Code.payloadUnsupportedTypes.rawValue)
                }
            }
        }
    }

    private func received(_ transferId: UUID, _ userInfo: [String: Any]) {
        state.withLock { $0.undelivered += 1 }
        let content = Unshared(value: userInfo)
        queue.async { [self] in
            delegate?.session(self, didReceiveUserInfo: content.value)
            state.withLock { $0.undelivered -= 1 }
            backend?.delivered(transferId)
        }
    }
}

/// Carries a value that is not Sendable to the delegate queue.
private struct Unshared<Value>: @unchecked Sendable {
    // Sendable is safe: the sender keeps no reference; only the receiving block uses the value.
    let value: Value
}

/// The app's delegate, held weakly.
private struct DelegateReference: @unchecked Sendable {
    // Sendable is safe: threads only pass the reference on; the delegate's methods run on the session's queue alone.
    weak var value: (any WCSessionDelegate)?
}
