public import Foundation

/// TOTP with HMAC-SHA256, the proximity code of offline signatures and operations
/// (protocol.md, section 9.8; server.md, section 32.8).
public enum OneTimeCode {
    /// The code of one time step.
    /// - Parameters:
    ///   - seed: shared secret of any length.
    ///   - time: seconds since 1970.
    ///   - step: length of a step in seconds, at least 1.
    ///   - digits: 1 to 9, 8 by default.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for a step or number of digits out of range.
    public static func generate(seed: Data, time: UInt64, step: UInt64 = 30, digits: Int = 8) throws -> String {
        guard step >= 1 else { throw ProtocolError.invalidFormat(field: "step", reason: "must be 1 second or more") }
        guard (1...9).contains(digits) else {
            throw ProtocolError.invalidFormat(field: "digits", reason: "must be 1 to 9")
        }
        let mac = [UInt8](Digest.hmacSHA256(key: seed, data: BinaryLayout.bigEndian(time / step)))
        let offset = Int(mac[31] & 0x0F)
        let number = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product * 10 }
        return Decimalization.padded(UInt64(number % modulus), length: digits)
    }

    /// Whether a code is that of the current step or of one of the `previousSteps` before; every candidate
    /// is compared in constant time.
    /// - Throws: as ``generate(seed:time:step:digits:)``.
    public static func isValid(
        _ code: String, seed: Data, time: UInt64, step: UInt64 = 30, digits: Int = 8, previousSteps: Int = 1
    ) throws -> Bool {
        var isValid = false
        for index in 0...UInt64(clamping: max(0, previousSteps)) {
            let (back, overflow) = index.multipliedReportingOverflow(by: step)
            guard !overflow, back <= time else { break }
            let expected = try generate(seed: seed, time: time - back, step: step, digits: digits)
            if constantTimeEquals(expected, code) { isValid = true }
        }
        return isValid
    }
}
