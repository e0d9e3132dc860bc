// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// Bytes that are overwritten when the last copy of this value is released.
///
/// Copies share one block of memory, which holds the bytes directly: keys are made for every signature, so
/// a second allocation would show.
///
/// Thread rule: immutable after initialisation; any thread may read.
// Unchecked: the block is written only inside the initialiser, before the value is shared, and again in
// its deinit, when no reference is left.
public struct SecretBytes: @unchecked Sendable {
    /// The number of bytes as header, then the bytes.
    private final class Block: ManagedBuffer<Int, UInt8> {
        deinit { withUnsafeMutablePointers { count, bytes in OPENSSL_cleanse(bytes, count.pointee) } }
    }

    private let block: ManagedBuffer<Int, UInt8>

    /// Reserves `count` zero bytes and lets `fill` write them in place.
    public init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        block = Block.create(minimumCapacity: count) { _ in count }
        try block.withUnsafeMutablePointerToElements { bytes in
            bytes.initialize(repeating: 0, count: count)
            try fill(UnsafeMutableRawBufferPointer(start: bytes, count: count))
        }
    }

    /// Copies `data`. The caller's copy stays as it is; see ``wipe(_:)``.
    public init(_ data: Data) {
        self.init(count: data.count) { buffer in data.withUnsafeBytes { buffer.copyMemory(from: $0) } }
    }

    init(copying bytes: UnsafeRawBufferPointer) { self.init(count: bytes.count) { $0.copyMemory(from: bytes) } }

    /// Size in bytes.
    public var count: Int { block.header }

    /// Lends the bytes for the time of the call; the pointer must not leave `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try block.withUnsafeMutablePointers { count, bytes in
            try body(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
        }
    }

    /// An ordinary copy, which is never wiped: for storage layers and the wire only.
    public var rawData: Data { withUnsafeBytes { Data($0) } }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    /// Size only, never the bytes.
    public var description: String { "SecretBytes(\(count) bytes)" }
    /// No children: a dump shows no byte.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Overwrites the bytes of `data` and empties it. Other values sharing its storage keep their bytes.
public func wipe(_ data: inout Data) {
    data.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    data.removeAll()
}

/// Compares in time that depends on the lengths only.
public func constantTimeEquals(_ a: Data, _ b: Data) -> Bool {
    a.withUnsafeBytes { a in b.withUnsafeBytes { b in constantTimeEquals(a, b) } }
}

/// Compares the UTF-8 bytes of two texts in time that depends on the lengths only.
public func constantTimeEquals(_ a: String, _ b: String) -> Bool { constantTimeEquals(Data(a.utf8), Data(b.utf8)) }

func constantTimeEquals(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let left = a.baseAddress, let right = b.baseAddress else { return true }
    return CRYPTO_memcmp(left, right, a.count) == 0
}

/// Random bytes from OpenSSL's generator (protocol.md, section 2.8).
public enum Random {
    /// `count` random bytes.
    ///
    /// A generator that cannot be seeded ends the process, which cannot continue without it.
    public static func bytes(_ count: Int) -> Data {
        var data = Data(count: max(0, count))
        data.withUnsafeMutableBytes { fill($0) }
        return data
    }

    /// `count` random bytes that are not all zero, as keys, salts and nonces require.
    public static func nonZeroBytes(_ count: Int) -> Data {
        var data = Data(count: max(0, count))
        data.withUnsafeMutableBytes { fillNonZero($0) }
        return data
    }

    /// Base64 text of `count` random bytes that are not all zero, such as a nonce of 16.
    public static func nonZeroText(_ count: Int) -> String {
        withUnsafeTemporaryAllocation(byteCount: max(0, count), alignment: 8) { bytes in
            fillNonZero(bytes)
            return StrictBase64.encode(UnsafeRawBufferPointer(bytes))
        }
    }

    static func secret(_ count: Int) -> SecretBytes {
        while true {
            let secret = SecretBytes(count: count) { buffer in
                OpenSSL.must(RAND_priv_bytes(buffer.baseAddress, Int32(count)), "RAND_priv_bytes")
            }
            if !secret.isAllZero { return secret }
        }
    }

    private static func fillNonZero(_ buffer: UnsafeMutableRawBufferPointer) {
        repeat { fill(buffer) } while !buffer.isEmpty && buffer.allSatisfy { $0 == 0 }
    }

    private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard buffer.count > 0 else { return }
        OpenSSL.must(RAND_bytes(buffer.baseAddress, Int32(clamping: buffer.count)), "RAND_bytes")
    }
}

extension SecretBytes {
    var isAllZero: Bool { withUnsafeBytes { $0.reduce(0) { $0 | $1 } == 0 } }
}
