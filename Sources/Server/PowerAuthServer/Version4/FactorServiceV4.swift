// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Changes the factors of an activation of protocol 4, and confirms it (protocol-4.md, sections 8 and 12). The device has
/// proved its factors before.
struct FactorServiceV4: Sendable {
    let context: ServiceContext

    /// Makes the activation usable, and says whether biometry is on. A device repeats a confirmation whose answer was lost,
    /// and may have chosen other factors since, so the last confirmation decides.
    /// - Throws: `activationNotFound`, `activationIncorrectState`.
    func confirm(activationId: Identifier, enablesBiometry: Bool) throws {
        try context.change { change in
            var (activation, record) = try active(activationId, in: change)
            record.isConfirmationPending = false
            var secrets = try context.seal.secrets(of: activation, record)
            secrets.biometry = enablesBiometry ? FactorKey(current: secrets.keys.biometry) : nil
            record.secrets = try context.seal.seal(secrets, activationId: activationId)
            activation.version4 = record
            try change.saveContent(activation)
        }
    }

    /// Agrees on another knowledge key, which becomes the next one: a device that gets no answer keeps the present one.
    /// - Throws: `invalidRequest` for keys of another suite; as ``confirm(activationId:enablesBiometry:)``.
    func changePassword(activationId: Identifier, _ request: SharedSecretRequest) throws -> SharedSecretResponse {
        try exchange(activationId, request) { secrets, key in
            secrets.knowledge.next = key.converted(to: KeyPurpose.Knowledge.self)
        }
    }

    /// Agrees on a biometry key: the present one if there was none, or else the next one.
    /// - Throws: as ``changePassword(activationId:_:)``.
    func addBiometry(activationId: Identifier, _ request: SharedSecretRequest) throws -> SharedSecretResponse {
        try exchange(activationId, request) { secrets, key in
            let key = key.converted(to: KeyPurpose.Biometry.self)
            if secrets.biometry == nil {
                secrets.biometry = FactorKey(current: key)
            } else {
                secrets.biometry?.next = key
            }
        }
    }

    /// Forgets both biometry keys.
    /// - Throws: as ``confirm(activationId:enablesBiometry:)``.
    func removeBiometry(activationId: Identifier) throws {
        try context.change { change in try self.change(activationId, in: change) { $0.biometry = nil } }
    }

    private func exchange(
        _ activationId: Identifier, _ request: SharedSecretRequest,
        store: @escaping (inout ActivationSecrets, Key256<KeyPurpose.SharedSecret>) -> Void
    ) throws -> SharedSecretResponse {
        guard let found = try context.activation(activationId), let record = found.version4 else {
            throw ServiceError(.activationNotFound, "no activation \(activationId) of protocol 4")
        }
        // Before the transaction, because it is slow; the suite of an activation does not change.
        let (response, key) = try TemporaryKeyServiceV4.answer(request, record.suite)
        try context.change { change in try self.change(activationId, in: change) { store(&$0, key) } }
        return response
    }

    private func change(
        _ activationId: Identifier, in change: WriteTransaction, _ body: (inout ActivationSecrets) -> Void
    ) throws {
        var (activation, record) = try active(activationId, in: change)
        guard !record.isConfirmationPending else { throw activation.stateRefusal }
        var secrets = try context.seal.secrets(of: activation, record)
        body(&secrets)
        record.secrets = try context.seal.seal(secrets, activationId: activationId)
        activation.version4 = record
        try change.saveContent(activation)
    }

    private func active(
        _ id: Identifier, in change: WriteTransaction
    ) throws -> (activation: Activation, record: Version4Record) {
        let activation = try change.activation(id)
        guard case .active(let binding?) = activation.lifecycle, binding.version == 4, let record = activation.version4
        else { throw activation.stateRefusal }
        return (activation, record)
    }
}
