import LabKit
import LabPeer
import PeerCommands
import PowerAuth2ForExtensions

/// What an extension with the Extensions SDK does: it reads what the app has stored.
///
/// Main queue only.
final class ReadingExtension {
    private let sdk: PowerAuthExtensionSDK
    private let configuration: PowerAuthConfiguration

    init(peer: Peer) throws {
        configuration = try PowerAuthConfiguration(peer.app.powerAuth, server: peer.serverReady)
        guard
            let sdk = PowerAuthExtensionSDK(
                configuration: configuration,
                keychainConfiguration: PowerAuthKeychainConfiguration(peer.app.powerAuth))
        else { throw ExtensionRefused(extensionName: peer.app.name) }
        self.sdk = sdk
    }

    func register(on peer: Peer) {
        let sdk = sdk
        peer.handleSync(CanStartActivation.self) { _ in sdk.canStartActivation() }
        peer.handleSync(HasPendingActivation.self) { _ in sdk.hasPendingActivation() }
        peer.handleSync(HasValidActivation.self) { _ in sdk.hasValidActivation() }
        peer.handleSync(ActivationIdentifier.self) { _ in sdk.activationIdentifier }
        TokenHandlers.register(on: peer) { sdk.tokenStore }
        OwnRequests.register(on: peer, configuration: configuration) { sdk.tokenStore }
    }
}

/// The Extensions SDK has refused its configuration, which happens only outside of a device.
struct ExtensionRefused: Error, CustomStringConvertible {
    let extensionName: String

    var description: String {
        "The Extensions SDK of '\(extensionName)' refused its configuration; the trace of the process says why."
    }
}
