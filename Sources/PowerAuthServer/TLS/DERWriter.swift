import Foundation

/// Writes the few ASN.1 structures certificates are made of (X.690, distinguished encoding rules).
enum DERWriter {
    static func sequence(_ parts: Data...) -> Data { element(0x30, parts.reduce(Data(), +)) }
    static func set(_ part: Data) -> Data { element(0x31, part) }
    static func octetString(_ bytes: Data) -> Data { element(0x04, bytes) }
    static func bitString(_ bytes: Data) -> Data { element(0x03, Data([0]) + bytes) }
    static func utf8(_ text: String) -> Data { element(0x0C, Data(text.utf8)) }
    static let yes = Data([0x01, 0x01, 0xFF])

    /// A context-specific element around others.
    static func explicit(_ number: UInt8, _ content: Data) -> Data { element(0xA0 | number, content) }

    /// A context-specific element in place of a primitive one.
    static func implicit(_ number: UInt8, _ content: Data) -> Data { element(0x80 | number, content) }

    /// A positive integer from its bytes, most significant first.
    static func integer(_ bytes: Data) -> Data {
        let significant = Data(bytes.drop { $0 == 0 })
        let needsZero = significant.first.map { $0 >= 0x80 } ?? true
        return element(0x02, (needsZero ? Data([0]) : Data()) + significant)
    }

    /// An object identifier from its numbers, each smaller than 2^28.
    static func identifier(_ numbers: [Int]) -> Data {
        var bytes = Data([UInt8(numbers[0] * 40 + numbers[1])])
        for number in numbers.dropFirst(2) {
            var groups = [UInt8(number & 0x7F)]
            var rest = number >> 7
            while rest > 0 {
                groups.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            bytes += groups
        }
        return element(0x06, bytes)
    }

    /// A moment of the years 2000 to 9999, in whole seconds of UTC.
    static func time(_ moment: ServerTime) -> Data {
        // GeneralizedTime is for 2050 and later, UTCTime for what comes before (RFC 5280, section 4.1.2.5).
        let text = BackOfficeDate(moment).text.prefix(19).filter(\.isNumber)
        return text < "2050"
            ? element(0x17, Data((text.dropFirst(2) + "Z").utf8)) : element(0x18, Data((text + "Z").utf8))
    }

    private static func element(_ tag: UInt8, _ content: Data) -> Data {
        var header = Data([tag])
        switch content.count {
        case ..<0x80: header.append(UInt8(content.count))
        case ..<0x100: header += [0x81, UInt8(content.count)]
        default: header += [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
        }
        return header + content
    }
}
