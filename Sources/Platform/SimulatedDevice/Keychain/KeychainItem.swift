import COpenSSL
import Foundation

/// Identity of a generic password item.
public struct KeychainKey: Hashable, Sendable {
    /// Service of the item.
    public let service: String
    /// Account of the item.
    public let account: String
    /// Access group that owns it.
    public let accessGroup: String
}

/// One row of the keychain.
struct KeychainItem: Sendable {
    let key: KeychainKey
    let value: Data
    let checksum: Data
    let revision: Int64
    let generation: Int64
    let protection: KeychainProtection
    /// The enrolled set that ``KeychainProtection/currentBiometricSet`` means; 0 for the other protections.
    let enrolment: Int

    /// Whether the bytes are those that were written.
    var isIntact: Bool { checksum == Self.checksum(of: value, at: key) }

    /// SHA-256 over the item's identity and value, each part preceded by its length (8 bytes, big endian), so that
    /// a value copied to another row is noticed as well.
    static func checksum(of value: Data, at key: KeychainKey) -> Data {
        var message = Data(capacity: 96 + value.count)
        for part in [Data(key.service.utf8), Data(key.account.utf8), Data(key.accessGroup.utf8), value] {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { message.append(contentsOf: $0) }
            message.append(part)
        }
        return sha256(message)
    }
}

/// SHA-256 (32 bytes) of a message.
func sha256(_ message: Data) -> Data {
    var digest = Data(count: 32)
    digest.withUnsafeMutableBytes { output in
        message.withUnsafeBytes { input in
            // A null input pointer is allowed for an empty message.
            _ = EVP_Digest(
                input.baseAddress, input.count, output.bindMemory(to: UInt8.self).baseAddress, nil, EVP_sha256(), nil)
        }
    }
    return digest
}
