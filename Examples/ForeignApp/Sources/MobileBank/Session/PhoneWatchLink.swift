// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import WatchConnectivity

/// The phone's side of the watch app.
public final class PhoneWatchLink: NSObject, WCSessionDelegate {
    public static let shared = PhoneWatchLink()

    private let session: WCSession? = WCSession.isSupported() ? WCSession.default : nil

    public func start() {
        session?.delegate = self
        session?.activate()
    }

    /// Lets the watch show how much waits; only the last number counts, so it is the application context.
    public func show(waiting: Int) throws {
        guard let session = session, session.isPaired, session.isWatchAppInstalled else { return }
        try session.updateApplicationContext(["waiting": waiting])
    }

    public func send(_ powerAuth: PowerAuthSDK, token: PowerAuthToken, completion: @escaping (Error?) -> Void) {
        powerAuth.sendActivationStatusToWatch { error in
            guard error == nil else { return completion(error) }
            token.sendToWatch(completion: completion)
        }
    }

    // MARK: - WCSessionDelegate

    public func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: Error?
    ) {}

    public func sessionDidBecomeInactive(_ session: WCSession) {}

    public func sessionDidDeactivate(_ session: WCSession) { session.activate() }

    public func session(
        _ session: WCSession, didReceiveMessageData messageData: Data, replyHandler: @escaping (Data) -> Void
    ) {
        let manager = PowerAuthWCSessionManager.sharedInstance
        if !manager.processReceivedMessageData(messageData, replyHandler: replyHandler) { replyHandler(Data()) }
    }

    public func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any] = [:]) {
        _ = PowerAuthWCSessionManager.sharedInstance.processReceivedUserInfo(userInfo)
    }
}
