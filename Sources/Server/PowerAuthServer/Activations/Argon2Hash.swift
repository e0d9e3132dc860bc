// SPDX-License-Identifier: Apache-2.0

import CArgon2
import Foundation
import PowerAuthProtocol

/// Hashes and compares one-time passwords and PUKs, some 50 ms of a core each time: only after every cheaper check.
struct OtpHashing: Sendable {
    /// Hashes a password with a fresh salt; throws `genericCryptographyError` for lack of memory.
    var make: @Sendable (_ password: String) throws -> String
    var matches: @Sendable (_ password: String, _ hash: String) -> Bool = { OtpHash.matches($0, hash: $1) }
}

/// Slow, salted hashes of one-time passwords and PUKs: Argon2 as in the original, see ``Argon2Hash``.
///
/// Databases of earlier servers hold `$pbkdf2$i=<iterations>$<salt>$<digest>`, which still match; such a hash is
/// removed with its activation or PUK.
enum OtpHash {
    /// Hashes a password with a fresh salt.
    /// - Throws: `genericCryptographyError` for lack of memory.
    static func make(_ password: String, cost: Argon2Hash.Cost = Argon2Hash.Cost()) throws -> String {
        try Argon2Hash(hashing: password, cost: cost).text
    }

    /// Compares a password with a stored hash in constant time. An unreadable hash matches nothing.
    static func matches(_ password: String, hash: String) -> Bool {
        Argon2Hash(stored: hash)?.matches(password) ?? matchesFormer(password, hash: hash)
    }

    private static func matchesFormer(_ password: String, hash: String) -> Bool {
        let parts = hash.split(separator: "$")
        guard parts.count == 4, parts[0] == "pbkdf2", parts[1].hasPrefix("i="),
            let iterations = Int(parts[1].dropFirst(2)), let salt = Data(base64Encoded: String(parts[2])),
            let stored = Data(base64Encoded: String(parts[3])), let expected = try? UnlockKey(stored),
            let digest = try? KDF.pbkdf2(password: Data(password.utf8), salt: salt, iterations: iterations)
        else { return false }
        return digest == expected
    }
}

/// A password hash of Argon2i, version 1.3, in the modular format that the original stores (server.md, section 7.1):
/// `$argon2i$v=19$m=32768,t=3,p=16$<salt>$<digest>`, Base64 without padding.
///
/// Thread rule: worker threads only; a hash takes a core for some 50 ms, and ``Cost/memory`` for as long.
struct Argon2Hash {
    /// What one hash takes; each hash is stored with its own, and compared at it. The default is the original's.
    struct Cost: Sendable {
        /// KiB.
        var memory: UInt32 = 32_768
        var passes: UInt32 = 3
        /// A part of the result; the lanes are computed one after the other, by the calling thread.
        var lanes: UInt32 = 16

        /// The least that the function takes; see ``ServerConfiguration/hashesCheaply``.
        static let least = Cost(memory: 8, passes: 1, lanes: 1)

        /// A manipulated database must not make the server spend minutes on a comparison.
        fileprivate var isAffordable: Bool { memory <= 1 << 18 && passes <= 16 && lanes <= 64 }
    }

    let cost: Cost
    let salt: Data
    let digest: Data

    /// Hashes a password with a fresh 16-byte salt to 32 bytes.
    /// - Throws: `genericCryptographyError` for lack of memory.
    init(hashing password: String, cost: Cost) throws {
        self.cost = cost
        salt = Random.bytes(16)
        digest = try Self.digest(of: password, salt: salt, cost: cost, count: 32)
    }

    /// Reads a stored hash; nil for any other text.
    init?(stored text: String) {
        guard
            let parts = text.wholeMatch(
                of: /\$argon2i\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([A-Za-z0-9+\/]+)\$([A-Za-z0-9+\/]+)/),
            let memory = UInt32(parts.1), let passes = UInt32(parts.2), let lanes = UInt32(parts.3),
            let salt = Self.decode(parts.4), let digest = Self.decode(parts.5)
        else { return nil }
        cost = Cost(memory: memory, passes: passes, lanes: lanes)
        guard cost.isAffordable else { return nil }
        self.salt = salt
        self.digest = digest
    }

    var text: String {
        "$argon2i$v=19$m=\(cost.memory),t=\(cost.passes),p=\(cost.lanes)$\(Self.encode(salt))$\(Self.encode(digest))"
    }

    /// Compares in constant time.
    func matches(_ password: String) -> Bool {
        guard let other = try? Self.digest(of: password, salt: salt, cost: cost, count: digest.count) else {
            return false
        }
        return constantTimeEquals(other, digest)
    }

    private static func digest(of password: String, salt: Data, cost: Cost, count: Int) throws -> Data {
        var password = Array(password.utf8)
        var salt = Array(salt)
        var digest = Data(count: count)
        let code = digest.withUnsafeMutableBytes { output in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    var context = argon2_context(
                        out: output.baseAddress?.assumingMemoryBound(to: UInt8.self), outlen: UInt32(output.count),
                        pwd: password.baseAddress, pwdlen: UInt32(password.count), salt: salt.baseAddress,
                        saltlen: UInt32(salt.count), secret: nil, secretlen: 0, ad: nil, adlen: 0,
                        t_cost: cost.passes, m_cost: cost.memory, lanes: cost.lanes, threads: 1,
                        version: UInt32(ARGON2_VERSION_13.rawValue), allocate_cbk: nil, free_cbk: nil,
                        // The library wipes the copy of the password as soon as it has read it.
                        flags: 1 << 0)
                    return argon2_ctx(&context, Argon2_i)
                }
            }
        }
        guard code == ARGON2_OK.rawValue else {
            throw ServiceError(.genericCryptographyError, "Argon2: \(String(cString: argon2_error_message(code)))")
        }
        return digest
    }

    private static func encode(_ data: Data) -> String { String(data.base64EncodedString().prefix { $0 != "=" }) }

    private static func decode(_ text: Substring) -> Data? {
        Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}
