// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// Brings activations of protocol 2 to protocol 3 (server.md, section 13).
///
/// Such activations come from seeding only.
struct ProtocolUpgradeService: Sendable {
    let context: ServiceContext

    private struct Started: Encodable { let ctrData: String }

    /// Draws the counter of the upgraded activation once, and returns it to the device on every call.
    ///
    /// Each call resets the counter to that value, because the device starts from it: this undoes the changes of a
    /// commit whose answer was lost.
    /// - Parameter sealed: activation scope.
    /// - Throws: `activationNotFound`, `activationIncorrectState` for an activation that is not active or not of
    ///   protocol 2; the rest as `EnvelopeOpener.openActivation`.
    func start(_ sealed: SealedRequest) throws -> EciesResponse {
        let (opened, found) = try EnvelopeOpener(context: context).openActivation(
            sealed, as: .upgrade, failures: .token, admitting: Self.checkUpgradable)
        let counterData = try context.change { change in
            var (activation, binding) = try upgradable(found.id, in: change)
            let counterData =
                try ProtocolUpgradeStore.counterData(change.database, activationId: found.id)
                ?? CounterData.random().rawData
            try ProtocolUpgradeStore.insert(
                change.database, activationId: found.id, counterData: counterData, at: change.now)
            binding.counter = 0
            binding.counterData = counterData
            activation.lifecycle = .active(binding)
            try change.saveUse(activation)
            return counterData
        }
        return try opened.sealJSON(Started(ctrData: StrictBase64.encode(counterData)), at: context.clock.now())
    }

    /// Makes a started upgrade final. The device has proved the new counter with a signature before.
    /// - Throws: `activationNotFound`, `activationIncorrectState` for an activation that is not active, not of protocol
    ///   2, or not started; `invalidApplication` for an application key of another application or an unsupported
    ///   version.
    func commit(activationId: Identifier, applicationKey: Identifier) throws {
        try context.change { change in
            var (activation, binding) = try upgradable(activationId, in: change)
            guard try ProtocolUpgradeStore.counterData(change.database, activationId: activationId) != nil else {
                throw ServiceError(.activationIncorrectState, "the upgrade of \(activationId) was not started")
            }
            let version = try change.findVersion(applicationKey: applicationKey)
            guard let version, version.isSupported, version.application.row == activation.application.row else {
                throw ServiceError(.invalidApplication, "application key is unknown, foreign or unsupported")
            }
            binding.version = 3
            activation.lifecycle = .active(binding)
            try change.save(&activation, previous: .active, reason: HistoryReason.activationVersionChanged)
            try ProtocolUpgradeStore.delete(change.database, activationId: activationId)
        }
    }

    private func upgradable(
        _ id: Identifier, in change: WriteTransaction
    ) throws -> (activation: Activation, binding: DeviceBinding) {
        let activation = try change.activation(id)
        guard case .active(let binding?) = activation.lifecycle else { throw activation.stateRefusal }
        try Self.checkUpgradable(activation, binding)
        return (activation, binding)
    }

    private static func checkUpgradable(_ activation: Activation, _ binding: DeviceBinding) throws {
        guard binding.version == 2 else {
            throw ServiceError(.activationIncorrectState, "activation \(activation.id) is not of protocol 2")
        }
    }
}

/// The rows of upgrades that were started and not committed.
enum ProtocolUpgradeStore {
    /// CTR_DATA of a started upgrade, 16 bytes.
    static func counterData(_ database: Database, activationId: Identifier) throws -> Data? {
        try Data.fetchOne(
            database, sql: "SELECT ctr_data FROM protocol_upgrade WHERE activation = ?", arguments: [activationId])
    }

    /// Remembers a started upgrade; one that is known stays as it is.
    static func insert(_ database: Database, activationId: Identifier, counterData: Data, at now: ServerTime) throws {
        try database.execute(
            sql:
                "INSERT INTO protocol_upgrade (activation, ctr_data, t_created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [activationId, counterData, now.milliseconds])
    }

    static func delete(_ database: Database, activationId: Identifier) throws {
        try database.execute(sql: "DELETE FROM protocol_upgrade WHERE activation = ?", arguments: [activationId])
    }
}
