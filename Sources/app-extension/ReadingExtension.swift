import LabKit
import LabPeer
import PeerCommands
import PowerAuth2ForExtensions

/// What an extension with the Extensions SDK does: it reads what the app has stored.
///
/// Main queue only.
final class ReadingExtension {
    private let sdk: PowerAuthExtensionSDK

    init(peer: Peer) throws {
        sdk = try PowerAuthExtensionSDK(
            configuration: PowerAuthConfiguration(peer.app.powerAuth, server: peer.serverReady),
            keychainConfiguration: PowerAuthKeychainConfiguration(peer.app.powerAuth))
    }

    func register(on peer: Peer) {
        let sdk = sdk
        peer.handleSync(CanStartActivation.self) { _ in sdk.canStartActivation() }
        peer.handleSync(HasPendingActivation.self) { _ in sdk.hasPendingActivation() }
        peer.handleSync(HasValidActivation.self) { _ in sdk.hasValidActivation() }
        peer.handleSync(ActivationIdentifier.self) { _ in sdk.activationIdentifier }
        TokenHandlers.register(on: peer) { sdk.tokenStore }
    }
}
