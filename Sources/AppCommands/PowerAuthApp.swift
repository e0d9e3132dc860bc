import Foundation
import LabKit
public import LabPeer
import PeerCommands
import PowerAuth2

/// What a peer with the full SDK does: builds its SDK object from the topology and answers the app's commands.
///
/// Main queue only, as an app's own code would use the SDK.
public final class PowerAuthApp {
    /// The SDK object, or why the SDK refused the configuration. A refused app goes on running, as one would whose
    /// author checks the failable initialiser; each SDK command then fails with the cause.
    private var sdk: Result<PowerAuthSDK, InvalidConfiguration>
    private let make: () throws(InvalidConfiguration) -> PowerAuthSDK

    /// Creates the SDK object of the peer's app.
    ///
    /// - Throws: when the server that the topology asks for is not ready.
    public init(peer: Peer) throws {
        let configuration = try PowerAuthConfiguration(peer.app.powerAuth, server: peer.serverReady)
        let keychain = PowerAuthKeychainConfiguration(peer.app.powerAuth)
        let client = PowerAuthClientConfiguration(peer.app.powerAuth)
        make = { () throws(InvalidConfiguration) in
            try PowerAuthSDK(checking: configuration, keychain: keychain, client: client)
        }
        sdk = Result(catching: make)
    }

    /// The SDK object. One that the device was in the way of is made now, as an app does it when protected data have become
    /// available.
    private func currentSDK() throws(InvalidConfiguration) -> PowerAuthSDK {
        if case .failure(let cause) = sdk, cause.mayPass { sdk = Result(catching: make) }
        return try sdk.get()
    }

    /// Registers every command that an app with the full SDK understands.
    public func register(on peer: Peer) {
        let sdk = { [self] in try currentSDK() }
        ActivationHandlers.register(on: peer, sdk: sdk)
        LegacyActivationHandlers.register(on: peer, sdk: sdk)
        BiometryHandlers.register(on: peer, sdk: sdk)
        SignatureHandlers.register(on: peer, sdk: sdk)
        VaultHandlers.register(on: peer, sdk: sdk)
        NotificationHandlers.register(on: peer)
        ServiceHandlers.register(on: peer, sdk: sdk)
        SharedStateHandlers.register(on: peer, sdk: sdk)
        WatchSupportHandlers.register(on: peer, sdk: sdk)
        TokenHandlers.register(on: peer) { try sdk().tokenStore }
        let app = MobileTokenApp(peer: peer, sdk: sdk)
        NetworkingHandlers.register(on: peer, app: app)
        OperationHandlers.register(on: peer, app: app)
        OfflineOperationHandlers.register(on: peer, app: app, sdk: sdk)
        PushHandlers.register(on: peer, app: app)
        InboxHandlers.register(on: peer, app: app)
    }
}
