public import Foundation

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
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
        error: (any Error)?)
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
        _ session: WCSession, didReceiveMessage message: [String: Any],
        replyHandler: @escaping ([String: Any]) -> Void)
    /// A data message without reply arrived.
    func session(_ session: WCSession, didReceiveMessageData messageData: Data)
    /// A data message arrived whose sender waits; `replyHandler` must be called, from any thread.
    func session(
        _ session: WCSession, didReceiveMessageData messageData: Data, replyHandler: @escaping (Data) -> Void)
    /// The counterpart's newest application context arrived.
    func session(_ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any])
    /// A guaranteed transfer of this app arrived, was cancelled or failed.
    func session(
        _ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer, error: (any Error)?)
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
        _ session: WCSession, didReceiveMessage message: [String: Any],
        replyHandler: @escaping ([String: Any]) -> Void
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
    public func session(
        _ session: WCSession, didFinish fileTransfer: WCSessionFileTransfer, error: (any Error)?
    ) {}
    /// Does nothing.
    public func session(_ session: WCSession, didReceive file: WCSessionFile) {}
}
