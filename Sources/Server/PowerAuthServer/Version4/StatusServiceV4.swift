// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// The authenticated status of an activation of protocol 4, or of one whose upgrade was started (protocol-4.md, section
/// 10).
struct StatusServiceV4: Sendable {
    let context: ServiceContext

    /// Makes the status, 80 bytes.
    /// - Throws: `activationIncorrectState` for an activation without keys of protocol 4; as
    ///   ``RecordSeal/secrets(of:_:)``.
    func status(of activation: Activation) throws -> Data {
        guard let record = activation.version4, let binding = activation.lifecycle.binding else {
            throw activation.stateRefusal
        }
        let secrets = try context.seal.secrets(of: activation, record)
        let keys = secrets.keys.utility
        var flags: AuthenticatedStatus.Flags = []
        if record.isConfirmationPending, activation.status != .pendingCommit { flags.insert(.confirmationPending) }
        if record.upgrade != nil { flags.insert(.upgradeConfirmationPending) }
        if !activation.application.suites.contains(record.suiteName) { flags.insert(.algorithmUnsupported) }
        if secrets.biometry != nil { flags.insert(.biometryEnabled) }
        do {
            let counter = try HashBasedCounter(record.upgrade?.counterData ?? binding.counterData)
            return try AuthenticatedStatus(
                state: activation.status, currentVersion: UInt8(clamping: binding.version), flags: flags,
                counterByte: UInt8(truncatingIfNeeded: record.upgrade?.counter ?? binding.counter),
                failedAttempts: UInt8(clamping: activation.failedAttempts),
                maxFailedAttempts: UInt8(clamping: activation.maxFailedAttempts),
                lookAhead: UInt8(clamping: context.policy.lookAhead),
                counterHash: AuthenticatedStatus.counterHash(counter, key: keys.counterCode)
            ).encoded(key: keys.statusCode)
        } catch {
            throw ServiceError(.genericCryptographyError, "status of activation \(activation.id): \(error)")
        }
    }

    /// Eight digits that the device also shows (protocol-4.md, section 8).
    /// - Throws: `invalidKeyFormat` for stored keys that do not decode.
    static func fingerprint(of activation: Activation, _ record: Version4Record) throws -> String {
        do {
            return Fingerprint.v4(
                device: try SuitePublicKeys(record.deviceKeys, suite: record.suite), activationId: activation.id.text,
                server: try SuitePublicKeys(record.serverKeys, suite: record.suite))
        } catch {
            throw ServiceError(.invalidKeyFormat, "stored keys of activation \(activation.id): \(error)")
        }
    }
}
