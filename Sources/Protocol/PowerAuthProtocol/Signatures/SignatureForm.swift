public import Foundation

/// How the components of a signature are written (protocol.md, section 9.3).
public enum SignatureForm: Sendable, Equatable {
    /// Base64 of the last 16 bytes of each component.
    case base64
    /// Decimal digits, so many a component.
    case decimal(length: Int)

    /// The online form of a version: decimal in 3.0, Base64 later.
    public static func online(_ version: ProtocolVersion) -> Self {
        version == .v3_0 ? .decimal(length: 8) : .base64
    }

    /// Writes components of 32 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for an impossible number of digits, or for
    ///   bytes that are not components.
    public func format(_ components: [Data]) throws -> String {
        guard components.allSatisfy({ $0.count == 32 }) else {
            throw ProtocolError.invalidLength(
                field: "signature component", expected: "32 bytes", actual: components.map(\.count).max() ?? 0)
        }
        return try components.reduce(into: Data()) { $0.append($1) }.withUnsafeBytes { try format($0) }
    }

    /// Writes components that follow each other, 32 bytes each.
    func format(_ components: UnsafeRawBufferPointer) throws -> String {
        let starts = stride(from: 0, to: components.count, by: 32)
        switch self {
        case .base64:
            return withUnsafeTemporaryAllocation(byteCount: components.count / 2, alignment: 1) { halves in
                for start in starts {
                    UnsafeMutableRawBufferPointer(rebasing: halves[(start / 2)...])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: components[(start + 16)..<(start + 32)]))
                }
                return StrictBase64.encode(UnsafeRawBufferPointer(halves))
            }
        case .decimal(let length):
            return try starts.map {
                try Decimalization.decimal(Data(components[($0 + 28)..<($0 + 32)]), length: length)
            }.joined(separator: "-")
        }
    }
}
