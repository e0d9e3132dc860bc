internal import COpenSSL
public import Foundation

/// Bytes that are overwritten when the last reference to them goes away.
///
/// Thread rule: immutable after initialisation; any thread may read.
// Unchecked: the buffer is written only inside the initialiser, before the reference is shared, and
// again in deinit, when no reference is left.
public final class SecretBytes: @unchecked Sendable {
    private let storage: UnsafeMutableRawBufferPointer

    /// Reserves `count` zero bytes and lets `fill` write them in place.
    public init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        storage = .allocate(byteCount: count, alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        try fill(storage)
    }

    /// Copies `data`. The caller's copy stays as it is; see ``wipe(_:)``.
    public convenience init(_ data: Data) {
        self.init(count: data.count) { buffer in data.withUnsafeBytes { buffer.copyMemory(from: $0) } }
    }

    convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    deinit {
        OPENSSL_cleanse(storage.baseAddress, storage.count)
        storage.deallocate()
    }

    /// Size in bytes.
    public var count: Int { storage.count }

    /// Lends the bytes for the time of the call; the pointer must not leave `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// An ordinary copy, which nobody wipes: for storage layers and the wire only.
    public var rawData: Data { Data(storage) }
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
public func constantTimeEquals(_ a: String, _ b: String) -> Bool {
    constantTimeEquals(Data(a.utf8), Data(b.utf8))
}

func constantTimeEquals(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let left = a.baseAddress, let right = b.baseAddress else { return true }
    return CRYPTO_memcmp(left, right, a.count) == 0
}
