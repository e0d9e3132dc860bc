// SPDX-License-Identifier: Apache-2.0

import Foundation
import WatchConnectivity

/// Records every call of a session, and answers questions with what it was asked.
final class EchoDelegate: NSObject, WCSessionDelegate, @unchecked Sendable {
    // Sendable is safe: `lock` guards what changes.
    private let lock = NSLock()
    private var entries: [String] = []

    /// What came since the last look.
    func news() -> [String] {
        lock.withLock {
            defer { entries = [] }
            return entries
        }
    }

    private func note(_ entry: String) { lock.withLock { entries.append(entry) } }

    func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?
    ) { note("activated \(activationState.rawValue) \(error.map { ($0 as NSError).code } ?? 0)") }
    func sessionDidBecomeInactive(_ session: WCSession) { note("inactive") }
    func sessionDidDeactivate(_ session: WCSession) { note("deactivated \(session.receivedApplicationContext.count)") }
    func sessionWatchStateDidChange(_ session: WCSession) { note("watch") }
    func sessionCompanionAppInstalledDidChange(_ session: WCSession) { note("companion") }
    func sessionReachabilityDidChange(_ session: WCSession) { note("reachability") }
    func session(_ session: WCSession, didReceiveMessage message: [String: Any]) {
        note("message \(message["n"] ?? "")")
    }
    func session(
        _ session: WCSession, didReceiveMessage message: [String: Any], replyHandler: @escaping ([String: Any]) -> Void
    ) {
        note("question \(message["n"] ?? "")")
        replyHandler(message)
    }
    func session(_ session: WCSession, didReceiveMessageData messageData: Data) { note("data \([UInt8](messageData))") }
    func session(
        _ session: WCSession, didReceiveMessageData messageData: Data, replyHandler: @escaping (Data) -> Void
    ) {
        note("data question \([UInt8](messageData))")
        replyHandler(messageData)
    }
    func session(_ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any]) {
        note("context \(applicationContext["n"] ?? "") \(session.hasContentPending)")
    }
    func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {
        note("info \(userInfo["n"] ?? "")")
    }
}
