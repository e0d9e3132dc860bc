// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthPostQuantum
import PowerAuthProtocol

/// What the server keeps of an activation of protocol 4 beside its binding, or of one of protocol 3 whose upgrade was
/// started (protocol-4.md, sections 8, 12 and 14).
struct Version4Record: Sendable, Equatable {
    /// The counter of the activation that an upgrade leads to; until then the binding counts on.
    struct Upgrade: Sendable, Equatable {
        /// The number of counter steps made so far.
        var counter: UInt64 = 0
        /// CTR_DATA, 32 bytes.
        var counterData: Data
    }

    /// The algorithms that the device has chosen.
    let suiteName: CryptographySuite.Name
    /// The device's public keys, which were checked when they came.
    let deviceKeys: EncodedSuiteKeys
    /// The other halves of ``serverPrivateKeys``.
    let serverKeys: EncodedSuiteKeys
    /// The server's private keys, see ``RecordSeal/serverKeys(of:_:)``.
    let serverPrivateKeys: StoredSecret
    /// Shared secret and factor keys, see ``RecordSeal/secrets(of:_:)``.
    var secrets: StoredSecret
    /// Whether the device has not confirmed the activation yet: it can do nothing else before.
    var isConfirmationPending = false
    /// Nil unless an upgrade was started and not confirmed.
    var upgrade: Upgrade?
    /// Nil unless too many codes were wrong, and no right one came since.
    var block: TemporaryBlock?

    /// The suite with its algorithms.
    var suite: CryptographySuite { .named(suiteName) }
}

/// A block for a time, which a server may set in place of one that the back office has to take back (protocol-4.md,
/// section 16).
struct TemporaryBlock: Sendable, Equatable {
    /// Behind it one code is compared; a wrong one blocks again.
    let until: ServerTime
    /// Which block it is since the last right code, from 1.
    let number: Int

    /// Longer than the first one by this many doublings at most: more than eight centuries.
    private static let mostDoublings = 20

    /// The block after another one, or the first one: each is twice as long as the one before.
    /// - Parameter first: how long the first one is, in milliseconds.
    static func following(_ former: TemporaryBlock?, at now: ServerTime, first: Int64) -> TemporaryBlock {
        let doublings = former?.number ?? 0
        let length = first << min(doublings, mostDoublings)
        return TemporaryBlock(until: now.advanced(by: length), number: doublings + 1)
    }
}

/// A factor key that the server and the device have agreed on, and the one that a change has made: a device that got no
/// answer to its change has the former one, so that both are accepted (protocol-4.md, section 12).
struct FactorKey<Purpose>: Sendable {
    let current: Key256<Purpose>
    var next: Key256<Purpose>?

    /// The same factor after the first use of *next*; nil without one.
    var moved: FactorKey? { next.map { FactorKey(current: $0) } }
}

/// The secrets that an activation of protocol 4 shares with its device (protocol-4.md, sections 4 and 12).
struct ActivationSecrets: Sendable {
    /// `KEY_ACTIVATION_SECRET`.
    let activation: ActivationSecret
    var knowledge: FactorKey<KeyPurpose.Knowledge>
    /// Nil while biometry is off.
    var biometry: FactorKey<KeyPurpose.Biometry>?
}

extension ActivationSecrets {
    /// Those of a new activation, with the initial factor keys.
    /// - Parameter hasBiometry: whether biometry is on from the start.
    init(activation: ActivationSecret, hasBiometry: Bool) {
        let keys = PowerAuthProtocol.ActivationKeys(secret: activation)
        self.init(
            activation: activation, knowledge: FactorKey(current: keys.knowledge),
            biometry: hasBiometry ? FactorKey(current: keys.biometry) : nil)
    }

    /// All keys that follow from the shared secret.
    var keys: PowerAuthProtocol.ActivationKeys { PowerAuthProtocol.ActivationKeys(secret: activation) }

    /// The keys that may have made a code of some factors, each with the secrets as they are once it is accepted: every
    /// factor is tried with *current* and *next*. None without a key for one of the factors; unchanged secrets come
    /// first.
    func candidates(_ factors: SignatureFactors) -> [(keys: AuthenticationKeys, secrets: ActivationSecrets)] {
        var variants = [self]
        if factors.contains(.knowledge), let moved = knowledge.moved {
            variants += variants.map { variant in
                var variant = variant
                variant.knowledge = moved
                return variant
            }
        }
        if factors.contains(.biometry) {
            guard let biometry else { return [] }
            if let moved = biometry.moved {
                variants += variants.map { variant in
                    var variant = variant
                    variant.biometry = moved
                    return variant
                }
            }
        }
        let possession = factors.contains(.possession) ? keys.possession : nil
        return variants.map { variant in
            let keys = AuthenticationKeys(
                possession: possession, knowledge: factors.contains(.knowledge) ? variant.knowledge.current : nil,
                biometry: factors.contains(.biometry) ? variant.biometry?.current : nil)
            return (keys: keys, secrets: variant)
        }
    }

    // MARK: Storage

    /// Which of the optional keys are there, in the order in which they are written.
    private var present: UInt8 {
        var present: UInt8 = 0
        if knowledge.next != nil { present |= 1 }
        if biometry != nil { present |= 2 }
        if biometry?.next != nil { present |= 4 }
        return present
    }

    /// One byte that says which keys follow, then the keys, 32 bytes each.
    var encoded: SecretBytes {
        let present = self.present
        return SecretBytes(count: 1 + 32 * (2 + present.nonzeroBitCount)) { output in
            output[0] = present
            var offset = 1
            func add<Purpose>(_ key: Key256<Purpose>?) {
                guard let key else { return }
                key.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: output[offset..<(offset + 32)]).copyMemory(from: $0)
                }
                offset += 32
            }
            add(activation)
            add(knowledge.current)
            add(knowledge.next)
            add(biometry?.current)
            add(biometry?.next)
        }
    }

    /// Reads what ``encoded`` wrote.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for anything else.
    init(encoded: SecretBytes) throws {
        self = try encoded.withUnsafeBytes { bytes -> ActivationSecrets in
            let present = bytes.first ?? 0
            guard present < 8, present & 6 != 4, bytes.count == 1 + 32 * (2 + present.nonzeroBitCount) else {
                throw ProtocolError.invalidFormat(field: "activation secrets", reason: "keys are missing")
            }
            var offset = 1
            func key<Purpose>(_: Purpose.Type) throws -> Key256<Purpose> {
                let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + 32)])
                offset += 32
                return try Key256(SecretBytes(count: 32) { $0.copyMemory(from: part) })
            }
            let activation = try key(KeyPurpose.ActivationSecret.self)
            var knowledge = FactorKey(current: try key(KeyPurpose.Knowledge.self))
            if present & 1 != 0 { knowledge.next = try key(KeyPurpose.Knowledge.self) }
            var biometry: FactorKey<KeyPurpose.Biometry>?
            if present & 2 != 0 { biometry = FactorKey(current: try key(KeyPurpose.Biometry.self)) }
            if present & 4 != 0 { biometry?.next = try key(KeyPurpose.Biometry.self) }
            return ActivationSecrets(activation: activation, knowledge: knowledge, biometry: biometry)
        }
    }
}

extension RecordSeal {
    /// Shared secret and factor keys of an activation.
    /// - Throws: as ``secret(_:of:)``, `genericCryptographyError` for content of another form.
    func secrets(of activation: Activation, _ record: Version4Record) throws -> ActivationSecrets {
        let stored = try secret(record.secrets, of: .activationSecrets(activationId: activation.id))
        do {
            return try ActivationSecrets(encoded: stored)
        } catch {
            throw ServiceError(.genericCryptographyError, "stored secrets of activation \(activation.id): \(error)")
        }
    }

    /// Seals changed secrets of an activation.
    /// - Throws: as ``seal(secret:of:)``.
    func seal(_ secrets: ActivationSecrets, activationId: Identifier) throws -> StoredSecret {
        try seal(secret: secrets.encoded, of: .activationSecrets(activationId: activationId))
    }

    /// The server's private keys of an activation.
    /// - Throws: as ``secret(_:of:)``, `invalidKeyFormat` for content of another form.
    func serverKeys(of activation: Activation, _ record: Version4Record) throws -> SuitePrivateKeys {
        let stored = try secret(record.serverPrivateKeys, of: .suiteKeys(activationId: activation.id))
        do {
            return try SuitePrivateKeys(encoded: stored, suite: record.suite)
        } catch {
            throw ServiceError(.invalidKeyFormat, "stored keys of activation \(activation.id): \(error)")
        }
    }
}

/// The columns of `activation_v4`, joined to an activation.
enum Version4Column: String, QueryColumn {
    case suite
    case deviceECDSA = "device_ecdsa"
    case deviceMLDSA = "device_mldsa"
    case serverECDSA = "server_ecdsa"
    case serverMLDSA = "server_mldsa"
    case privateKeys = "suite_private"
    case privateKeysMode = "suite_private_mode"
    case secrets
    case secretsMode = "secrets_mode"
    case isConfirmationPending = "confirmation_pending"
    case upgradeCounter = "upgrade_counter"
    case upgradeCounterData = "upgrade_ctr_data"
    case blockedUntil = "blocked_until"
    case blocks
}

/// The rows of what activations of protocol 4 have beside the others.
enum Version4Store {
    /// Nil for an activation without such a row, and for a suite that does not exist (the row was edited by hand).
    static func record(_ row: QueryRow<Version4Column>) -> Version4Record? {
        guard let suite = (row[.suite] as String?).flatMap(CryptographySuite.Name.init(rawValue:)) else { return nil }
        let counterData: Data? = row[.upgradeCounterData]
        return Version4Record(
            suiteName: suite, deviceKeys: EncodedSuiteKeys(ecdsa: row[.deviceECDSA], mldsa: row[.deviceMLDSA]),
            serverKeys: EncodedSuiteKeys(ecdsa: row[.serverECDSA], mldsa: row[.serverMLDSA]),
            serverPrivateKeys: StoredSecret(mode: row[.privateKeysMode], bytes: row[.privateKeys]),
            secrets: StoredSecret(mode: row[.secretsMode], bytes: row[.secrets]),
            isConfirmationPending: row[.isConfirmationPending],
            upgrade: counterData.map {
                Version4Record.Upgrade(
                    counter: UInt64(bitPattern: (row[.upgradeCounter] as Int64?) ?? 0), counterData: $0)
            },
            block: (row[.blockedUntil] as Int64?).map {
                TemporaryBlock(until: ServerTime(milliseconds: $0), number: row[.blocks])
            })
    }

    /// Writes what an activation has beside the others, in place of what it had.
    static func save(_ database: Database, _ activation: Activation) throws {
        guard let record = activation.version4 else {
            return try database.cachedStatement(sql: "DELETE FROM activation_v4 WHERE of_activation = ?")
                .execute(arguments: [activation.id])
        }
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO activation_v4 (of_activation, suite, device_ecdsa, device_mldsa, server_ecdsa,
                    server_mldsa, suite_private, suite_private_mode, secrets, secrets_mode, confirmation_pending,
                    upgrade_counter, upgrade_ctr_data, blocked_until, blocks)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            activation.id, record.suiteName.rawValue, record.deviceKeys.ecdsa, record.deviceKeys.mldsa,
            record.serverKeys.ecdsa, record.serverKeys.mldsa, record.serverPrivateKeys.bytes,
            record.serverPrivateKeys.mode, record.secrets.bytes, record.secrets.mode, record.isConfirmationPending,
            record.upgrade.map { Int64(bitPattern: $0.counter) }, record.upgrade?.counterData,
            record.block?.until.milliseconds, record.block?.number ?? 0,
        ])
    }
}
