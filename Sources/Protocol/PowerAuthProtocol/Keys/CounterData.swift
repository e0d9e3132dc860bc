// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// `CTR_DATA`, the hash-based counter of an activation, 16 bytes (protocol.md, sections 2.2 and 9.3).
public struct CounterData: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let bytes: SecretBytes

    /// Takes over 16 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    public init(_ data: Data) throws {
        guard data.count == 16 else {
            throw ProtocolError.invalidLength(field: "ctrData", expected: "16 bytes", actual: data.count)
        }
        bytes = SecretBytes(data)
    }

    /// The counter data of a V2 activation: its numeric counter in the last 8 of 16 bytes.
    public init(legacyCounter: UInt64) {
        bytes = SecretBytes(count: 16) { $0.storeBytes(of: legacyCounter.bigEndian, toByteOffset: 8, as: UInt64.self) }
    }

    private init(unchecked bytes: SecretBytes) { self.bytes = bytes }

    /// Fresh counter data, made by the server at key exchange.
    public static func random() -> Self { Self(unchecked: Random.secret(16)) }

    /// `CtrNext`: the value after one more signature.
    public func next() -> Self {
        Self(
            unchecked: SecretBytes(count: 16) { output in
                bytes.withUnsafeBytes { KDF.foldedSHA256($0, into: output) }
            })
    }

    /// The value after `count` more signatures.
    public func advanced(by count: Int) -> Self {
        var value = self
        for _ in 0..<max(0, count) { value = value.next() }
        return value
    }

    /// Lends the 16 bytes for the time of the call; the pointer must not leave `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// An ordinary copy of the 16 bytes: for storage layers and the wire only.
    public var rawData: Data { bytes.rawData }

    /// Constant-time comparison.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.bytes.withUnsafeBytes { lhs in rhs.bytes.withUnsafeBytes { rhs in constantTimeEquals(lhs, rhs) } }
    }

    /// Size only, never the bytes.
    public var description: String { "CounterData(16 bytes)" }
    /// No children: a dump shows no byte either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
