package import Foundation
import WatchConnectivity

/// The transport of the packets: `WCSession`, or another one in a test.
package protocol WatchTransport: AnyObject, Sendable {
    /// True when messages can be queued now (watch.md, section 4.2).
    var isUsable: Bool { get }
    /// True when an immediate message can be sent now.
    var isReachable: Bool { get }
    /// True while own guaranteed transfers wait for their delivery.
    var hasOutstandingTransfers: Bool { get }
    /// Sends an immediate message. With a reply handler exactly one of the handlers is called.
    func sendMessageData(
        _ data: Data, replyHandler: (@Sendable (Data) -> Void)?, errorHandler: @escaping @Sendable (NSError) -> Void)
    /// Queues a guaranteed transfer; false when it was refused.
    func transferUserInfo(_ userInfo: [String: Data]) -> Bool
}

/// The session of the process as a transport.
final class WCSessionTransport: WatchTransport {
    let session: WCSession
    private let isWatch: Bool

    init(session: WCSession, isWatch: Bool) {
        self.session = session
        self.isWatch = isWatch
    }

    var isUsable: Bool {
        guard session.activationState == .activated else { return false }
        return isWatch || (session.isPaired && session.isWatchAppInstalled)
    }

    var isReachable: Bool { session.isReachable }

    var hasOutstandingTransfers: Bool { !session.outstandingUserInfoTransfers.isEmpty }

    func sendMessageData(
        _ data: Data, replyHandler: (@Sendable (Data) -> Void)?, errorHandler: @escaping @Sendable (NSError) -> Void
    ) {
        session.sendMessageData(data, replyHandler: replyHandler) { errorHandler($0 as NSError) }
    }

    func transferUserInfo(_ userInfo: [String: Data]) -> Bool {
        session.transferUserInfo(userInfo).wasAccepted
    }
}
