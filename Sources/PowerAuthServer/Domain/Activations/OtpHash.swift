import Foundation
import PowerAuthProtocol

/// Slow, salted hashes of one-time passwords, stored as `$pbkdf2$i=<iterations>$<salt>$<digest>`.
enum OtpHash {
    private static let iterations = 20_000

    /// Hashes a password with a fresh 16-byte salt.
    static func make(_ password: String) throws -> String {
        let salt = Random.bytes(16)
        let digest = try KDF.pbkdf2(password: Data(password.utf8), salt: salt, iterations: iterations)
        return "$pbkdf2$i=\(iterations)$\(salt.base64EncodedString())$\(digest.rawData.base64EncodedString())"
    }

    /// Compares a password with a stored hash in constant time. An unreadable hash matches nothing.
    static func matches(_ password: String, hash: String) -> Bool {
        let parts = hash.split(separator: "$")
        guard parts.count == 4, parts[0] == "pbkdf2", parts[1].hasPrefix("i="),
            let iterations = Int(parts[1].dropFirst(2)),
            let salt = Data(base64Encoded: String(parts[2])),
            let stored = Data(base64Encoded: String(parts[3])), let expected = try? UnlockKey(stored),
            let digest = try? KDF.pbkdf2(password: Data(password.utf8), salt: salt, iterations: iterations)
        else { return false }
        return digest == expected
    }
}
