// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Brings activations of protocol 3.3 to protocol 4 (protocol-4.md, section 14).
struct UpgradeServiceV4: Sendable {
    let context: ServiceContext

    /// The content of the request that starts an upgrade.
    struct Request: Decodable, Sendable {
        let sharedSecretRequest: SharedSecretRequest
        let devicePublicKeys: EncodedSuiteKeys
        var enableBiometry: Bool?
    }

    /// The answer.
    struct Started: Encodable, Sendable {
        let sharedSecretResponse: SharedSecretResponse
        let serverPublicKeys: EncodedSuiteKeys
        /// Base64 of 32 bytes.
        let ctrData: String
    }

    /// Whether the status of an activation offers its device protocol 4.
    static func isOffered(to activation: Activation, _ binding: DeviceBinding, _ policy: ServerPolicy) -> Bool {
        policy.isUpgradeOffered && binding.version == 3 && activation.application.algorithms != nil
            && !activation.application.suites.isEmpty
    }

    /// Makes the keys of protocol 4 beside those of protocol 3, which the activation keeps using. A repeated start
    /// begins again with other keys: the device has none of an answer that it did not get.
    /// - Throws: `activationNotFound`, `activationIncorrectState` for an activation that is not active or not of
    ///   protocol 3, `unsupportedVersion` for one that is offered no upgrade; as ``SuiteExchange``.
    func start(_ request: Request, activationId: Identifier) throws -> Started {
        guard let found = try context.activation(activationId) else {
            throw ServiceError(.activationNotFound, "no activation \(activationId)")
        }
        // Before the transaction, because it is slow.
        let exchange = try SuiteExchange(
            request.sharedSecretRequest, deviceKeys: request.devicePublicKeys, application: found.application)
        if let refusal = exchange.keyRefusal { throw ServiceError(.invalidRequest, refusal) }
        try context.change { change in
            var activation = try change.activation(activationId)
            guard case .active(let binding?) = activation.lifecycle, binding.version == 3 else {
                throw activation.stateRefusal
            }
            guard Self.isOffered(to: activation, binding, context.policy) else {
                throw ServiceError(.unsupportedVersion, "activation \(activationId) is offered no upgrade")
            }
            var record = try exchange.record(
                of: activation, hasBiometry: request.enableBiometry ?? false, context.seal)
            record.upgrade = Version4Record.Upgrade(counterData: exchange.counter.rawData)
            activation.version4 = record
            try change.saveContent(activation)
        }
        return Started(
            sharedSecretResponse: exchange.response, serverPublicKeys: exchange.serverPublicKeys,
            ctrData: StrictBase64.encode(exchange.counter.rawData))
    }

    /// Makes a started upgrade final; the device has proved its new keys with a code before. Of a repeated confirmation
    /// nothing is left to do.
    /// - Parameter proved: the activation as the code left it. Another start may have replaced its keys since, and those
    ///   are not proved.
    /// - Throws: `activationNotFound`, `activationIncorrectState` for an activation that is not active, whose upgrade was
    ///   not started, or was started again.
    func confirm(_ proved: Activation) throws {
        try context.change { change in
            var activation = try change.activation(proved.id)
            guard case .active(let binding?) = activation.lifecycle, var record = activation.version4 else {
                throw activation.stateRefusal
            }
            guard record.serverKeys == proved.version4?.serverKeys else {
                throw ServiceError(
                    .activationIncorrectState,
                    "the upgrade of activation \(activation.id) was started again; confirm it with its new keys")
            }
            if binding.version == 4 { return }
            guard let upgrade = record.upgrade else { throw activation.stateRefusal }
            record.upgrade = nil
            activation.version4 = record
            activation.lifecycle = .active(
                DeviceBinding(
                    devicePublicKey: record.deviceKeys.ecdsa, counter: upgrade.counter,
                    counterData: upgrade.counterData, version: 4))
            try change.save(&activation, previous: .active, reason: HistoryReason.activationVersionChanged)
        }
    }
}
