// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
public import LabPeer
import LabVocabulary
import ManualWatchSession
public import PowerAuth2ForWatch

/// What the watch app does: it keeps what the phone has sent and asks for what it lacks.
///
/// Main queue only.
public final class WatchApp {
    /// The SDK object that commands are for.
    public let sdk: PowerAuthWatchSDK
    private let configuration: PowerAuthConfiguration

    /// Creates the SDK object of the peer's watch app.
    ///
    /// - Throws: when the server that the topology asks for is not ready.
    public init(peer: Peer) throws {
        configuration = try PowerAuthConfiguration(peer.app.powerAuth, server: peer.serverReady)
        sdk = PowerAuthWatchSDK(configuration: configuration)
    }

    /// Registers every command that a watch app understands.
    public func register(on peer: Peer) {
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
        BackgroundTaskHandlers.register(on: peer)
        peer.handleSync(UseManualSession.self) { _ in ManualSession.activate() }
        OwnRequests.register(on: peer, configuration: configuration) { sdk.tokenStore }
    }
}

extension UpdateActivationStatus.Result {
    /// The phone has answered with its activation, or nil without one.
    fileprivate static func answered(_ activationId: String?) -> Self {
        Self {
            $0.accepted = true
            $0.activationIdentifier = activationId
        }
    }
}
