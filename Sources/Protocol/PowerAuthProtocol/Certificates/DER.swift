// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes the distinguished encoding of ASN.1 (X.690), as much of it as a certificate request needs.
enum DER {
    /// The first byte of an element: its class, whether it is made of others, and its number.
    enum Tag: UInt8 {
        case boolean = 0x01
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case objectIdentifier = 0x06
        case utf8String = 0x0C
        case printableString = 0x13
        case ia5String = 0x16
        case sequence = 0x30
        case set = 0x31
        /// The kinds of a `GeneralName`.
        case rfc822Name = 0x81
        case dnsName = 0x82
        case uri = 0x86
        case ipAddress = 0x87
        /// `[0]` of a certificate request.
        case attributes = 0xA0
    }

    static let `true` = element(.boolean, Data([0xFF]))
    static let zero = element(.integer, Data([0]))

    static func element(_ tag: Tag, _ content: Data) -> Data {
        var element = Data([tag.rawValue])
        if content.count < 0x80 {
            element.append(UInt8(content.count))
        } else {
            let digits = withUnsafeBytes(of: UInt64(content.count).bigEndian) { Data($0.drop { $0 == 0 }) }
            element.append(0x80 | UInt8(digits.count))
            element.append(digits)
        }
        return element + content
    }

    static func sequence(_ elements: [Data]) -> Data { element(.sequence, elements.reduce(Data(), +)) }

    /// Whole bytes: no bit of the last one is unused.
    static func bitString(_ bytes: Data) -> Data { element(.bitString, Data([0]) + bytes) }

    /// - Parameter arcs: the numbers of the identifier, at least two.
    static func objectIdentifier(_ arcs: UInt...) -> Data {
        // The first two numbers share one. Each is written in digits of seven bits; all but its last have the top bit.
        let numbers = [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2)
        return element(
            .objectIdentifier,
            numbers.reduce(into: Data()) { content, number in
                var digits = [UInt8(number & 0x7F)]
                var rest = number >> 7
                while rest != 0 {
                    digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                    rest >>= 7
                }
                content.append(contentsOf: digits)
            })
    }
}
