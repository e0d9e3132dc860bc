// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The byte layouts protocol.md, section 1 names.
enum BinaryLayout {
    /// `Join(a, b, …)`: each item after its length as `BE32`, behind bytes that are written as they are.
    static func join(_ items: [Data], behind start: Data = Data()) -> Data {
        var output = Data(count: items.reduce(start.count) { $0 + 4 + $1.count })
        output.withUnsafeMutableBytes { output in
            start.withUnsafeBytes { output.copyMemory(from: $0) }
            var offset = start.count
            for item in items {
                output.storeBytes(of: UInt32(clamping: item.count).bigEndian, toByteOffset: offset, as: UInt32.self)
                item.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: output[(offset + 4)...]).copyMemory(from: $0)
                }
                offset += 4 + item.count
            }
        }
        return output
    }

    /// The same for secrets.
    static func join(secrets: [SecretBytes], behind start: Data = Data()) -> SecretBytes {
        SecretBytes(count: secrets.reduce(start.count) { $0 + 4 + $1.count }) { output in
            start.withUnsafeBytes { output.copyMemory(from: $0) }
            var offset = start.count
            for secret in secrets {
                output.storeBytes(of: UInt32(clamping: secret.count).bigEndian, toByteOffset: offset, as: UInt32.self)
                secret.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: output[(offset + 4)...]).copyMemory(from: $0)
                }
                offset += 4 + secret.count
            }
        }
    }

    /// `BE16`, `BE32` or `BE64`, by the type of the number.
    static func bigEndian(_ number: some FixedWidthInteger) -> Data {
        Swift.withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}

/// The variable-length numbers of the configuration string (protocol.md, section 2.6).
public enum CountEncoding {
    /// The largest number that can be written.
    public static let maximum = 0x3FFF_FFFF

    /// 1, 2 or 4 bytes; nil for negative numbers and for those above ``maximum``.
    public static func encode(_ count: Int) -> Data? {
        switch count {
        case 0...0x7F: Data([UInt8(count)])
        case 0x80...0x3FFF: Data([0x80 | UInt8(count >> 8), UInt8(count & 0xFF)])
        case 0x4000...maximum:
            Data([0xC0 | UInt8(count >> 24), UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)])
        default: nil
        }
    }
}

/// Reads fixed fields, counts and counted fields from the front of a buffer. Every read answers nil when
/// the buffer is too short.
public struct CountedReader: Sendable {
    private var remainder: Data.SubSequence

    /// Starts at the first byte of `data`.
    public init(_ data: Data) { remainder = data[...] }

    /// Bytes that were not read yet.
    public var remaining: Int { remainder.count }

    /// One byte.
    public mutating func byte() -> UInt8? { remainder.popFirst() }

    /// The next `count` bytes.
    public mutating func bytes(_ count: Int) -> Data? {
        guard count >= 0, count <= remainder.count else { return nil }
        defer { remainder = remainder.dropFirst(count) }
        return Data(Array(remainder.prefix(count)))
    }

    /// A count of 1, 2 or 4 bytes.
    public mutating func count() -> Int? {
        guard let first = byte() else { return nil }
        let following = first & 0x80 == 0 ? 0 : first & 0x40 == 0 ? 1 : 3
        let start = following == 0 ? Int(first) : Int(first & 0x3F)
        return bytes(following)?.reduce(start) { $0 << 8 | Int($1) }
    }

    /// A count and that many bytes.
    public mutating func counted() -> Data? { count().flatMap { bytes($0) } }
}
