// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// The public test vectors beside the package, read in place.
enum Vectors {
    /// The checkout may be reached through a link; the vectors lie beside the real one.
    static let directory = Project.root.resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "shared/vectors")

    static var arePresent: Bool { FileManager.default.fileExists(atPath: directory.path) }

    static let condition = ConditionTrait.enabled(
        if: arePresent, "the test vectors are expected in ../shared/vectors beside the package")

    struct File<Input: Decodable, Output: Decodable>: Decodable {
        let data: [Record]

        struct Record: Decodable {
            let input: Input
            let output: Output
        }
    }

    /// The records of a file whose values are all texts.
    static func texts(_ name: String) throws -> [(input: [String: String], output: [String: String])] {
        let file: File<[String: String], [String: String]> = try read(name)
        return file.data.map { ($0.input, $0.output) }
    }

    static func read<Input, Output>(_ name: String) throws -> File<Input, Output> {
        let data = try Data(contentsOf: directory.appendingPathComponent(name + ".json"))
        return try JSONDecoder().decode(File<Input, Output>.self, from: data)
    }
}

extension [String: String] {
    /// The decoded Base64 value of a member.
    func bytes(_ name: String) throws -> Data {
        let text = try text(name)
        return try #require(Data(base64Encoded: text), "Base64 in \(name)")
    }

    func text(_ name: String) throws -> String { try #require(self[name], "member \(name)") }
}

/// The inputs of the worked example (protocol.md, section 19.1).
enum LabExample {
    static let applicationKeyText = "AAECAwQFBgcICQoLDA0ODw=="
    static let applicationSecretText = "EBESExQVFhcYGRobHB0eHw=="
    static let activationId = "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11"
    static let temporaryKeyId = "2b1f0c6e-9a54-4e5a-8a3c-0d9b7f3e6c21"
    static let nonce = counting(16, from: 0x20)
    static let nonceText = "ICEiIyQlJicoKSorLC0uLw=="
    static let timestamp: UInt64 = 1_735_689_600_000
    static let counterBytes = counting(16, from: 0xA0)

    static func key(_ label: String) throws -> PrivateKey {
        try PrivateKey(bigEndian: Digest.sha256(label.utf8Data))
    }

    static func masterKey() throws -> PrivateKey { try key("lab master server key") }
    static func deviceKey() throws -> PrivateKey { try key("lab device key") }
    static func serverKey() throws -> PrivateKey { try key("lab server key") }
    static func ephemeralKey() throws -> PrivateKey { try key("lab ephemeral key") }

    static func counter() throws -> CounterData { try CounterData(counterBytes) }

    static func masterSecret() throws -> MasterSecretKey {
        try .derive(private: deviceKey(), public: serverKey().publicKey)
    }

    static func keys() throws -> DerivedKeys { DerivedKeys(masterSecret: try masterSecret()) }
}

/// Bytes of hexadecimal digits, which tests write as literals.
func hex(_ text: String) -> Data {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    return Data(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
}

/// Bytes that count up from `first`, as the worked example uses them.
func counting(_ count: Int, from first: UInt8) -> Data { Data((0..<count).map { first &+ UInt8($0) }) }

/// The error of the protocol that a body throws.
func refusal(_ body: () throws -> Void) -> ProtocolError? { thrown(body) as? ProtocolError }

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
