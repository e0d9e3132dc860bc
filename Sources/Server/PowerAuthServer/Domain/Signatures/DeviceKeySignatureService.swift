import Foundation
import PowerAuthProtocol

/// ECDSA signatures by the key pairs of an activation; they move no counter (server.md, sections 8.5 and 8.6).
///
/// Thread rule: worker threads only; all methods block.
struct DeviceKeySignatureService: Sendable {
    let context: ServiceContext

    /// Whether the device's private key signed the data. False for an unknown activation or one without a device.
    /// - Throws: `invalidKeyFormat` when the stored key does not decode.
    func verify(activationId: Identifier, data: Data, signature: Data, format: ECDSAFormat) throws -> Bool {
        let activation = try context.read { try ActivationStore.find($0, id: activationId) }
        guard let binding = activation?.lifecycle.binding else { return false }
        guard let key = try? PublicKey(encoded: binding.devicePublicKey) else {
            throw ServiceError(.invalidKeyFormat, "stored device key of activation \(activationId)")
        }
        return key.verify(signature: signature, of: data, format: format)
    }

    /// Signs with the activation's server key.
    /// - Returns: a DER signature.
    /// - Throws: `activationNotFound`, `activationIncorrectState`, `invalidKeyFormat`.
    func sign(activationId: Identifier, data: Data) throws -> Data {
        guard let activation = try context.read({ try ActivationStore.find($0, id: activationId) }) else {
            throw ServiceError(.activationNotFound, "no activation \(activationId)")
        }
        guard activation.status == .active else {
            throw ServiceError(.activationIncorrectState, "activation \(activationId) is \(activation.status.name)")
        }
        let key = try context.seal.serverPrivateKey(of: activation)
        do {
            return try PrivateKey(bigEndian: key).sign(data)
        } catch {
            throw ServiceError(.invalidKeyFormat, "stored server key of activation \(activationId): \(error)")
        }
    }
}
