import Foundation
import PowerAuthProtocol

/// Hashes and compares one-time passwords and PUKs, some 50 ms of a core each time: only after every cheaper check.
struct OtpHashing: Sendable {
    /// Hashes a password with a fresh salt; throws `genericCryptographyError` for lack of memory.
    var make: @Sendable (_ password: String) throws -> String = OtpHash.make
    /// Compares a password with a stored hash.
    var matches: @Sendable (_ password: String, _ hash: String) -> Bool = { OtpHash.matches($0, hash: $1) }
}

/// Slow, salted hashes of one-time passwords and PUKs: Argon2 as in the original, see ``Argon2Hash``.
///
/// Databases of earlier servers hold `$pbkdf2$i=<iterations>$<salt>$<digest>`, which still match; such a hash is
/// removed with its activation or PUK.
enum OtpHash {
    /// Hashes a password with a fresh salt.
    /// - Throws: `genericCryptographyError` for lack of memory.
    static func make(_ password: String) throws -> String {
        try Argon2Hash(hashing: password).text
    }

    /// Compares a password with a stored hash in constant time. An unreadable hash matches nothing.
    static func matches(_ password: String, hash: String) -> Bool {
        Argon2Hash(stored: hash)?.matches(password) ?? matchesFormer(password, hash: hash)
    }

    private static func matchesFormer(_ password: String, hash: String) -> Bool {
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
