package import Foundation
import PowerAuthProtocol

/// An activation as an SDK of the protocol V2 left it behind, for showing its upgrade (protocol.md, section 15).
///
/// Servers no longer issue such activations, so it is made with the current key exchange and gets the numeric
/// counter afterwards; the server's half is set by its own means. Thread rule: one thread at a time.
package final class LegacyActivation {
    /// Base64 of the device's public key, 33 bytes.
    package let devicePublicKey: String
    private let session: PowerAuthCoreSession
    /// The session keeps no reference of its own. It makes no encryptor, so the time is never read.
    private let timeService: SynchronizedTime

    /// Makes the keys of the device.
    /// - Parameter setup: Constants of the application.
    /// - Returns: `nil` if the setup is unusable.
    package init?(setup: PowerAuthCoreSessionSetup) {
        let timeService = SynchronizedTime { 0 }
        guard let session = PowerAuthCoreSession(sessionSetup: setup, timeService: timeService),
            let started = session.startActivation(PowerAuthCoreActivationStep1Param())
        else { return nil }
        self.session = session
        self.timeService = timeService
        devicePublicKey = started.devicePublicKey
    }

    /// Completes the activation, once.
    /// - Parameters:
    ///   - activationId: Identifier of the activation on the server.
    ///   - serverPublicKey: Base64 of the server's public key.
    ///   - keys: Possession unlock key and password.
    /// - Returns: What ``PowerAuthCoreSession/deserializeState(_:)`` takes; `nil` if a parameter is unusable.
    package func state(
        activationId: String, serverPublicKey: String, keys: PowerAuthCoreSignatureUnlockKeys
    ) -> Data? {
        let answer = PowerAuthCoreActivationStep2Param(
            activationId: activationId, serverPublicKey: serverPublicKey,
            ctrData: StrictBase64.encode(Random.bytes(16)))
        guard session.validateActivationResponse(answer) != nil, session.completeActivation(keys),
            var record = try? SessionStateCoding.decode(session.serializedState())
        else { return nil }
        record.counter = .numeric(0)
        return SessionStateCoding.encode(record)
    }
}
