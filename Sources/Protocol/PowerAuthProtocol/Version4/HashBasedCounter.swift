// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// `CTR_DATA` of protocol 4, 32 bytes (protocol-4.md, section 9).
public struct HashBasedCounter: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    private let bytes: SecretBytes

    /// Takes over 32 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    public init(_ data: Data) throws {
        guard data.count == 32 else {
            throw ProtocolError.invalidLength(field: "ctrData", expected: "32 bytes", actual: data.count)
        }
        bytes = SecretBytes(data)
    }

    private init(unchecked bytes: SecretBytes) { self.bytes = bytes }

    /// Fresh counter data, made by the server.
    public static func random() -> Self { Self(unchecked: Random.secret(32)) }

    /// The value after one more code.
    public func next() -> Self {
        Self(unchecked: SecretBytes(count: 32) { output in bytes.withUnsafeBytes { SHA3.sha256($0, into: output) } })
    }

    /// The value after `count` more codes.
    public func advanced(by count: Int) -> Self {
        var value = self
        for _ in 0..<max(0, count) { value = value.next() }
        return value
    }

    /// Lends the 32 bytes for the time of the call; the pointer must not leave `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// An ordinary copy of the 32 bytes: for storage layers and the wire only.
    public var rawData: Data { bytes.rawData }

    /// Constant-time comparison.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.withUnsafeBytes { lhs in rhs.withUnsafeBytes { rhs in constantTimeEquals(lhs, rhs) } }
    }

    /// Size only, never the bytes.
    public var description: String { "HashBasedCounter(32 bytes)" }
    /// No children: a dump shows no byte either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
