// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// The reader of an alphabet meets every character at every place, so that an interval that is one longer or shorter, or a
/// condition less, shows.
@Suite("Alphabets, with every character", .endsInTime)
struct AlphabetTests {
    private static let upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    private static let lowerCase = "abcdefghijklmnopqrstuvwxyz"
    private static let digits = "0123456789"

    /// Every ASCII character as a text of its own.
    private static let characters = (UInt8(0)..<128).map { (byte: $0, text: String(Unicode.Scalar($0))) }

    @Test func `Base32 has its thirty-two characters, possible lengths and no set bit that is unused`() {
        let alphabet = Array((Self.upperCase + "234567").utf8)
        for (byte, text) in Self.characters {
            let value = alphabet.firstIndex(of: byte).map { UInt8($0) }
            let (first, last) = (value.map { Data([$0 << 3]) + Data(count: 4) }, value.map { Data(count: 4) + [$0] })
            #expect(Base32.decode(text + "AAAAAAA") == first, "\(byte)")
            #expect(Base32.decode("AAAAAAA" + text) == last, "\(byte)")
            for (count, unused) in [(2, UInt8(0b11)), (4, 0b1111), (5, 0b1), (7, 0b111)] {
                let isRead = Base32.decode(String(repeating: "A", count: count - 1) + text) != nil
                let isWhole = value.map { $0 & unused == 0 } ?? false
                #expect(isRead == isWhole, "\(byte) as the last of \(count)")
            }
        }
        for count in 0...17 {
            let isPossible = ![1, 3, 6].contains(count % 8)
            let size = Base32.decode(String(repeating: "A", count: count))?.count
            #expect(size == (isPossible ? count * 5 / 8 : nil), "\(count) characters")
        }
    }

    @Test(arguments: ["+/", "-_"])
    func `Base64 and Base64url have their sixty-four characters and no other`(ending: String) {
        let alphabet = Array((Self.upperCase + Self.lowerCase + Self.digits + ending).utf8)
        func decode(_ text: String) -> Data? { ending == "+/" ? StrictBase64.decode(text) : Base64URL.decode(text) }
        // The padding has a meaning of its own.
        for (byte, text) in Self.characters where text != "=" {
            let value = alphabet.firstIndex(of: byte).map { UInt8($0) }
            let (first, last) = (value.map { Data([$0 << 2]) + Data(count: 2) }, value.map { Data(count: 2) + [$0] })
            #expect(decode(text + "AAA") == first, "\(byte)")
            #expect(decode("AAA" + text) == last, "\(byte)")
        }
    }

    @Test func `A UUID has dashes, digits, version and variant at their places, and nothing else there`() {
        let sample = Array(LabExample.activationId.utf8)
        for place in sample.indices {
            let allowed: Set<UInt8> =
                switch place {
                case 8, 13, 18, 23: Set("-".utf8)
                case 14: Set("12345".utf8)
                case 19: Set("89abAB".utf8)
                default: Set("0123456789abcdefABCDEF".utf8)
                }
            for (byte, _) in Self.characters {
                var changed = sample
                changed[place] = byte
                let isValid = UUIDText.isValid(String(decoding: changed, as: UTF8.self))
                #expect(isValid == allowed.contains(byte), "\(byte) at \(place)")
            }
        }
    }

    @Test
    func `A header separates pairs by white space and commas, and names consist of letters, digits and underscores`() {
        let spaces = Set(" \t\n\u{B}\u{C}\r".unicodeScalars.map { UInt8($0.value) })
        let word = Set((Self.upperCase + Self.lowerCase + Self.digits + "_").utf8)
        for (byte, text) in Self.characters {
            func pairs(_ value: String) -> [String: String]? { PowerAuthHeader(value)?.attributes }
            let between = pairs("PowerAuth a=1\(text)b=2")
            let behind = pairs("PowerAuth a=1\(text)")
            if spaces.contains(byte) || text == "," {
                #expect(between == ["a": "1", "b": "2"] && behind == ["a": "1"], "\(byte)")
            } else if text == "\"" {
                #expect(between == nil && behind == nil)
            } else {
                #expect(between == ["a": "1\(text)b=2"] && behind == ["a": "1\(text)"], "\(byte)")
            }
            #expect((pairs("\(text)PowerAuth a=1") != nil) == spaces.contains(byte), "\(byte) in front")
            var named: [String: String]?
            if word.contains(byte) { named = ["x\(text)": "1"] }
            if text == "=" { named = ["x": "=1"] }
            #expect(pairs("PowerAuth x\(text)=1") == named, "\(byte) in a name")
        }
    }

    @Test
    func `A query keeps letters, digits and four marks, writes a plus for a blank, and any other byte in hexadecimal`()
        throws
    {
        let plain = Set((Self.upperCase + Self.lowerCase + Self.digits + "-_.*").utf8)
        func canonical(_ raw: String) throws -> String {
            String(decoding: try SymmetricSignature.canonicalQuery(rawQuery: raw), as: UTF8.self)
        }
        for byte in UInt8.min...UInt8.max {
            let code = String(format: "%%%02X", byte)
            let written = plain.contains(byte) ? String(Unicode.Scalar(byte)) : byte == 0x20 ? "+" : code
            #expect(try canonical("a=" + code) == "a=" + written, "\(byte)")
            #expect(try canonical(code.lowercased() + "=a") == written + "=a", "\(byte)")
        }
        let digits = Set("0123456789abcdefABCDEF".utf8)
        for (byte, text) in Self.characters {
            for raw in ["a=%\(text)0", "a=%0\(text)"] {
                #expect(((try? canonical(raw)) != nil) == digits.contains(byte), "\(byte)")
            }
        }
    }

    @Test func `Typed letters, digits and look-alikes are corrected, and no other character is`() {
        for codePoint in UInt32(0)...0x17F {
            let expected: UInt32 =
                switch codePoint {
                case 0x41...0x5A, 0x32...0x37: codePoint
                case 0x61...0x7A: codePoint - 0x20
                case 0x30: 0x4F
                case 0x31: 0x49
                default: 0
                }
            #expect(TypedCharacter.correct(codePoint) == expected, "\(codePoint)")
            #expect(TypedCharacter.validate(codePoint) == (expected == codePoint && codePoint != 0), "\(codePoint)")
        }
    }

    @Test func `A PUK has ten digits, and a memory identifier one to four characters of its alphabet`() {
        let identifier = Set((Self.upperCase + Self.lowerCase + Self.digits + "-+").utf8)
        for (byte, text) in Self.characters {
            let isDigit = Self.digits.utf8.contains(byte)
            #expect(RecoveryPuk.isValid("000000000" + text) == isDigit, "\(byte)")
            #expect(RecoveryPuk.isValid(text + "000000000") == isDigit, "\(byte)")
            #expect(SharedNames.isValidMemoryIdentifier(text) == identifier.contains(byte), "\(byte)")
            #expect(SharedNames.isValidMemoryIdentifier("aaa" + text) == identifier.contains(byte), "\(byte)")
        }
        for count in 0...12 {
            let text = String(repeating: "1", count: count)
            #expect(RecoveryPuk.isValid(text) == (count == 10))
            #expect(SharedNames.isValidMemoryIdentifier(text) == (1...4).contains(count))
        }
    }
}
