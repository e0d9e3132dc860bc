// SPDX-License-Identifier: Apache-2.0

package import Foundation
import WatchConnectivity

/// The only packet handler of a watch: stores what the phone sends, for every instance identifier, whether an SDK
/// object for it exists or not (watch.md, section 6.1). Thread rule: any thread.
package final class WatchSynchronizationService: WatchPacketHandler {
    private let storage: WatchStorage

    /// - Parameter storage: where the received data go.
    package init(storage: WatchStorage) { self.storage = storage }

    /// The service of the process.
    package static let shared = WatchSynchronizationService(storage: .shared)

    package func accepts(target: String) -> Bool {
        WatchTarget.instanceOfSession(target) != nil || WatchTarget.instanceOfToken(target) != nil
    }

    package func respond(to packet: WatchPacket, expectsReply: Bool) -> WatchResponse {
        if let instanceId = WatchTarget.instanceOfSession(packet.target) {
            guard let payload = packet.payload(WatchStatusPayload.self) else {
                return WatchResponse(.watchInvalidStatus(target: packet.target))
            }
            return status(payload, instanceId: instanceId)
        }
        guard let payload = packet.payload(WatchTokenPayload.self) else {
            return WatchResponse(.watchInvalidToken(target: packet.target))
        }
        return token(payload, instanceId: WatchTarget.instanceOfToken(packet.target) ?? "")
    }

    private func status(_ payload: WatchStatusPayload, instanceId: String) -> WatchResponse {
        guard !instanceId.isEmpty else { return WatchResponse(.watchMissingSessionInstance) }
        guard payload.command == .put else { return WatchResponse(.watchUnsupportedCommand(payload.command.rawValue)) }
        storage.takeTime(payload.serverTime, of: instanceId)
        guard storage.update(activationId: payload.activationId, of: instanceId, order: payload.order) else {
            return WatchResponse(.watchStorage)
        }
        return WatchResponse(WatchSuccessPayload())
    }

    private func token(_ payload: WatchTokenPayload, instanceId: String) -> WatchResponse {
        guard !instanceId.isEmpty else { return WatchResponse(.watchMissingTokenInstance) }
        storage.takeTime(payload.serverTime, of: instanceId)
        switch payload.command {
        case .get: return WatchResponse(.watchUnsupportedCommand(payload.command.rawValue))
        case .remove:
            guard storage.removeToken(named: payload.tokenName, of: instanceId, order: payload.order) else {
                return WatchResponse(.watchStorage)
            }
        case .put:
            guard let data = payload.tokenData, TokenRecord(data)?.name == payload.tokenName else {
                return WatchResponse(.watchTokenDeserialization)
            }
            guard storage.storeToken(data, named: payload.tokenName, of: instanceId, order: payload.order) else {
                return WatchResponse(.watchStorage)
            }
        }
        return WatchResponse(WatchSuccessPayload())
    }
}

/// What a phone sends to its watch unasked. The original sends only what the application sends (watch.md, section 5.5),
/// and so does this SDK by default.
public struct PowerAuthWatchSynchronization: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Answers and immediate messages contain the server's time, once the phone knows it. The watch then makes headers
    /// of the newest version, regardless of its own clock (watch.md, section 13, item 20).
    public static let time = PowerAuthWatchSynchronization(rawValue: 1)

    /// A token that the watch has got is sent again when the phone has another one of its name, and removed there when it is
    /// removed here.
    public static let tokens = PowerAuthWatchSynchronization(rawValue: 2)
}

/// Addresses of packets (watch.md, section 3.4).
package enum WatchTarget {
    private static let sessionPrefix = "session:"
    private static let tokenPrefix = "token:"

    /// Status commands of an instance.
    package static func session(_ instanceId: String) -> String { sessionPrefix + instanceId }
    /// Token commands of an instance.
    package static func token(_ instanceId: String) -> String { tokenPrefix + instanceId }

    /// Whose status a target is about; nil for other targets.
    static func instanceOfSession(_ target: String) -> String? { suffix(of: target, after: sessionPrefix) }
    /// Whose tokens a target is about; nil for other targets.
    static func instanceOfToken(_ target: String) -> String? { suffix(of: target, after: tokenPrefix) }

    private static func suffix(of target: String, after prefix: String) -> String? {
        target.hasPrefix(prefix) ? String(target.dropFirst(prefix.count)) : nil
    }
}

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

    func transferUserInfo(_ userInfo: [String: Data]) -> Bool { session.transferUserInfo(userInfo).wasAccepted }
}
