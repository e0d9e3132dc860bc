import LabKit
public import LabPeer
public import PowerAuth2ForExtensions

/// What an extension with the Extensions SDK does: it reads what the app has stored.
///
/// Main queue only.
public final class ReadingExtension {
    private let objects: SDKObjects<PowerAuthExtensionSDK>
    private let configuration: PowerAuthConfiguration

    /// Creates the SDK object of the peer's extension.
    ///
    /// - Throws: when the server that the topology asks for is not ready.
    public init(peer: Peer) throws {
        configuration = try PowerAuthConfiguration(peer.app.powerAuth, server: peer.serverReady)
        objects = try SDKObjects(peer: peer) { spec in
            let sdk = try PowerAuthExtensionSDK(
                checking: PowerAuthConfiguration(spec, server: peer.serverReady),
                keychain: PowerAuthKeychainConfiguration(spec))
            sdk.removesLocalTokens = spec.removesLocalTokens
            sdk.usesApplicationHeaderVersion = spec.usesApplicationHeaderVersion
            return sdk
        }
    }

    /// The SDK object that commands are for.
    ///
    /// - Throws: the cause when its configuration was refused.
    public func sdk() throws -> PowerAuthExtensionSDK { try objects.used() }

    /// Registers every command that an extension with the Extensions SDK understands.
    public func register(on peer: Peer) {
        let sdk = { [objects] in try objects.used() }
        objects.register(on: peer) { $0.configuration }
        peer.handleSync(CanStartActivation.self) { _ in try sdk().canStartActivation() }
        peer.handleSync(HasPendingActivation.self) { _ in try sdk().hasPendingActivation() }
        peer.handleSync(HasValidActivation.self) { _ in try sdk().hasValidActivation() }
        peer.handleSync(ActivationIdentifier.self) { _ in try sdk().activationIdentifier }
        TokenHandlers.register(on: peer, requests: RunningRequests(peer: peer)) { try sdk().tokenStore }
        OwnRequests.register(on: peer, configuration: configuration) { try sdk().tokenStore }
    }
}
