import Foundation
import LabKit
import LabPeer
import PeerCommands
import PowerAuth2ForWatch

/// What the watch app does: it keeps what the phone has sent and asks for what it lacks.
///
/// Main queue only.
final class WatchApp {
    private let sdk: PowerAuthWatchSDK
    private let configuration: PowerAuthConfiguration

    init(peer: Peer) throws {
        configuration = try PowerAuthConfiguration(peer.app.powerAuth, server: peer.serverReady)
        sdk = PowerAuthWatchSDK(configuration: configuration)
    }

    func register(on peer: Peer) {
        let sdk = sdk
        peer.handleSync(CanStartActivation.self) { _ in sdk.canStartActivation() }
        peer.handleSync(HasPendingActivation.self) { _ in sdk.hasPendingActivation() }
        peer.handleSync(HasValidActivation.self) { _ in sdk.hasValidActivation() }
        peer.handleSync(ActivationIdentifier.self) { _ in sdk.activationIdentifier }
        peer.handle(UpdateActivationStatus.self) { arguments, reply in
            switch arguments.delivery {
            case .guaranteed:
                reply(.success(.init { $0.accepted = sdk.updateActivationStatus() }))
            case .immediate:
                sdk.updateActivationStatus { activationId, error in
                    reply(Outcome.of(.answered(activationId), error))
                }
            }
        }
        TokenHandlers.register(on: peer, requests: RunningRequests(peer: peer), asksWithoutPassword: true) {
            sdk.tokenStore
        }
        OwnRequests.register(on: peer, configuration: configuration) { sdk.tokenStore }
    }
}

extension UpdateActivationStatus.Result {
    /// The phone has answered with its activation, or that there is none.
    fileprivate static func answered(_ activationId: String?) -> Self {
        Self {
            $0.accepted = true
            $0.activationIdentifier = activationId
        }
    }
}
