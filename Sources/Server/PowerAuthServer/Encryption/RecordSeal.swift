// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol

/// The key that private keys are sealed with before they are stored (server.md, section 25).
///
/// Thread rule: any thread; immutable, and wiped with its last copy.
public struct DatabaseEncryptionKey: Sendable {
    enum Purpose {}
    let key: SymmetricKey<Purpose>

    /// Takes over 16 bytes; nil for any other size.
    public init?(_ data: Data) {
        guard let key = try? SymmetricKey<Purpose>(data) else { return nil }
        self.key = key
    }
}

/// A private key as a row holds it, in clear or sealed: only ``RecordSeal`` gets it out.
struct StoredSecret: Sendable, Equatable {
    /// How a secret is stored, in the original's numbers; a number without a case was written by a later server.
    enum Mode: Int {
        case clear = 0
        case aesHMAC = 1
        /// The authenticated encryption of protocol 4 (protocol-4.md, section 2), a mode of this server alone.
        case aead = 2
    }

    /// A raw value of ``Mode``.
    let mode: Int
    /// The secret, or vector and ciphertext.
    let bytes: Data
}

/// A secret of a record: each is sealed with its own key, so that a ciphertext moved to another record does not open.
enum SealedRecord {
    case serverKey(userId: Identifier, activationId: Identifier)
    case temporaryKey(id: Identifier)
    case postcardKey(applicationId: Identifier)
    /// A master key of protocol 4.
    case masterKey(applicationId: Identifier, kind: SdkConfigurationV4.KeyKind)
    /// The server's private keys of an activation of protocol 4.
    case suiteKeys(activationId: Identifier)
    /// What else an activation of protocol 4 keeps secret.
    case activationSecrets(activationId: Identifier)

    /// The derivation input of the record's key, at least 16 bytes.
    fileprivate var bytes: Data { Data(name.utf8) }

    private var name: String {
        switch self {
        case .serverKey(let userId, let activationId): "\(userId)&\(activationId)"
        case .temporaryKey(let id): "temporary-key&\(id)"
        case .postcardKey(let applicationId): "recovery-postcard&\(applicationId)"
        case .masterKey(let applicationId, let kind): "master-key&\(kind.rawValue)&\(applicationId)"
        case .suiteKeys(let activationId): "suite-keys&\(activationId)"
        case .activationSecrets(let activationId): "activation-secrets&\(activationId)"
        }
    }
}

/// Seals private keys for the database, and opens them: AES-128-CBC with a fresh vector and the key
/// `KDF_INTERNAL(database key, name of the record)` (server.md, section 25, mode AES_HMAC).
///
/// Stored records are not rewritten: a record stored in clear can still be read when a key is configured.
///
/// Thread rule: any thread.
struct RecordSeal: Sendable {
    /// Nil stores in clear.
    let key: DatabaseEncryptionKey?

    /// - Throws: `genericCryptographyError` for lack of memory.
    func seal(_ secret: Data, of record: SealedRecord) throws -> StoredSecret {
        guard let key else { return StoredSecret(mode: StoredSecret.Mode.clear.rawValue, bytes: secret) }
        do {
            let iv = Random.bytes(16)
            let sealed = try AESCBC.encrypt(secret, key: Self.key(of: record, key), iv: iv, padding: .pkcs7)
            return StoredSecret(mode: StoredSecret.Mode.aesHMAC.rawValue, bytes: iv + sealed)
        } catch {
            throw ServiceError(.genericCryptographyError, "sealing a record: \(error)")
        }
    }

    /// - Parameter publicKey: the uncompressed point that belongs to the secret; nil where it is not kept.
    /// - Throws: `missingDatabaseEncryptionKey` for a sealed secret without a key, `unsupportedEncryptionMode` for a mode
    ///   of a later server, `genericCryptographyError` for a secret of another record or key.
    func open(_ secret: StoredSecret, of record: SealedRecord, publicKey: Data?) throws -> Data {
        switch StoredSecret.Mode(rawValue: secret.mode) {
        case .clear: return secret.bytes
        case .aesHMAC:
            guard let key else {
                throw ServiceError(
                    .missingDatabaseEncryptionKey, "the record is sealed; start the server with databaseEncryptionKey")
            }
            do {
                let opened = try AESCBC.decrypt(
                    Data(secret.bytes.dropFirst(16)), key: Self.key(of: record, key), iv: Data(secret.bytes.prefix(16)),
                    padding: .pkcs7)
                // With a wrong key the padding is still valid once in 256 times; comparing the key pair is certain.
                let pair = try PrivateKey(bigEndian: opened)
                guard publicKey == nil || pair.publicKey.uncompressed == publicKey else {
                    throw ProtocolError.invalidKey("privateKey")
                }
                return opened
            } catch {
                throw ServiceError(
                    .genericCryptographyError, "the record was not sealed with this databaseEncryptionKey: \(error)")
            }
        case .aead, nil: throw ServiceError(.unsupportedEncryptionMode, "encryption mode \(secret.mode)")
        }
    }

    /// KEY_SERVER_PRIVATE of an activation, a big-endian scalar.
    /// - Throws: as ``open(_:of:publicKey:)``.
    func serverPrivateKey(of activation: Activation) throws -> Data {
        try open(
            activation.serverPrivateKey, of: .serverKey(userId: activation.userId, activationId: activation.id),
            publicKey: activation.serverPublicKey)
    }

    /// Seals a secret of protocol 4, which no public key can be compared with: the seal authenticates it.
    /// - Throws: `genericCryptographyError` for lack of memory.
    func seal(secret: SecretBytes, of record: SealedRecord) throws -> StoredSecret {
        guard let key else { return StoredSecret(mode: StoredSecret.Mode.clear.rawValue, bytes: secret.rawData) }
        do {
            let sealed = try AEAD.seal(
                secret, key: Self.key256(of: record, key), keyContext: Data(), associatedData: Data())
            return StoredSecret(mode: StoredSecret.Mode.aead.rawValue, bytes: sealed)
        } catch {
            throw ServiceError(.genericCryptographyError, "sealing a record: \(error)")
        }
    }

    /// The secret that ``seal(secret:of:)`` has sealed.
    /// - Throws: as ``open(_:of:publicKey:)``.
    func secret(_ stored: StoredSecret, of record: SealedRecord) throws -> SecretBytes {
        switch StoredSecret.Mode(rawValue: stored.mode) {
        case .clear: return SecretBytes(stored.bytes)
        case .aead:
            guard let key else {
                throw ServiceError(
                    .missingDatabaseEncryptionKey, "the record is sealed; start the server with databaseEncryptionKey")
            }
            do {
                return try AEAD.openSecret(
                    stored.bytes, key: Self.key256(of: record, key), keyContext: Data(), associatedData: Data())
            } catch {
                throw ServiceError(
                    .genericCryptographyError, "the record was not sealed with this databaseEncryptionKey: \(error)")
            }
        case .aesHMAC, nil: throw ServiceError(.unsupportedEncryptionMode, "encryption mode \(stored.mode)")
        }
    }

    private static func key256(
        of record: SealedRecord, _ key: DatabaseEncryptionKey
    ) throws -> Key256<DatabaseEncryptionKey.Purpose> {
        let bytes = SecretBytes(count: 16) { output in key.key.withUnsafeBytes { output.copyMemory(from: $0) } }
        return try Key256(
            LabeledKDF.derive(bytes, KeyLabel(rawValue: "lab/database-record"), diversifier: record.bytes))
    }

    private static func key(
        of record: SealedRecord, _ key: DatabaseEncryptionKey
    ) throws -> SymmetricKey<DatabaseEncryptionKey.Purpose> {
        try KDF.internalDerive(key.key, data: record.bytes)
    }
}
