import Foundation

/// A registered application: the owner of versions, master keys and activations.
struct Application: Sendable, Equatable {
    /// The key of the row.
    let row: Int64
    /// The identifier chosen by the caller that created the application.
    let id: Identifier
    /// Role names, sorted.
    let roles: [Identifier]
}

/// One version of an application, known to devices by its key and secret.
struct ApplicationVersion: Sendable, Equatable {
    let application: Application
    /// The identifier chosen by the caller that created the version, unique within the application.
    let id: Identifier
    /// Base64 of 16 random bytes; the protocol compares and hashes the text.
    let applicationKey: Identifier
    /// Base64 of 16 random bytes.
    let applicationSecret: String
    /// Whether devices of this version are served.
    let isSupported: Bool
}

/// The key pair that signs activation codes and decrypts application-scope requests up to protocol 3.2.
struct MasterKeyPair: Sendable {
    let row: Int64
    /// The private scalar, big endian.
    let privateKey: Data
    /// The uncompressed point, 65 bytes.
    let publicKey: Data
}
