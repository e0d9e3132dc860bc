// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// An activation of protocol 4, from its keys to its confirmation (protocol-4.md, section 8).
extension SessionMachine {
    func configurationV4() throws(PowerAuthCoreErrorCode) -> ConfigurationV4 {
        guard !isInvalid, let version4 else { throw .wrongState }
        return version4
    }

    func activatedV4() throws(PowerAuthCoreErrorCode) -> ActivationRecordV4 {
        guard case .version4(.activated(let record)) = state else { throw .wrongState }
        return record
    }

    /// The record that messages of protocol 4 are about: of an activation, confirmed or not, or of a pending upgrade.
    func recordV4() throws(PowerAuthCoreErrorCode) -> ActivationRecordV4 {
        switch state {
        case .version4(.activated(let record)), .version4(.waitingForConfirmation(let record, _)): return record
        case .activated(let record):
            guard let upgrade = record.upgrade else { throw .wrongState }
            return upgrade
        case .invalid, .empty, .waitingForResponse, .waitingForCompletion, .version4: throw .wrongState
        }
    }

    /// Puts a changed record in the place that ``recordV4()`` took it from.
    mutating func updateV4(_ record: ActivationRecordV4) {
        switch state {
        case .version4(.waitingForConfirmation(_, let exchanged)):
            enter(.version4(.waitingForConfirmation(record, exchanged)))
        case .version4(.activated): enter(.version4(.activated(record)))
        case .activated(var current):
            current.upgrade = record
            update(current)
        case .invalid, .empty, .waitingForResponse, .waitingForCompletion, .version4: break
        }
    }

    /// Makes the keys of the device.
    /// - Returns: The inner layer of the request, without the texts about device and user.
    mutating func startActivationV4() throws(PowerAuthCoreErrorCode) -> KeyExchangeRequestV4 {
        let suite = try configurationV4().suite
        // Protocol 4 has no external encryption key: the activation would lack what the application has asked for.
        guard case .empty = state, externalEncryptionKey == nil else { throw .wrongState }
        let exchange = try encryptionFailure { try KeyExchangeV4(suite: suite) }
        enter(.version4(.waitingForResponse(exchange)))
        return KeyExchangeRequestV4(
            sharedSecretRequest: exchange.secret.request, devicePublicKeys: exchange.deviceKeys.publicKeys.encoded)
    }

    /// - Returns: The fingerprint.
    mutating func validateActivationResponseV4(
        _ response: KeyExchangeResponseV4
    ) throws(PowerAuthCoreErrorCode) -> String {
        guard case .version4(.waitingForResponse(let exchange)) = state else { throw .wrongState }
        do {
            let exchanged = try ExchangedKeysV4(
                exchange, activationId: response.activationId, response: response.sharedSecretResponse,
                serverPublicKeys: response.serverPublicKeys, counter: response.counter)
            enter(.version4(.waitingForCompletion(exchanged)))
            return exchanged.fingerprint
        } catch {
            reset(full: true)
            throw .encryption
        }
    }

    /// Locks the factor keys. From here on the device can confirm; until it has, they may be locked again.
    mutating func completeActivationV4(_ keys: UnlockKeys) throws(PowerAuthCoreErrorCode) {
        switch state {
        case .version4(.waitingForCompletion(let exchanged)):
            let record = try exchanged.record(counterByte: 0, lockedWith: keys)
            enter(.version4(.waitingForConfirmation(record, exchanged)))
        case .version4(.waitingForConfirmation(let before, let exchanged)):
            var record = try exchanged.record(counterByte: before.counterByte, lockedWith: keys)
            // The server may have taken a code although its answer was lost.
            record.counter = before.counter
            enter(.version4(.waitingForConfirmation(record, exchanged)))
        default: throw .wrongState
        }
    }

    /// Makes the activation persistable, once the server knows that the device has its keys.
    mutating func confirmActivationV4() throws(PowerAuthCoreErrorCode) {
        guard case .version4(.waitingForConfirmation(let record, _)) = state else { throw .wrongState }
        enter(.version4(.activated(record)))
    }
}
