import Foundation
import LabKit
public import LabPeer
import ManualPhoneSession
public import PowerAuth2

/// What a peer with the full SDK does: builds its SDK objects from the topology and answers the app's commands.
///
/// Main queue only, as an app's own code would use the SDK.
public final class PowerAuthApp {
    private let objects: SDKObjects<PowerAuthSDK>

    /// Creates the SDK object of the peer's app.
    ///
    /// - Throws: when the server that the topology asks for is not ready.
    public init(peer: Peer) throws {
        objects = try SDKObjects(peer: peer) { spec in
            let sdk = try PowerAuthSDK(
                checking: PowerAuthConfiguration(spec, server: peer.serverReady),
                keychain: PowerAuthKeychainConfiguration(spec), client: PowerAuthClientConfiguration(spec))
            if spec.sharesTimeWithWatch { sdk.watchSynchronization.insert(.time) }
            if spec.refreshesTokensOnWatch { sdk.watchSynchronization.insert(.tokens) }
            return sdk
        }
    }

    /// The SDK object that commands are for.
    ///
    /// - Throws: the cause when its configuration was refused.
    public func sdk() throws -> PowerAuthSDK { try objects.used() }

    /// Registers every command that an app with the full SDK understands.
    public func register(on peer: Peer) {
        let sdk = { [objects] in try objects.used() }
        let requests = RunningRequests(peer: peer)
        objects.register(on: peer) { $0.configuration }
        ActivationHandlers.register(on: peer, requests: requests, sdk: sdk)
        LegacyActivationHandlers.register(on: peer, sdk: sdk)
        BiometryHandlers.register(on: peer, requests: requests, sdk: sdk)
        SignatureHandlers.register(on: peer, requests: requests, sdk: sdk)
        SerialQueueHandlers.register(on: peer, requests: requests, sdk: sdk)
        VaultHandlers.register(on: peer, requests: requests, sdk: sdk)
        NotificationHandlers.register(on: peer)
        ServiceHandlers.register(on: peer, requests: requests, sdk: sdk)
        SharedStateHandlers.register(on: peer, sdk: sdk)
        WatchSupportHandlers.register(on: peer, sdk: sdk)
        peer.handleSync(UseManualSession.self) { _ in ManualSession.activate() }
        TokenHandlers.register(on: peer, requests: requests) { try sdk().tokenStore }
        let app = MobileTokenApp(peer: peer, sdk: sdk)
        objects.willReplace = { app.forgetServices(ofInstance: $0) }
        NetworkingHandlers.register(on: peer, app: app)
        OperationHandlers.register(on: peer, app: app)
        OfflineOperationHandlers.register(on: peer, app: app, sdk: sdk)
        PushHandlers.register(on: peer, app: app)
        InboxHandlers.register(on: peer, app: app)
    }
}
