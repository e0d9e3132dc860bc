import Foundation
package import SimulatedDevice

/// The phone's side of the watch link for one SDK object (watch.md, section 5).
///
/// The SDK object keeps it alive; the session manager knows it weakly. Thread rule: any thread.
package final class PhoneWatchService: WatchPacketHandler {
    private let instanceId: String
    private let session: any SessionInterface
    private let tokenStore: KeychainTokenStore

    /// - Parameters:
    ///   - instanceId: the address of the object's packets.
    ///   - session: the object's session.
    ///   - tokenStore: the object's tokens.
    package init(instanceId: String, session: any SessionInterface, tokenStore: KeychainTokenStore) {
        self.instanceId = instanceId
        self.session = session
        self.tokenStore = tokenStore
    }

    /// Registers with the manager of the process. Objects in a sandbox of their own, as tests make them, have no watch
    /// session.
    package func register(in sandbox: Sandbox) {
        guard sandbox === Sandbox.currentIfEntered else { return }
        PowerAuthWCSessionManager.sharedInstance.register(self)
    }

    package func accepts(target: String) -> Bool {
        target == WatchTarget.session(instanceId) || target == WatchTarget.token(instanceId)
    }

    package func respond(to packet: WatchPacket, expectsReply: Bool) -> WatchResponse {
        if packet.target == WatchTarget.session(instanceId) {
            guard let payload = packet.payload(WatchStatusPayload.self) else {
                return WatchResponse(.phoneInvalidData(target: packet.target))
            }
            return status(payload, target: packet.target)
        }
        guard let payload = packet.payload(WatchTokenPayload.self) else {
            return WatchResponse(.phoneInvalidData(target: packet.target))
        }
        return token(payload, target: packet.target)
    }

    /// What the watch should believe about the activation; an error when the phone itself does not know, as before its
    /// first unlock. The original then tells that there is none, and the watch removes what it has.
    ///
    /// A pending activation is none: the original sends its identifier too, so that the watch offers what the
    /// phone refuses (watch.md, section 13, item 2).
    package func statusPacket() -> TaskResult<WatchPacket> {
        do {
            let activationId = try session.read { $0.hasValidActivation ? $0.activationIdentifier : nil }
            return .success(
                WatchPacket(
                    target: WatchTarget.session(instanceId),
                    payload: WatchStatusPayload(.put, activationId: activationId)))
        } catch {
            return .failure(error as NSError)
        }
    }

    private func status(_ payload: WatchStatusPayload, target: String) -> WatchResponse {
        guard payload.command == .get else {
            return WatchResponse(.phoneUnsupportedCommand(payload.command.rawValue, target: target))
        }
        return switch statusPacket() {
        case .success(let packet): WatchResponse(messageOfItsOwn: packet)
        case .failure(let error): WatchResponse(error)
        }
    }

    private func token(_ payload: WatchTokenPayload, target: String) -> WatchResponse {
        guard payload.command == .get else {
            return WatchResponse(.phoneUnsupportedCommand(payload.command.rawValue, target: target))
        }
        do {
            guard try session.read({ $0.hasValidActivation }) else {
                return WatchResponse(.cannotGetTokenWithoutActivation)
            }
        } catch {
            return WatchResponse(error as NSError)
        }
        guard let token = tokenStore.localToken(withName: payload.tokenName) else {
            return WatchResponse(WatchTokenPayload(.put, tokenName: payload.tokenName, isNotFound: true))
        }
        return WatchResponse(
            WatchTokenPayload(.put, tokenName: payload.tokenName, tokenData: token.serializedRecord))
    }
}
