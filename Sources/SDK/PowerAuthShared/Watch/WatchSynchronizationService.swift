import Foundation

/// The only packet handler of a watch: stores what the phone sends, for every instance identifier, whether an SDK
/// object for it exists or not (watch.md, section 6.1). Thread rule: any thread.
package final class WatchSynchronizationService: WatchPacketHandler {
    private let storage: WatchStorage

    /// - Parameter storage: where the received data go.
    package init(storage: WatchStorage) {
        self.storage = storage
    }

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
        guard payload.command == .put else {
            return WatchResponse(.watchUnsupportedCommand(payload.command.rawValue))
        }
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
        case .get:
            return WatchResponse(.watchUnsupportedCommand(payload.command.rawValue))
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
