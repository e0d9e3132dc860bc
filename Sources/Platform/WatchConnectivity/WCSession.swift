// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SimulatedDevice
import Synchronization

/// The connection of this app with its counterpart on the paired device (watch.md, section 9).
///
/// Set ``delegate``, then call ``activate()``. Properties mean something only while the session is activated.
///
/// Thread rule: any thread. Delegate calls and the handlers of messages run one after the other on one private
/// serial queue.
public final class WCSession: NSObject, @unchecked Sendable {
    // Sendable is safe: the fixed parts are Sendable, everything that changes is behind `state`, and the delegate and
    // the handlers of the app run on `queue` only.

    let backend: (any WatchSessionBackend)?
    let queue = DispatchQueue(label: "com.apple.watchconnectivity.delegate")
    let state = Mutex(State())
    let observers = Mutex(Observers())

    struct State {
        var delegate = DelegateReference()
        var activation = WCSessionActivationState.notActivated
        var counterpart = WatchCounterpartState()
        var pending: [UUID: PendingMessage] = [:]
        var transfers: [WCSessionUserInfoTransfer] = []
        var fileTransfers: [WCSessionFileTransfer] = []
        var undelivered = 0
        /// More transfers wait behind the one that was handed over last.
        var hasMoreWaiting = false
        /// The system has given the app a background task for content that the delegate does not have yet.
        var isContentAnnounced = false
        /// The delegate has no method for the message that it was just given.
        var isUnhandled = false
        var sentContext = Data()
        var receivedContext = Data()

        var hasContentPending: Bool { undelivered > 0 || hasMoreWaiting || isContentAnnounced }
    }

    /// A session over a backend of its own; an app uses ``default``.
    public init(backend: (any WatchSessionBackend)?) {
        self.backend = backend
        super.init()
        // The default session lives as long as its process; a test's session must not be kept by its backend.
        backend?.setReceiver { [weak self] event in self?.receive(event) }
        backend?.setCallbackQueue(queue)
    }

    /// The session of this process.
    public static var `default`: WCSession { shared }

    private static let shared = WCSession(backend: Sandbox.current.watchSession)

    /// Whether this device can have a counterpart.
    public class func isSupported() -> Bool { Sandbox.current.watchSession?.isSupported ?? false }

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
            enqueueActivation(error: WCError(.sessionNotSupported))
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

    /// Watch: whether the phone is out of reach because it was not unlocked since it started.
    public var iOSDeviceNeedsUnlockAfterRebootForReachability: Bool {
        state.withLock { $0.activation == .activated && $0.counterpart.needsUnlock }
    }

    /// Phone: whether the watch shows a complication of the app.
    public var isComplicationEnabled: Bool {
        state.withLock { $0.activation == .activated && $0.counterpart.isComplicationEnabled }
    }

    /// Phone: how many more times ``transferCurrentComplicationUserInfo(_:)`` delivers its content at once; 0 without a
    /// complication.
    public var remainingComplicationUserInfoTransfers: Int {
        state.withLock { $0.activation == .activated ? $0.counterpart.remainingComplicationTransfers : 0 }
    }

    /// Whether received content waits for the delegate.
    public var hasContentPending: Bool { state.withLock { $0.hasContentPending } }

    // MARK: Immediate messages

    /// Sends data to the counterpart, which must be reachable (watch.md, section 9.4).
    /// - Parameters:
    ///   - data: At most 65,536 bytes.
    ///   - replyHandler: Gets the reply. With it, exactly one of the two handlers is called, once.
    ///   - errorHandler: Gets a ``WCError``.
    public func sendMessageData(
        _ data: Data, replyHandler: ((Data) -> Void)?, errorHandler: ((any Error) -> Void)? = nil
    ) {
        let pending = PendingMessage(
            reply: replyHandler.map { handler in { body, _ in handler(body) } }, failure: errorHandler)
        send(isPropertyList: false, pending) { () throws(ContentError) in try WatchContent.checked(data) }
    }

    /// Sends a dictionary of property-list values to the counterpart, which must be reachable.
    /// - Parameters:
    ///   - message: At most 65,536 bytes as a binary property list.
    ///   - replyHandler: Gets the reply. With it, exactly one of the two handlers is called, once.
    ///   - errorHandler: Gets a ``WCError``.
    public func sendMessage(
        _ message: [String: Any], replyHandler: (([String: Any]) -> Void)?, errorHandler: ((any Error) -> Void)? = nil
    ) {
        let pending = PendingMessage(
            reply: replyHandler.map { handler in { body, _ in handler(WatchContent.dictionary(in: body) ?? [:]) } },
            failure: errorHandler)
        send(isPropertyList: true, pending) { () throws(ContentError) in try PropertyList.encode(message) }
    }

    /// Sends a message after checking first the session, then the content, then the reachability (watch.md, section
    /// 9.7).
    private func send(isPropertyList: Bool, _ pending: PendingMessage, _ content: () throws(ContentError) -> Data) {
        if let problem = problem() { return fail(pending, problem) }
        let body: Data
        do throws(ContentError) {
            body = try content()
        } catch {
            return fail(pending, error.code)
        }
        guard let backend, isReachable else { return fail(pending, .notReachable) }
        let message = LiveMessage(
            messageId: UUID(), body: body, isPropertyList: isPropertyList, expectsReply: pending.expectsReply)
        state.withLock { $0.pending[message.messageId] = pending }
        backend.send(message)
    }

    /// The first reason in the session's state to refuse anything, in the order of watch.md, section 9.7; nil without
    /// one.
    func problem() -> WCError.Code? {
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
            return nil
        }
    }

    /// Runs after everything that the session has to tell its app so far. Any thread may call it.
    package func afterCallbacks(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    private func fail(_ pending: PendingMessage, _ code: WCError.Code) { queue.async { pending.fail(WCError(code)) } }

    // MARK: Application context

    /// The context that was set last.
    public var applicationContext: [String: Any] {
        WatchContent.dictionary(in: state.withLock { $0.sentContext }) ?? [:]
    }

    /// The context that the counterpart set last.
    public var receivedApplicationContext: [String: Any] {
        WatchContent.dictionary(in: state.withLock { $0.receivedContext }) ?? [:]
    }

    /// Replaces the context for the counterpart; it gets the newest one.
    /// - Parameter applicationContext: At most 262,144 bytes as a binary property list.
    /// - Throws: ``WCError``.
    public func updateApplicationContext(_ applicationContext: [String: Any]) throws {
        if let problem = problem() { throw WCError(problem) }
        do {
            let body = try PropertyList.encode(applicationContext, limit: WatchContent.contextLimit)
            if let code = backend?.updateContext(body) { throw WCError.reported(code) }
            state.withLock { $0.sentContext = body }
        } catch let error as ContentError {
            throw WCError(error.code)
        }
    }
}

/// The app's delegate, held weakly.
struct DelegateReference: @unchecked Sendable {
    // Sendable is safe: threads only pass the reference on; the delegate's methods run on the session's queue alone.
    weak var value: (any WCSessionDelegate)?
}

/// State of a session (watch.md, section 9.1).
public enum WCSessionActivationState: Int, Sendable {
    /// ``WCSession/activate()`` has not succeeded yet.
    case notActivated = 0
    /// The user is switching to another watch.
    case inactive = 1
    /// The session can be used.
    case activated = 2
}

/// Calls of a session to the app. All calls come on one serial queue that is not the main queue.
public protocol WCSessionDelegate: AnyObject {
    /// ``WCSession/activate()`` has ended; nothing else is called before.
    func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?)
    /// Phone: the user is switching to another watch.
    func sessionDidBecomeInactive(_ session: WCSession)
    /// Phone: all data of the previous watch have arrived; activate again for the new one.
    func sessionDidDeactivate(_ session: WCSession)
    /// Phone: paired or installed state changed.
    func sessionWatchStateDidChange(_ session: WCSession)
    /// Watch: ``WCSession/isCompanionAppInstalled`` changed.
    func sessionCompanionAppInstalledDidChange(_ session: WCSession)
    /// ``WCSession/isReachable`` changed.
    func sessionReachabilityDidChange(_ session: WCSession)
    /// A dictionary message without reply arrived.
    func session(_ session: WCSession, didReceiveMessage message: [String: Any])
    /// A dictionary message arrived whose sender waits; `replyHandler` must be called, from any thread.
    func session(
        _ session: WCSession, didReceiveMessage message: [String: Any], replyHandler: @escaping ([String: Any]) -> Void)
    /// A data message without reply arrived.
    func session(_ session: WCSession, didReceiveMessageData messageData: Data)
    /// A data message arrived whose sender waits; `replyHandler` must be called, from any thread.
    func session(_ session: WCSession, didReceiveMessageData messageData: Data, replyHandler: @escaping (Data) -> Void)
    /// The counterpart's newest application context arrived.
    func session(_ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any])
    /// A guaranteed transfer of this app arrived, was cancelled or failed.
    func session(_ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer, error: (any Error)?)
    /// A guaranteed transfer of the counterpart arrived.
    func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any])
    /// A file of this app arrived, was cancelled or failed.
    func session(_ session: WCSession, didFinish fileTransfer: WCSessionFileTransfer, error: (any Error)?)
    /// A file of the counterpart arrived; it is deleted when the method returns, unless it was moved.
    func session(_ session: WCSession, didReceive file: WCSessionFile)
}

extension WCSessionDelegate {
    /// Does nothing.
    public func sessionDidBecomeInactive(_ session: WCSession) {}
    /// Does nothing.
    public func sessionDidDeactivate(_ session: WCSession) {}
    /// Does nothing.
    public func sessionWatchStateDidChange(_ session: WCSession) {}
    /// Does nothing.
    public func sessionCompanionAppInstalledDidChange(_ session: WCSession) {}
    /// Does nothing.
    public func sessionReachabilityDidChange(_ session: WCSession) {}
    /// Does nothing.
    public func session(_ session: WCSession, didReceiveMessage message: [String: Any]) {}
    /// Refuses the message: its sender gets 7014.
    public func session(
        _ session: WCSession, didReceiveMessage message: [String: Any], replyHandler: @escaping ([String: Any]) -> Void
    ) { session.noteUnhandled() }
    /// Does nothing.
    public func session(_ session: WCSession, didReceiveMessageData messageData: Data) {}
    /// Refuses the message: its sender gets 7014.
    public func session(
        _ session: WCSession, didReceiveMessageData messageData: Data, replyHandler: @escaping (Data) -> Void
    ) { session.noteUnhandled() }
    /// Does nothing.
    public func session(_ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any]) {}
    /// Does nothing.
    public func session(
        _ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer, error: (any Error)?
    ) {}
    /// Does nothing.
    public func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {}
    /// Does nothing.
    public func session(_ session: WCSession, didFinish fileTransfer: WCSessionFileTransfer, error: (any Error)?) {}
    /// Does nothing.
    public func session(_ session: WCSession, didReceive file: WCSessionFile) {}
}
