// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Signatures by the key pairs of an activation; they move no counter (server.md, sections 8.5 and 8.6; protocol-4.md,
/// section 13).
struct DeviceKeySignatureService: Sendable {
    let context: ServiceContext

    /// Whether the device's private key signed the data. False for an unknown activation or one without a device. In
    /// protocol 4 the size decides whether it is a signature of ML-DSA or of the curve.
    /// - Throws: `invalidKeyFormat` when the stored key does not decode.
    func verify(activationId: Identifier, data: Data, signature: Data, format: ECDSAFormat) throws -> Bool {
        let activation = try context.read { try ActivationStore.find($0, id: activationId) }
        guard let activation, let binding = activation.lifecycle.binding else { return false }
        if binding.version == 4, let record = activation.version4 {
            guard let keys = try? SuitePublicKeys(record.deviceKeys, suite: record.suite) else {
                throw ServiceError(.invalidKeyFormat, "stored device keys of activation \(activationId)")
            }
            if signature.count == record.suiteName.lattice?.signature.outputSize {
                return keys.verifyLattice(signature: signature, of: data)
            }
            return keys.ec.verify(signature: signature, of: data, format: format)
        }
        guard let key = try? PublicKey(encoded: binding.devicePublicKey) else {
            throw ServiceError(.invalidKeyFormat, "stored device key of activation \(activationId)")
        }
        return key.verify(signature: signature, of: data, format: format)
    }

    /// Signs with the activation's server key, in protocol 4 with that of the curve.
    /// - Returns: a DER signature.
    func sign(activationId: Identifier, data: Data) throws -> Data {
        let activation = try context.read { try ActivationStore.required($0, id: activationId) }
        guard activation.status == .active else { throw activation.stateRefusal }
        if activation.lifecycle.binding?.version == 4, let record = activation.version4 {
            return try context.seal.serverKeys(of: activation, record).ec.sign(data)
        }
        let key = try context.seal.serverPrivateKey(of: activation)
        do {
            return try PrivateKey(bigEndian: key).sign(data)
        } catch {
            throw ServiceError(.invalidKeyFormat, "stored server key of activation \(activationId): \(error)")
        }
    }
}
