import Foundation
import LabKit
import LabPeer
import PowerAuth2

/// The commands that give an app an activation of the protocol V2, as after an update of an app that has not run for years.
///
/// They write the stored state as the older SDK would have; everything afterwards is the SDK's own.
enum LegacyActivationHandlers {
    static func register(on peer: Peer, sdk: @escaping () throws -> PowerAuthSDK) {
        // Between the two commands; on the main queue only, like every handler.
        var started: LegacyActivation?
        peer.handleSync(StartLegacyActivation.self) { _ in
            let sdk = try sdk()
            guard sdk.canStartActivation(),
                let setup = PowerAuthCoreSessionSetup(configuration: sdk.configuration.configuration),
                let activation = LegacyActivation(setup: setup)
            else { throw NSError.powerAuth(.invalidActivationState) }
            started = activation
            return .init { $0.devicePublicKey = activation.devicePublicKey }
        }
        peer.handleSync(CompleteLegacyActivation.self) { arguments in
            let sdk = try sdk()
            let keys = try sdk.factorKeys.possessionKeys()
            keys.userPassword = PowerAuthCorePassword(string: arguments.password.revealed)
            let activation = started
            started = nil
            guard
                let state = activation?.state(
                    activationId: arguments.activationId, serverPublicKey: arguments.serverPublicKey, keys: keys)
            else { throw NSError.powerAuth(.invalidActivationState) }
            // Another app may have made one since.
            let isStored = sdk.sessionProvider.writeBoolTask { $0.canStartActivation && $0.deserializeState(state) }
            guard isStored else { throw NSError.powerAuth(.invalidActivationState) }
        }
    }
}
