public import Foundation

/// `Dec(bytes, n)`: decimal digits from the last four bytes (protocol.md, section 2.7).
public enum Decimalization {
    /// Digits a result may have.
    public static let lengths = 4...8

    /// Exactly `length` digits.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for fewer than 4 bytes or a
    ///   number of digits outside 4…8.
    public static func decimal(_ data: Data, length: Int = 8) throws -> String {
        guard data.count >= 4 else {
            throw ProtocolError.invalidLength(
                field: "value to decimalise", expected: "4 bytes or more", actual: data.count)
        }
        guard lengths.contains(length) else {
            throw ProtocolError.invalidLength(field: "decimal length", expected: "4 to 8 digits", actual: length)
        }
        let number = data.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<length).reduce(UInt32(1)) { product, _ in product * 10 }
        return padded(UInt64(number % modulus), length: length)
    }

    static func padded(_ number: UInt64, length: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, length - digits.count)) + digits
    }
}
