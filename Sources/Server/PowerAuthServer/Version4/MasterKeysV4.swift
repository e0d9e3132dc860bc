// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthPostQuantum
import PowerAuthProtocol

/// The master keys of an application for protocol 4: one on P-384 for every suite, and one of ML-DSA for each hybrid suite
/// (protocol-4.md, section 5).
struct MasterKeysV4: Sendable {
    /// A private key in the form that its algorithm is made from, and its other half.
    struct Pair: Sendable {
        /// A scalar, or a seed of ML-DSA.
        let secret: SecretBytes
        /// A point, or a container of ML-DSA.
        let publicKey: Data
    }

    /// Every kind but that of protocol 3.
    let pairs: [SdkConfigurationV4.KeyKind: Pair]

    /// The kinds of the keys, in the order of the configuration string.
    static let kinds: [SdkConfigurationV4.KeyKind] = [.p384, .mldsa65, .mldsa87]

    /// Makes all keys.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    static func generate() throws -> MasterKeysV4 {
        let ec = try P384PrivateKey.generate()
        var pairs = [
            SdkConfigurationV4.KeyKind.p384: Pair(secret: try ec.scalar(), publicKey: ec.publicKey.uncompressed)
        ]
        for suite in [CryptographySuite.ecP384MLL3, .ecP384MLL5] {
            guard let kind = Self.kind(of: suite.name), let signature = suite.signature else { continue }
            let key = try signature.generateKey()
            pairs[kind] = Pair(
                secret: key.seed, publicKey: signature.algorithm.container(of: key.publicKey.bytes))
        }
        return MasterKeysV4(pairs: pairs)
    }

    /// The kind of the ML-DSA key of a suite; nil for one without.
    private static func kind(of name: CryptographySuite.Name) -> SdkConfigurationV4.KeyKind? {
        switch name {
        case .ecP384: nil
        case .ecP384MLL3: .mldsa65
        case .ecP384MLL5: .mldsa87
        }
    }

    /// The private keys of a suite.
    /// - Throws: `incorrectMasterServerKeyPair` for stored keys that do not decode.
    func privateKeys(_ suite: CryptographySuite) throws -> SuitePrivateKeys {
        let kinds = [SdkConfigurationV4.KeyKind.p384] + (Self.kind(of: suite.name).map { [$0] } ?? [])
        let secrets = kinds.compactMap { pairs[$0]?.secret }
        do {
            return try SuitePrivateKeys(secrets: secrets, suite: suite)
        } catch {
            throw ServiceError(.incorrectMasterServerKeyPair, "master keys of \(suite): \(error)")
        }
    }
}

extension ServiceContext {
    /// The master keys of an application for protocol 4; one that an earlier server has made gets them now. Blocks.
    /// - Throws: as ``RecordSeal/secret(_:of:)``.
    func masterKeysV4(of application: Application) throws -> MasterKeysV4 {
        if let known = try read({ try MasterKeyStoreV4.find($0, of: application, seal) }) { return known }
        let made = try MasterKeysV4.generate()
        return try change { change in
            // Another request may have made them meanwhile.
            if let known = try MasterKeyStoreV4.find(change.database, of: application, seal) { return known }
            try MasterKeyStoreV4.insert(change.database, of: application, made, seal)
            return made
        }
    }

    /// The public halves of the master keys of an application for protocol 4, which need no database key once they are
    /// stored. Blocks.
    /// - Throws: as ``masterKeysV4(of:)`` for an application that gets its keys now.
    func publicMasterKeysV4(of application: Application) throws -> [SdkConfigurationV4.KeyKind: Data] {
        try read { try MasterKeyStoreV4.publicKeys($0, of: application) }
            ?? masterKeysV4(of: application).pairs.mapValues(\.publicKey)
    }
}

/// The rows of master keys of protocol 4.
enum MasterKeyStoreV4 {
    /// Nil for an application without all of them.
    static func find(_ database: Database, of application: Application, _ seal: RecordSeal) throws -> MasterKeysV4? {
        var pairs: [SdkConfigurationV4.KeyKind: MasterKeysV4.Pair] = [:]
        for (kind, row) in try rows(database, of: application) {
            let stored = StoredSecret(mode: row["private_key_mode"], bytes: row["private_key"])
            pairs[kind] = MasterKeysV4.Pair(
                secret: try seal.secret(stored, of: .masterKey(applicationId: application.id, kind: kind)),
                publicKey: row["public_key"])
        }
        return MasterKeysV4.kinds.allSatisfy { pairs[$0] != nil } ? MasterKeysV4(pairs: pairs) : nil
    }

    /// The public keys, which no seal hides; nil for an application without all of them.
    static func publicKeys(
        _ database: Database, of application: Application
    ) throws -> [SdkConfigurationV4.KeyKind: Data]? {
        let keys = try rows(database, of: application).mapValues { $0["public_key"] as Data }
        return MasterKeysV4.kinds.allSatisfy { keys[$0] != nil } ? keys : nil
    }

    private static func rows(
        _ database: Database, of application: Application
    ) throws -> [SdkConfigurationV4.KeyKind: Row] {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT kind, private_key, private_key_mode, public_key FROM master_key_v4 WHERE application = ?"),
            arguments: [application.row])
        var found: [SdkConfigurationV4.KeyKind: Row] = [:]
        for row in rows {
            guard let number = UInt8(exactly: row["kind"] as Int),
                let kind = SdkConfigurationV4.KeyKind(rawValue: number)
            else { continue }
            found[kind] = row
        }
        return found
    }

    static func insert(
        _ database: Database, of application: Application, _ keys: MasterKeysV4, _ seal: RecordSeal
    ) throws {
        for (kind, pair) in keys.pairs {
            let stored = try seal.seal(
                secret: pair.secret, of: .masterKey(applicationId: application.id, kind: kind))
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO master_key_v4 (application, kind, private_key, private_key_mode, public_key)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [application.row, Int(kind.rawValue), stored.bytes, stored.mode, pair.publicKey])
        }
    }
}
