import Foundation
import LabKit
import LabPeer
import PowerAuthShared
import WatchConnectivity

/// An app's use of WatchConnectivity: it owns the session's delegate, hands PowerAuth messages to the SDK as the
/// manuals say, and keeps its own messages for scenarios to look at.
///
/// Any thread: the delegate's callbacks arrive on the session's queue, the command handlers on the main queue; the
/// lists are guarded by a lock.
final class WatchMessages: NSObject, WCSessionDelegate, @unchecked Sendable {
    // Safe to share: `lock` guards the lists, and nothing else is mutable.
    private let lock = NSLock()
    private var messages: [[String: JSONValue]] = []
    private var userInfos: [[String: JSONValue]] = []
    private var finished: [FinishedUserInfoTransfers.Transfer] = []

    func register(on peer: Peer, session: WCSession, reportsPairing: Bool) {
        peer.handleSync(WatchSessionState.self) { _ in
            WatchSessionState.Result {
                $0.activationState = WatchSessionState.State(session.activationState)
                $0.isReachable = session.isReachable
                $0.isPaired = reportsPairing ? session.isPaired : nil
                $0.isWatchAppInstalled = reportsPairing ? session.isWatchAppInstalled : nil
                $0.phoneNeedsUnlock =
                    reportsPairing ? nil : session.iOSDeviceNeedsUnlockAfterRebootForReachability
            }
        }
        peer.handle(SendMessage.self) { arguments, reply in
            session.sendMessage(
                arguments.message.propertyList,
                replyHandler: arguments.reply ? { reply(.success([String: JSONValue](propertyList: $0))) } : nil,
                errorHandler: { reply(.failure($0)) })
            // Without a reply handler only a failure is ever told; the message is on its way.
            if !arguments.reply { reply(.success(nil)) }
        }
        peer.handleSync(TransferUserInfo.self) { arguments in
            _ = session.transferUserInfo(arguments.userInfo.propertyList)
        }
        peer.handleSync(OutstandingUserInfoTransfers.self) { _ in session.outstandingUserInfoTransfers.count }
        peer.handleSync(FinishedUserInfoTransfers.self) { [self] _ in lock.withLock { finished } }
        peer.handleSync(ReceivedMessages.self) { [self] _ in lock.withLock { messages } }
        peer.handleSync(ReceivedUserInfo.self) { [self] _ in lock.withLock { userInfos } }
    }

    // MARK: WCSessionDelegate

    func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?
    ) {}

    func sessionDidBecomeInactive(_ session: WCSession) {}

    func sessionDidDeactivate(_ session: WCSession) {
        session.activate()
    }

    func session(_ session: WCSession, didReceiveMessageData messageData: Data) {
        _ = PowerAuthWCSessionManager.sharedInstance.processReceivedMessageData(messageData, replyHandler: nil)
    }

    func session(
        _ session: WCSession, didReceiveMessageData messageData: Data, replyHandler: @escaping (Data) -> Void
    ) {
        if !PowerAuthWCSessionManager.sharedInstance.processReceivedMessageData(
            messageData, replyHandler: replyHandler)
        {
            replyHandler(Data())
        }
    }

    func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {
        if PowerAuthWCSessionManager.sharedInstance.processReceivedUserInfo(userInfo) { return }
        lock.withLock { userInfos.append([String: JSONValue](propertyList: userInfo)) }
    }

    func session(
        _ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer, error: (any Error)?
    ) {
        // What the SDK sends is no message of the app's own.
        guard userInfoTransfer.userInfo[WatchPacket.userInfoKey] == nil else { return }
        let transfer = FinishedUserInfoTransfers.Transfer {
            $0.userInfo = [String: JSONValue](propertyList: userInfoTransfer.userInfo)
            $0.code = error.map { ($0 as NSError).code }
        }
        lock.withLock { finished.append(transfer) }
    }

    func session(_ session: WCSession, didReceiveMessage message: [String: Any]) {
        lock.withLock { messages.append([String: JSONValue](propertyList: message)) }
    }

    func session(
        _ session: WCSession, didReceiveMessage message: [String: Any], replyHandler: @escaping ([String: Any]) -> Void
    ) {
        self.session(session, didReceiveMessage: message)
        replyHandler(message)
    }
}

extension WatchSessionState.State {
    fileprivate init(_ state: WCSessionActivationState) {
        self =
            switch state {
            case .notActivated: .notActivated
            case .inactive: .inactive
            case .activated: .activated
            }
    }
}
