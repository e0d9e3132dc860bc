// SPDX-License-Identifier: Apache-2.0

import LabCore
public import LabPeer
import PowerAuthSDK2
import PowerAuthShared

/// What a peer with SDK 2.0 does: builds its SDK objects from the topology and answers the app's commands.
///
/// Main queue only, as an app's own code would use the SDK.
public final class PowerAuthApp2 {
    private let objects: SDKObjects<PowerAuthSDK>

    /// Creates the SDK object of the peer's app.
    /// - Throws: when the server that the topology asks for is not ready.
    public init(peer: Peer) throws {
        objects = try SDKObjects(peer: peer) { spec in
            let sdk = try PowerAuthSDK(
                checking: PowerAuthSDK2.PowerAuthConfiguration(spec, server: peer.serverReady),
                keychain: PowerAuthKeychainConfiguration(spec), client: PowerAuthClientConfiguration(spec))
            if spec.sharesTimeWithWatch { sdk.watchSynchronization.insert(.time) }
            if spec.refreshesTokensOnWatch { sdk.watchSynchronization.insert(.tokens) }
            return sdk
        }
    }

    /// Registers every command that an app with SDK 2.0 understands.
    public func register(on peer: Peer) {
        let requests = RunningRequests(peer: peer)
        let kept = KeptCredentials()
        FullAppHandlers.register(on: peer, requests: requests, kept: kept, objects: objects)
        Version4Handlers.register(on: peer, requests: requests, kept: kept, sdk: objects.used)
    }
}
