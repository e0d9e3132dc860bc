public import Foundation

/// The two wire formats of an ECDSA signature and the conversion between them (protocol.md, section 2.4).
public enum ECDSAFormat: CaseIterable, Sendable {
    /// ASN.1 DER, the default.
    case der
    /// `r ‖ s`, 32 bytes each, in JWTs.
    case jose

    /// DER → JOSE, 64 bytes; nil for anything but one sequence of two positive integers that fit.
    public static func joseFromDER(_ der: Data) -> Data? {
        let bytes = [UInt8](der)
        guard bytes.count >= 2, bytes[0] == 0x30, bytes[1] < 0x80, Int(bytes[1]) == bytes.count - 2 else { return nil }
        var output = Data(capacity: 64)
        var offset = 2
        for _ in 0..<2 {
            guard offset + 2 <= bytes.count, bytes[offset] == 0x02 else { return nil }
            let length = Int(bytes[offset + 1])
            let start = offset + 2
            guard (1...33).contains(length), start + length <= bytes.count else { return nil }
            let integer = bytes[start..<(start + length)]
            // 33 bytes are one sign byte and 32 digits; anything else would lose its top digit here.
            guard length < 33 || integer.first == 0 else { return nil }
            let digits = integer.suffix(32)
            output.append(Data(count: 32 - digits.count))
            output.append(contentsOf: digits)
            offset = start + length
        }
        return offset == bytes.count ? output : nil
    }

    /// JOSE → minimal DER; nil unless it has 64 bytes and neither half is zero (protocol.md, section 22, item 7).
    public static func derFromJOSE(_ jose: Data) -> Data? {
        guard jose.count == 64 else { return nil }
        var content = Data(capacity: 70)
        for half in [jose.prefix(32), jose.suffix(32)] {
            let digits = half.drop { $0 == 0 }
            guard let first = digits.first else { return nil }
            let needsSignByte = first & 0x80 != 0
            content.append(contentsOf: [0x02, UInt8(digits.count + (needsSignByte ? 1 : 0))])
            if needsSignByte { content.append(0) }
            content.append(digits)
        }
        return Data([0x30, UInt8(content.count)]) + content
    }
}
