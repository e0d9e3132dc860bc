import Foundation
import PowerAuthProtocol

/// A secret byte string that is not readable as such in memory: every byte is XOR-ed with a random pad that lies in front
/// of the content in the same buffer. Buffers are wiped before they are released.
struct MaskedBytes: Sendable {
    private static let padSize = 16

    /// Pad and masked content.
    private let storage: SecretBytes

    /// Number of bytes of the secret.
    var count: Int { storage.count - Self.padSize }

    /// Makes a secret of `count` bytes that `fill` writes in plain form; the plain bytes are wiped afterwards.
    init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let plain = SecretBytes(count: count, filledBy: fill)
        storage = SecretBytes(count: Self.padSize + count) { masked in
            masked.copyBytes(from: Random.bytes(Self.padSize))
            plain.withUnsafeBytes { plain in
                for index in 0..<count {
                    masked[Self.padSize + index] = plain[index] ^ masked[index % Self.padSize]
                }
            }
        }
    }

    /// Copies and masks `bytes`.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// The empty secret.
    init() {
        self.init(count: 0) { _ in }
    }

    /// The plain bytes in wiped memory, followed by `terminator` zero bytes.
    func plainBytes(terminator: Int = 0) -> SecretBytes {
        SecretBytes(count: count + terminator) { plain in
            storage.withUnsafeBytes { masked in
                for index in 0..<count {
                    plain[index] = masked[Self.padSize + index] ^ masked[index % Self.padSize]
                }
            }
        }
    }
}
