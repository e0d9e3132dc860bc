import Foundation
import PowerAuthProtocol
import TestSupport

/// Bytes of hexadecimal digits, which tests write as literals.
func hex(_ text: String) -> Data {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    return Data(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
}

/// Bytes that count up from `first`, as the worked example uses them.
func counting(_ count: Int, from first: UInt8) -> Data { Data((0..<count).map { first &+ UInt8($0) }) }

extension Data {
    var hexText: String { map { String(format: "%02x", $0) }.joined() }

    var base64: String { base64EncodedString() }

    /// The same bytes with one bit inverted; the bit number may be larger than the data. Without bytes
    /// there is no bit, so one byte is added.
    func flippingBit(_ number: Int) -> Data {
        var bytes = [UInt8](self)
        guard !bytes.isEmpty else { return Data([0]) }
        let bit = number % (bytes.count * 8)
        bytes[bit / 8] ^= 1 << (bit % 8)
        return Data(bytes)
    }
}

extension String {
    var utf8Data: Data { Data(utf8) }

    var base64Decoded: Data { Data(base64Encoded: self) ?? Data() }
}

extension SeededGenerator {
    mutating func bytes(_ count: Int) -> Data { Data((0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }) }

    /// A damaged copy: bits flipped, bytes cut, doubled, inserted or replaced.
    mutating func damaged(_ data: Data) -> Data {
        var bytes = [UInt8](data)
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            guard !bytes.isEmpty else { break }
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes.removeSubrange(index...)
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &self), at: index)
            case 4: bytes.insert(contentsOf: bytes[index...], at: index)
            default: bytes[index] = UInt8.random(in: 0...255, using: &self)
            }
        }
        return Data(bytes.prefix(4096))
    }
}
