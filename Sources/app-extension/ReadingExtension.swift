import LabKit
import LabPeer
import PeerCommands
import PowerAuth2ForExtensions

/// What an extension with the Extensions SDK does: it reads what the app has stored.
///
/// Main queue only.
final class ReadingExtension {
    private let configuration: PowerAuthConfiguration
    private let keychain: PowerAuthKeychainConfiguration
    private var made: PowerAuthExtensionSDK?

    init(peer: Peer) throws {
        configuration = try PowerAuthConfiguration(peer.app.powerAuth, server: peer.serverReady)
        keychain = PowerAuthKeychainConfiguration(peer.app.powerAuth)
        // A refusal is told to whoever sends a command; the process goes on, as an extension that shows an empty view.
        made = try? PowerAuthExtensionSDK(checking: configuration, keychain: keychain)
    }

    /// The SDK object. One that was refused is made again: the device may have been unlocked, or the app that disagreed
    /// be gone.
    private func sdk() throws -> PowerAuthExtensionSDK {
        if let made { return made }
        let sdk = try PowerAuthExtensionSDK(checking: configuration, keychain: keychain)
        made = sdk
        return sdk
    }

    func register(on peer: Peer) {
        peer.handleSync(CanStartActivation.self) { [self] _ in try sdk().canStartActivation() }
        peer.handleSync(HasPendingActivation.self) { [self] _ in try sdk().hasPendingActivation() }
        peer.handleSync(HasValidActivation.self) { [self] _ in try sdk().hasValidActivation() }
        peer.handleSync(ActivationIdentifier.self) { [self] _ in try sdk().activationIdentifier }
        TokenHandlers.register(on: peer) { [self] in try sdk().tokenStore }
        OwnRequests.register(on: peer, configuration: configuration) { [self] in try sdk().tokenStore }
    }
}
