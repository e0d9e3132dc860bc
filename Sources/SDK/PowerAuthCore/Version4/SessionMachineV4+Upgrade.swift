// SPDX-License-Identifier: Apache-2.0

import Foundation
package import PowerAuthProtocol

/// The body of `/pa/v4/upgrade/start`, before it is encrypted for ``AeadPurpose/upgradeStart`` (protocol-4.md, section 14).
package struct UpgradeStartRequest: Sendable, Equatable, Codable {
    /// The client's half of the key exchange.
    package let sharedSecretRequest: SharedSecretRequest
    /// The device's public keys.
    package let devicePublicKeys: EncodedSuiteKeys
    /// Whether the activation shall have a biometry factor.
    package let enableBiometry: Bool
}

/// The decrypted answer to ``UpgradeStartRequest`` (protocol-4.md, section 14).
package struct UpgradeStartResponse: Sendable, Equatable {
    /// The server's half of the key exchange.
    package let sharedSecretResponse: SharedSecretResponse
    /// The server's public keys of this activation.
    package let serverPublicKeys: EncodedSuiteKeys
    /// `ctrData`, 32 bytes.
    package let counter: HashBasedCounter

    /// Takes the parts.
    package init(
        sharedSecretResponse: SharedSecretResponse, serverPublicKeys: EncodedSuiteKeys, counter: HashBasedCounter
    ) {
        self.sharedSecretResponse = sharedSecretResponse
        self.serverPublicKeys = serverPublicKeys
        self.counter = counter
    }
}

extension UpgradeStartResponse: Codable {
    private enum CodingKeys: String, CodingKey { case sharedSecretResponse, serverPublicKeys, ctrData }

    /// Reads the JSON form.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sharedSecretResponse = try container.decode(SharedSecretResponse.self, forKey: .sharedSecretResponse)
        serverPublicKeys = try container.decode(EncodedSuiteKeys.self, forKey: .serverPublicKeys)
        counter = try HashBasedCounter(
            StrictBase64.decode(container.decode(String.self, forKey: .ctrData), field: "ctrData"))
    }

    /// Writes the JSON form.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sharedSecretResponse, forKey: .sharedSecretResponse)
        try container.encode(serverPublicKeys, forKey: .serverPublicKeys)
        try container.encode(StrictBase64.encode(counter.rawData), forKey: .ctrData)
    }
}

/// One start of an upgrade. A lost answer leaves nothing behind: the client begins again with another one. Immutable. Thread
/// rule: any thread.
package struct UpgradeExchangeV4: Sendable {
    /// What is sent, with a code of version 3.3.
    package let request: UpgradeStartRequest
    fileprivate let activationId: String
    /// The biometry key of version 3 at the time of the request, locked; nil without the factor.
    fileprivate let biometryKey: Data?
    fileprivate let keys: KeyExchangeV4
}

/// What an upgrade needs next (protocol-4.md, section 14).
package enum UpgradeStepV4: Equatable, Sendable {
    /// Nothing.
    case nothing
    /// Start it on the server, also again.
    case start
    /// Confirm it on the server, also again.
    case confirm
    /// The server has taken the confirmation: note it in the state.
    case finish
}

/// Upgrade of an activation of version 3.3 (protocol-4.md, section 14). Until it is confirmed, everything else runs on 3.3.
extension SessionMachine {
    /// - Parameters:
    ///   - currentVersion: version of the activation on the server.
    ///   - upgradeVersion: version that the server offers.
    ///   - isConfirmationPending: whether the server waits for the confirmation of an upgrade.
    /// - Throws: `wrongState` when the two sides cannot come together.
    func upgradeStepV4(
        currentVersion: UInt8, upgradeVersion: UInt8, isConfirmationPending: Bool
    ) throws(PowerAuthCoreErrorCode) -> UpgradeStepV4 {
        switch (currentVersion, state) {
        case (3, .activated(let record)) where record.upgrade == nil:
            return upgradeVersion == 4 || isConfirmationPending ? .start : .nothing
        // The keys of a start that the server has forgotten are of no use.
        case (3, .activated): return isConfirmationPending ? .confirm : .start
        case (4, .activated(let record)) where record.upgrade != nil: return .finish
        case (4, .version4(.activated)): return .nothing
        default: throw .wrongState
        }
    }

    /// - Parameter enableBiometry: `true` only for an activation that has a biometry factor.
    func upgradeExchange(enableBiometry: Bool) throws(PowerAuthCoreErrorCode) -> UpgradeExchangeV4 {
        let suite = try configurationV4().suite
        let record = try activated()
        // Protocol 4 has no external encryption key, and an activation of V2 has an upgrade of its own before it.
        guard record.protocolVersion == .V3, record.pendingUpgradeVersion == .NA, !record.usesExternalEncryptionKey,
            externalEncryptionKey == nil
        else { throw .wrongState }
        guard !enableBiometry || record.biometryKey != nil else { throw .wrongParam }
        return try encryptionFailure {
            let keys = try KeyExchangeV4(suite: suite)
            return UpgradeExchangeV4(
                request: UpgradeStartRequest(
                    sharedSecretRequest: keys.secret.request, devicePublicKeys: keys.deviceKeys.publicKeys.encoded,
                    enableBiometry: enableBiometry),
                activationId: record.activationId, biometryKey: record.biometryKey, keys: keys)
        }
    }

    /// Keeps the keys of protocol 4 beside those in use, in place of any that were there.
    /// - Parameter keys: possession unlock key and password, and a biometry unlock key exactly if the request asked for
    ///   biometry. The password is that of the request's code, which has proven it.
    /// - Throws: `encryption` for an answer that cannot be used; the activation stays as it was.
    mutating func apply(
        _ response: UpgradeStartResponse, of exchange: UpgradeExchangeV4, keys: UnlockKeys
    ) throws(PowerAuthCoreErrorCode) {
        var record = try activated()
        guard record.activationId == exchange.activationId, !record.usesExternalEncryptionKey else {
            throw .wrongState
        }
        guard keys.hasBiometryKey == exchange.request.enableBiometry else { throw .wrongParam }
        let exchanged = try encryptionFailure {
            try ExchangedKeysV4(
                exchange.keys, activationId: exchange.activationId, response: response.sharedSecretResponse,
                serverPublicKeys: response.serverPublicKeys, counter: response.counter)
        }
        // Whether the server counts on from version 3 or anew, the first status shows.
        var upgrade = try exchanged.record(counterByte: nil, lockedWith: keys)
        // A factor that was removed or replaced meanwhile does not come back, locked with a key that is not in use.
        if record.biometryKey != exchange.biometryKey { upgrade.biometryKey = nil }
        record.upgrade = upgrade
        temporaryKeysV4[.activation] = nil
        update(record)
    }

    /// Uses the keys of protocol 4 from now on, and forgets the others, once the server has confirmed.
    mutating func finishUpgradeV4() throws(PowerAuthCoreErrorCode) {
        guard let record = try activated().upgrade else { throw .wrongState }
        temporaryKeys[.activation] = nil
        enter(.version4(.activated(record)))
    }
}
