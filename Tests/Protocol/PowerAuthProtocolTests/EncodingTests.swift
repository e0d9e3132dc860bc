// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Encodings", .endsInTime)
struct EncodingTests {
    @Test func `Base64 is read strictly`() {
        #expect(StrictBase64.decode("") == Data())
        #expect(StrictBase64.decode("AAEC") == Data([0, 1, 2]))
        #expect(StrictBase64.decode("AB==") == Data([0]), "unused bits may be set")
        #expect(StrictBase64.decode("+/8=") == Data([0xFB, 0xFF]))
        for text in [
            "A", "AA", "AAA", "AAAAA", "AA=", "A===", "====", "AAE C", "AAEC\n", " AAEC", "-_8=", "AA==AAEC", "AAE=C",
            "AAÉ=", "=AAA",
        ] {
            #expect(StrictBase64.decode(text) == nil, "\(text)")
        }
        for size in 0..<50 {
            let data = Random.bytes(size)
            #expect(StrictBase64.decode(StrictBase64.encode(data)) == data)
        }
    }

    @Test(arguments: [(3 << 20) - 1, 3 << 20, (3 << 20) + 1, (3 << 20) + 3])
    func `A long text is that of one piece`(count: Int) {
        let data = Random.bytes(count)
        let isEqual = StrictBase64.encode(data) == data.base64EncodedString()
        #expect(isEqual)
    }

    @Test func `A field of a fixed size names itself when it has another one, or is no Base64`() throws {
        #expect(try StrictBase64.decode("AAEC", field: "x") == Data([0, 1, 2]))
        #expect(try StrictBase64.decode("AAEC", field: "x", count: 3) == Data([0, 1, 2]))
        for count in [0, 2, 4] {
            #expect(throws: ProtocolError.invalidLength(field: "x", expected: "\(count) bytes", actual: 3)) {
                try StrictBase64.decode("AAEC", field: "x", count: count)
            }
        }
        #expect(throws: ProtocolError.invalidEncoding(field: "x")) {
            try StrictBase64.decode("AAE", field: "x", count: 3)
        }
    }

    @Test(.verifies("sdk.md", "B-58")) func `Base64url keeps every byte, needs no padding, and has one spelling`() {
        for (text, encoded) in [
            (#"{"text":"žôžä"}"#, "eyJ0ZXh0Ijoixb7DtMW-w6QifQ"), (#"{"text":"💩??"}"#, "eyJ0ZXh0Ijoi8J-SqT8_In0"),
        ] {
            #expect(Base64URL.encode(Data(text.utf8)) == encoded)
            #expect(Base64URL.decode(encoded) == Data(text.utf8))
        }
        for count in 0...128 {
            let data = Random.bytes(count)
            #expect(Base64URL.decode(Base64URL.encode(data)) == data)
        }
        #expect(Base64URL.encode(Data([0xFB, 0xFF])) == "-_8")
        #expect(Base64URL.decode("-_8") == Data([0xFB, 0xFF]))
        #expect(Base64URL.decode("-_8=") == Data([0xFB, 0xFF]))
        for text in ["A", "-_9", "+/8", "-_8==", "AA=", "A A", "=", "===="] {
            #expect(Base64URL.decode(text) == nil, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func `RFC 4648 without padding`(plain: String, encoded: String) {
        #expect(Base32.encode(plain.utf8Data) == encoded)
        #expect(Base32.decode(encoded) == plain.utf8Data)
    }

    @Test(arguments: ["A", "AAA", "AAAAAA", "MZ", "my", "MY======", "M1", "M8", "M ", "MZXW6É"])
    func `Malformed Base32 is refused`(text: String) {
        #expect(Base32.decode(text) == nil)
    }

    @Test func `The checksum is that of the protocol`() {
        #expect(CRC16.checksum("123456789".utf8Data) == 0xBB3D)
        #expect(CRC16.checksum("iV6jP5Xr0z".utf8Data) == 0xC6EB)
        let data = CRC16.appending(to: "iV6jP5Xr0z".utf8Data)
        #expect(CRC16.validates(data))
        for bit in 0..<(data.count * 8) { #expect(!CRC16.validates(data.flippingBit(bit)), "bit \(bit)") }
        #expect(!CRC16.validates(Data([0])))
    }

    @Test(.verifies("size", "CountEncoding.maximum")) func `Counts are encoded in one, two or four bytes`() throws {
        let counts = [
            0, 1, 0x7F, 0x80, 0xFF, 0x100, 0x101, 0x3FFF, 0x4000, 0xFFFF, 0x10000, 0xFFFFFF, 0x1000000, 0x1020304,
            0x1020_3040, 0x3FFF_FFFF,
        ]
        let written = try counts.reduce(into: Data()) { $0 += try #require(CountEncoding.encode($1)) }
        #expect(written.base64 == "AAF/gICA/4EAgQG//8AAQADAAP//wAEAAMD////BAAAAwQIDBNAgMED/////")
        var reader = CountedReader(written)
        #expect(counts.map { _ in reader.count() } == counts)
        #expect(reader.remaining == 0 && reader.count() == nil)
        #expect(CountEncoding.encode(0x4000_0000) == nil)
        #expect(CountEncoding.encode(-1) == nil)
    }

    @Test func `Readers stop at the end`() {
        var reader = CountedReader(Data([0x83]))
        #expect(reader.counted() == nil)
        var exact = CountedReader(Data([2, 8, 9, 0]))
        #expect(exact.counted() == Data([8, 9]) && exact.remaining == 1)
        #expect(exact.counted() == Data() && exact.remaining == 0 && exact.byte() == nil)
        #expect(exact.bytes(0) == Data() && exact.bytes(1) == nil)
        var short = CountedReader(Data([5, 1, 2]))
        #expect(short.counted() == nil)
        var huge = CountedReader(Data([0xFF, 0xFF, 0xFF, 0xFF, 0]))
        #expect(huge.counted() == nil)
        var negative = CountedReader(Data([1]))
        #expect(negative.bytes(-1) == nil)
    }

    @Test func `Numbers are made decimal`() throws {
        #expect(try Decimalization.decimal(hex("ffffffff")) == "47483647")
        #expect(try Decimalization.decimal(hex("0000000000000001"), length: 4) == "0001")
        #expect(try Decimalization.decimal(hex("80000007"), length: 6) == "000007", "the sign bit is cleared")
        #expect(throws: ProtocolError.self) { try Decimalization.decimal(hex("000001")) }
        for length in [Int.min, 0, 3, 9, Int.max] {
            #expect(throws: ProtocolError.self) { try Decimalization.decimal(hex("00000001"), length: length) }
        }
    }

    @Test func `UUIDs are read and written`() {
        #expect(UUIDText.isValid(LabExample.activationId))
        #expect(UUIDText.isValid(LabExample.activationId.uppercased()))
        for text in [
            "", "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a1", "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a111",
            "7f2c9a52-4d0e-0b6c-9d27-3f8d1b6e0a11", "7f2c9a52-4d0e-6b6c-9d27-3f8d1b6e0a11",
            "7f2c9a52-4d0e-4b6c-7d27-3f8d1b6e0a11", "7f2c9a52-4d0e-4b6c-cd27-3f8d1b6e0a11",
            "7f2c9a5204d0e-4b6c-9d27-3f8d1b6e0a11", "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a1g",
            "{f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11}",
        ] {
            #expect(!UUIDText.isValid(text), "\(text)")
        }
    }
}
