// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabHTTP
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
            let configuration = try PowerAuthSDK2.PowerAuthConfiguration(spec, server: peer.serverReady)
            // Not the public initialiser, which wraps the cause of a refusal.
            do throws(InvalidConfiguration) {
                let sdk = try PowerAuthSDK(
                    configuration: configuration, keychainConfiguration: PowerAuthKeychainConfiguration(spec),
                    clientConfiguration: PowerAuthClientConfiguration(spec), sandbox: peer.sandbox,
                    transport: CurlTransport.shared)
                if spec.sharesTimeWithWatch { sdk.watchSynchronization.insert(.time) }
                if spec.refreshesTokensOnWatch { sdk.watchSynchronization.insert(.tokens) }
                return sdk
            } catch {
                error.report(in: peer.sandbox)
                throw error
            }
        }
    }

    /// Registers every command that an app with SDK 2.0 understands.
    public func register(on peer: Peer) {
        let requests = RunningRequests(peer: peer)
        let kept = KeptCredentials()
        FullAppHandlers.register(on: peer, requests: requests, kept: kept, objects: objects)
        Version2Handlers.register(on: peer, requests: requests, kept: kept, sdk: objects.used)
    }
}
