// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("P-256 keys and ECDSA", .endsInTime)
struct PublicKeyTests {
    @Test func `Both forms are the same key`() throws {
        for _ in 0..<20 {
            let key = try PrivateKey.generate().publicKey
            #expect(key.compressed.count == 33 && [2, 3].contains(key.compressed[0]))
            #expect(key.uncompressed.count == 65 && key.uncompressed[0] == 4)
            #expect(try PublicKey(encoded: key.compressed) == key)
            #expect(try PublicKey(encoded: key.uncompressed) == key)
        }
    }

    @Test func `Unusable points are refused`() throws {
        let key = try LabExample.serverKey().publicKey
        let uncompressed = key.uncompressed
        let isOdd = uncompressed[64] & 1
        let fieldPrime = hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
        let cases: [(String, Data)] = [
            ("empty", Data()), ("infinity", Data([0])), ("infinity, padded to 33", Data(count: 33)),
            ("infinity, padded to 65", Data(count: 65)),
            ("hybrid of the right parity", Data([6 + isOdd]) + uncompressed.dropFirst()),
            ("hybrid of the wrong parity", Data([7 - isOdd]) + uncompressed.dropFirst()),
            ("hybrid of compressed size", Data([6]) + key.compressed.dropFirst()),
            ("compressed form with prefix 04", Data([4]) + key.compressed.dropFirst()),
            ("uncompressed form with prefix 02", Data([2]) + uncompressed.dropFirst()),
            ("prefix 05", Data([5]) + key.compressed.dropFirst()), ("one byte short", uncompressed.dropLast()),
            ("one byte long", uncompressed + [0]), ("compressed, one byte short", key.compressed.dropLast()),
            ("compressed, one byte long", key.compressed + [0]), ("x is the prime", Data([2]) + fieldPrime),
            ("x and y are zero", Data([4]) + Data(count: 64)),
            ("x above the prime", Data([3]) + Data(repeating: 0xFF, count: 32)),
            ("off the curve", uncompressed.dropLast() + [uncompressed[64] ^ 1]),
        ]
        for (name, encoded) in cases {
            #expect(throws: ProtocolError.invalidKey("point"), "\(name)") {
                try PublicKey(encoded: encoded, field: "point")
            }
        }
        // Half of all x coordinates belong to no point; the smallest of them is refused, too.
        let refused = (0..<64).filter { (try? PublicKey(encoded: Data([2]) + Data(count: 31) + [UInt8($0)])) == nil }
        #expect((10..<54).contains(refused.count))
    }

    @Test func `Slices of larger buffers are read correctly`() throws {
        let key = try LabExample.serverKey().publicKey
        let buffer = Data([1, 2, 3]) + key.uncompressed + [4]
        #expect(try PublicKey(encoded: buffer[3..<68]).compressed == key.compressed)
    }

    @Test func `Private scalars of any length are read`() throws {
        let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        for invalid in [
            Data(), Data([0]), Data(count: 40), order, order.dropLast() + [0x52], Data(repeating: 255, count: 32),
            Data([1]) + order,
        ] {
            #expect(throws: ProtocolError.invalidKey("d"), "\(invalid.hexText)") {
                try PrivateKey(bigEndian: invalid, field: "d")
            }
        }
        let one = try PrivateKey(bigEndian: Data([1]))
        #expect(one.publicKey.normalizedX.hexText == "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
        #expect(try PrivateKey(bigEndian: Data(count: 40) + [1]).publicKey == one.publicKey)
        #expect(try one.bigEndian == Data([1]))
        #expect(try PrivateKey(bigEndian: order.dropLast() + [0x50]).publicKey.normalizedX == one.publicKey.normalizedX)
        let generated = try PrivateKey.generate()
        #expect(try PrivateKey(bigEndian: generated.bigEndian).publicKey == generated.publicKey)
    }

    @Test func `Imported keys can do everything`() throws {
        let key = try PrivateKey(bigEndian: Data([7]))
        let other = try PrivateKey.generate()
        #expect(
            try key.sharedSecret(with: other.publicKey).bytes.rawData
                == other.sharedSecret(with: key.publicKey).bytes.rawData)
        #expect(key.publicKey.verify(signature: try key.sign("x".utf8Data), of: "x".utf8Data))
    }

    @Test func `Signatures verify in both formats`() throws {
        let key = try PrivateKey.generate()
        for index in 0..<300 {
            // Enough signatures to meet r and s with leading zeros.
            let message = "message \(index)".utf8Data
            let der = try key.sign(message)
            let jose = try #require(ECDSAFormat.joseFromDER(der))
            #expect(jose.count == 64)
            #expect(ECDSAFormat.derFromJOSE(jose) == der)
            #expect(key.publicKey.verify(signature: jose, of: message, format: .jose))
            #expect(!key.publicKey.verify(signature: der.flippingBit(index), of: message))
            #expect(!key.publicKey.verify(signature: der, of: message.flippingBit(index)))
        }
        let message = "once".utf8Data
        let jose = try key.sign(message, format: .jose)
        #expect(jose.count == 64 && key.publicKey.verify(signature: jose, of: message, format: .jose))
        #expect(!key.publicKey.verify(signature: jose, of: message))
        #expect(!key.publicKey.verify(signature: Data(), of: message))
        #expect(!(try PrivateKey.generate().publicKey.verify(signature: jose, of: message, format: .jose)))
    }

    @Test func `Short integers keep their value`() throws {
        let jose = Data(count: 30) + Data([0x80, 0x01]) + Data(count: 31) + Data([0x7F])
        let der = try #require(ECDSAFormat.derFromJOSE(jose))
        #expect(der.hexText == "3008" + "0203008001" + "02017f")
        #expect(ECDSAFormat.joseFromDER(der) == jose)
    }

    @Test func `Malformed signature forms are refused`() {
        #expect(ECDSAFormat.derFromJOSE(Data(count: 64)) == nil)
        #expect(ECDSAFormat.derFromJOSE(Data(count: 32) + Data(repeating: 1, count: 32)) == nil)
        #expect(ECDSAFormat.derFromJOSE(Data(repeating: 1, count: 32) + Data(count: 32)) == nil)
        #expect(ECDSAFormat.derFromJOSE(Data(repeating: 1, count: 63)) == nil)
        for der in [
            "", "30", "3000", "3006020101020102ff", "3007020101020102", "3006020101030102", "310602010102010",
            "300602000202010200", "3003020101", "30060201010202", "308006020101020101",
            "3044" + "0221" + "01" + String(repeating: "11", count: 32) + "021f" + String(repeating: "11", count: 31),
        ] {
            #expect(ECDSAFormat.joseFromDER(hex(der)) == nil, "\(der)")
        }
        #expect(ECDSAFormat.joseFromDER(hex("3006020101020102")) != nil)
    }
}
