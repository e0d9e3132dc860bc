// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// The details of an activation, and their encrypted form for the device (server.md, sections 7.7 and 20.7).
///
/// Thread rule: worker threads only, but for ``cachedDetail(activationId:challenge:)``; all other methods block.
struct StatusService: Sendable {
    let context: ServiceContext

    struct Detail: Sendable {
        /// Nil for an unknown identifier.
        let activation: Activation?
        /// 32 bytes for the device: the encrypted blob, or random bytes without keys.
        let encryptedBlob: Data
        /// 16 bytes, present exactly when a challenge was given.
        let blobNonce: Data?
        /// The signed code of an activation that waits for its device.
        let code: (text: String, signature: Data)?
        /// Eight digits that the device also shows.
        let fingerprint: String?
    }

    /// Reports the status of an activation; removes it first when it is expired.
    /// - Parameters:
    ///   - activationId: an unknown identifier is not an error.
    ///   - challenge: Base64 of 16 bytes, or nil from devices of protocol 3.0.
    /// - Throws: `invalidRequest` without identifier, `genericCryptographyError` for a challenge of another size.
    func detail(activationId: Identifier?, challenge: String?) throws -> Detail {
        let id = try ActivationService.required(activationId)
        let exchange = try challenge.map(Self.exchange)
        guard let snapshot = try context.activation(id) else {
            return Detail(
                activation: nil, encryptedBlob: Random.bytes(StatusBlob.size), blobNonce: exchange?.nonce, code: nil,
                fingerprint: nil)
        }
        let activation = try removingIfExpired(snapshot)
        return try detail(activation, exchange, code: try code(of: activation))
    }

    /// Reports the status of an activation without blocking.
    /// - Returns: nil where more is needed than is cached.
    /// - Throws: as ``detail(activationId:challenge:)``.
    func cachedDetail(activationId: Identifier?, challenge: String?) throws -> Detail? {
        // One that can expire may have to be removed, and one that waits for its device has a code to be signed.
        guard let activation = context.database.cache.activation(try ActivationService.required(activationId)),
            activation.lifecycle.expires == nil
        else { return nil }
        return try detail(activation, challenge.map(Self.exchange), code: nil)
    }

    private func detail(
        _ activation: Activation, _ exchange: StatusBlob.Exchange?, code: (text: String, signature: Data)?
    ) throws -> Detail {
        // What waits for its device shows nothing of the one that it has had.
        let binding = activation.status == .created ? nil : activation.lifecycle.binding
        if let binding, binding.version == 4, let record = activation.version4 {
            return Detail(
                activation: activation, encryptedBlob: Random.bytes(StatusBlob.size), blobNonce: exchange?.nonce,
                code: code, fingerprint: try StatusServiceV4.fingerprint(of: activation, record))
        }
        let keys = try binding.map { try context.keys.keys(of: activation, binding: $0) }
        return Detail(
            activation: activation, encryptedBlob: try blob(of: activation, keys, exchange: exchange),
            blobNonce: exchange?.nonce, code: code, fingerprint: keys?.fingerprint)
    }

    private static func exchange(challenge text: String) throws -> StatusBlob.Exchange {
        guard let challenge = StrictBase64.decode(text), challenge.count == 16 else {
            throw ServiceError(.genericCryptographyError, "challenge must be Base64 of 16 bytes")
        }
        return try StatusBlob.Exchange(challenge: challenge, nonce: Random.nonZeroBytes(16))
    }

    /// The activation as it is now: removed if its time to be finished is over.
    func removingIfExpired(_ snapshot: Activation) throws -> Activation {
        guard let expires = snapshot.lifecycle.expires, context.clock.now() > expires else { return snapshot }
        return try context.change { change in
            var activation = try change.activation(snapshot.id)
            _ = try change.removeIfExpired(&activation)
            return activation
        }
    }

    private func blob(
        of activation: Activation, _ keys: ActivationKeys?, exchange: StatusBlob.Exchange?
    ) throws -> Data {
        guard let binding = activation.lifecycle.binding, let transportKey = keys?.derived.transport else {
            return Random.bytes(StatusBlob.size)
        }
        let counter = try StatusBlob.Counter(
            byte: UInt8(truncatingIfNeeded: binding.counter), lookAhead: UInt8(clamping: context.policy.lookAhead),
            dataHash: StatusBlob.counterDataHash(transportKey: transportKey, counter: CounterData(binding.counterData)))
        let blob = StatusBlob(
            state: activation.status, currentVersion: UInt8(clamping: binding.version),
            upgradeVersion: UpgradeServiceV4.isOffered(to: activation, binding, context.policy) ? 4 : 3,
            failedAttempts: UInt8(clamping: activation.failedAttempts),
            maxFailedAttempts: UInt8(clamping: activation.maxFailedAttempts),
            // Devices of protocol 3.0 send no challenge and expect random bytes in place of the counter.
            counter: exchange == nil ? nil : counter)
        return try blob.encrypted(transportKey: transportKey, exchange: exchange)
    }

    private func code(of activation: Activation) throws -> (text: String, signature: Data)? {
        guard case .created = activation.lifecycle else { return nil }
        let pair = try context.read { try ApplicationStore.masterKeyPair($0, row: activation.masterKeyPairRow) }
        guard let pair else {
            throw ServiceError(.noMasterServerKeyPair, "master key pair \(activation.masterKeyPairRow)")
        }
        let code = try ActivationCode(activation.code)
        return (code.text, try ActivationService.codeSignature(code, by: pair))
    }
}
