// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2ForWatch
import WatchConnectivity
import os

/// The watch app: what the phone sends, and a token for the bank.
public final class WatchSession: NSObject, WCSessionDelegate {
    private let powerAuth: PowerAuthWatchSDK
    private let log = Logger(subsystem: "com.example.mobilebank.watch", category: "session")
    /// The number of operations that wait, as the phone has sent it last.
    public private(set) var waitingOperations = 0
    public var onChange: (() -> Void)?

    public init(configuration: PowerAuthConfiguration) {
        powerAuth = PowerAuthWatchSDK(configuration: configuration)
        super.init()
    }

    public func start() {
        guard WCSession.isSupported() else { return }
        WCSession.default.delegate = self
        WCSession.default.activate()
    }

    /// Asks the phone whether it is activated, and for the token when the watch has none.
    public func refresh(completion: @escaping (PowerAuthToken?) -> Void) {
        powerAuth.updateActivationStatus { [powerAuth, log] identifier, error in
            guard identifier != nil else {
                if let error = error { log.error("No status: \(error.localizedDescription, privacy: .public)") }
                return completion(nil)
            }
            if let token = powerAuth.tokenStore.localToken(withName: "operations") { return completion(token) }
            powerAuth.tokenStore.requestAccessToken(withName: "operations") { token, _ in completion(token) }
        }
    }

    // MARK: - WCSessionDelegate

    public func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: Error?
    ) {
        if activationState == .activated { powerAuth.updateActivationStatus() }
    }

    public func session(_ session: WCSession, didReceiveMessageData messageData: Data) {
        if PowerAuthWCSessionManager.sharedInstance.processReceivedMessageData(messageData, replyHandler: nil) {
            return
        }
        log.debug("\(messageData.count) bytes that are not PowerAuth's")
    }

    public func session(
        _ session: WCSession, didReceiveMessageData messageData: Data, replyHandler: @escaping (Data) -> Void
    ) {
        let manager = PowerAuthWCSessionManager.sharedInstance
        if !manager.processReceivedMessageData(messageData, replyHandler: replyHandler) { replyHandler(Data()) }
    }

    public func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any] = [:]) {
        if PowerAuthWCSessionManager.sharedInstance.processReceivedUserInfo(userInfo) { return }
        log.debug("A transfer with \(userInfo.keys.sorted().joined(separator: ", "), privacy: .public)")
    }

    public func session(_ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any]) {
        waitingOperations = applicationContext["waiting"] as? Int ?? 0
        DispatchQueue.main.async { [weak self] in self?.onChange?() }
    }
}
