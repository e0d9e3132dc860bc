// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
public import PowerAuthShared
import Synchronization

/// The upgrade of an activation to protocol 4 (protocol-4.md, section 14). It is never done unasked.
extension PowerAuthSDK {
    /// Upgrades an activation of protocol 3.3 that the server offers protocol 4, see
    /// ``PowerAuthActivationStatus/isProtocolUpgradeAvailable``.
    ///
    /// Two requests are made: the start brings the keys of protocol 4, and the confirmation makes them those of the
    /// activation. In between everything works with protocol 3, also after a restart; a further call finds out how far the
    /// server is and continues. A lost answer is repeated by itself, a few times. Tokens of protocol 3 end with the upgrade.
    /// - Parameters:
    ///   - authentication: possession and knowledge; a wrong password counts as a failed attempt.
    ///   - biometry: credentials of ``authenticateUsingBiometry(withPrompt:callback:)``, to keep the biometry factor; nil
    ///     ends the factor, and it can be added afterwards.
    ///   - callback: takes nil, also for an activation that was upgraded before, or an error. Before the function returns:
    ///     `missingActivation` without an activation, `wrongParameter` without a password or for credentials without a
    ///     biometry key, `invalidActivationState` where the configuration's algorithm is that of protocol 3. Later:
    ///     `networkError`, `signatureError`, `wrongParameter` for credentials of a factor that the activation does not
    ///     have, `invalidActivationState` also when the password was changed while the server answered,
    ///     `pendingProtocolUpgrade` for one of protocol 2, `encryption`, `timeSynchronization`, or one of the transport.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func startProtocolUpgrade(
        with authentication: PowerAuthAuthentication, biometry: PowerAuthAuthentication? = nil,
        callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        do throws(NSError) {
            try requireActivation()
            guard makesVersion4 else {
                throw .powerAuth(.invalidActivationState, "The algorithm of the configuration is that of protocol 3.")
            }
            guard let password = authentication.password, biometry.map({ $0.overridenBiometryKey != nil }) ?? true
            else {
                throw .powerAuth(.wrongParameter)
            }
            let task = OperationTask<Void>({ [weak self] (error: (any Error)?) in
                // What it says about an upgrade is over.
                if error == nil { self?.statusCache.withLock { $0 = StatusCache() } }
                callback(error)
            })
            let upgrade = ProtocolUpgradeV4(
                base: base, task: task, password: password, possessionKey: authentication.overridenPossessionKey,
                biometryKey: biometry?.overridenBiometryKey)
            upgrade.begin()
            return task
        } catch {
            callback(error)
            return nil
        }
    }
}
