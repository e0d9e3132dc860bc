// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol
import Synchronization

/// A password that is kept masked in memory and wiped when it is released (protocol.md, section 14.5).
///
/// Objects of this class keep their content until ``secureClear()``; ``PowerAuthCoreMutablePassword`` can be edited.
/// Thread rule: any thread.
///
/// Unchecked: the class must stay open for its mutable subclass, which the compiler does not accept for `Sendable`. The
/// only stored property is a mutex, and the subclass adds no state.
public class PowerAuthCorePassword: Equatable, @unchecked Sendable {
    /// The masked UTF-8 bytes.
    let content: Mutex<MaskedBytes>

    init(content: MaskedBytes) { self.content = Mutex(content) }

    /// Makes a password from the UTF-8 bytes of `string`.
    public convenience init(string: String) {
        var copy = string
        self.init(content: copy.withUTF8 { MaskedBytes(UnsafeRawBufferPointer($0)) })
    }

    /// Makes a password from arbitrary bytes.
    public convenience init(data: Data) { self.init(content: data.withUnsafeBytes { MaskedBytes($0) }) }
    /// Length of the password: bytes for this class, code points for ``PowerAuthCoreMutablePassword``.
    public func length() -> UInt { UInt(content.withLock { $0.count }) }

    /// Compares the bytes of two passwords, whether mutable or not, in constant time.
    public func isEqual(to password: PowerAuthCorePassword?) -> Bool {
        guard let password else { return false }
        let (own, other) = (plainBytes(), password.plainBytes())
        guard own.count == other.count else { return false }
        return own.withUnsafeBytes { own in
            other.withUnsafeBytes { other in zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 }
        }
    }

    /// Compares the bytes of two passwords in constant time.
    public static func == (left: PowerAuthCorePassword, right: PowerAuthCorePassword) -> Bool {
        left.isEqual(to: right)
    }

    /// Lets `validationBlock` judge the password, for example with a library for password strength.
    /// - Parameter validationBlock: Gets the bytes, followed by a zero byte, and their number without that zero byte. The
    ///   pointer is valid within the call only.
    /// - Returns: What the closure returned.
    @discardableResult
    public func validateComplexity(_ validationBlock: (UnsafePointer<Int8>, Int) -> Int) -> Int {
        content.withLock { $0 }.plainBytes(terminator: 1).withUnsafeBytes { bytes in
            // The buffer holds at least the terminating zero byte, so it has a base address.
            validationBlock(bytes.baseAddress!.assumingMemoryBound(to: Int8.self), bytes.count - 1)
        }
    }

    /// Forgets the content. The password is empty afterwards; its old memory is wiped as soon as no running call uses it.
    public func secureClear() { content.withLock { $0 = MaskedBytes() } }
    /// Makes an immutable password with the same bytes that does not change with this one.
    public func copyToImmutable() -> PowerAuthCorePassword { PowerAuthCorePassword(content: content.withLock { $0 }) }

    /// The plain bytes in wiped memory. Keep them as short as possible.
    func plainBytes() -> SecretBytes { content.withLock { $0 }.plainBytes() }
}

/// A password that can be typed character by character, for example a PIN entered on a keyboard of the application's own.
///
/// The content is UTF-8. A character is one Unicode code point; surrogate code points are encoded in three bytes like any
/// other. Thread rule: any thread.
public final class PowerAuthCoreMutablePassword: PowerAuthCorePassword, @unchecked Sendable {
    /// Makes an empty password.
    public init() { super.init(content: MaskedBytes()) }
    /// Number of code points.
    public override func length() -> UInt { UInt(plainBytes().withUnsafeBytes { characterOffsets(in: $0).count - 1 }) }
    /// Removes all characters.
    public func clear() { secureClear() }

    /// Appends a character.
    /// - Returns: `false` if `character` is not a code point (greater than `0x10FFFF`).
    @discardableResult
    public func addCharacter(_ character: UInt32) -> Bool {
        replace(with: character) { offsets in (offsets.count - 1, 0) }
    }

    /// Inserts a character.
    /// - Parameters:
    ///   - character: Unicode code point.
    ///   - index: 0 to ``length()``; the latter appends.
    /// - Returns: `false` if the index is out of range or `character` is not a code point.
    @discardableResult
    public func insertCharacter(_ character: UInt32, at index: UInt) -> Bool {
        replace(with: character) { offsets in index < UInt(offsets.count) ? (Int(index), 0) : nil }
    }

    /// Removes the last character.
    /// - Returns: `false` if the password is empty.
    @discardableResult
    public func removeLastCharacter() -> Bool {
        replace(with: nil) { offsets in offsets.count > 1 ? (offsets.count - 2, 1) : nil }
    }

    /// Removes the character at `index`.
    /// - Returns: `false` if there is no such character.
    @discardableResult
    public func removeCharacter(at index: UInt) -> Bool {
        replace(with: nil) { offsets in index < UInt(offsets.count - 1) ? (Int(index), 1) : nil }
    }

    /// Replaces characters under the lock.
    /// - Parameters:
    ///   - character: What to insert; `nil` inserts nothing.
    ///   - select: Gets the byte offsets of all characters and of the end; returns the first character to remove and how
    ///     many, or `nil` to refuse.
    private func replace(with character: UInt32?, at select: ([Int]) -> (first: Int, count: Int)?) -> Bool {
        guard let insertion = character.map(utf8) ?? [] else { return false }
        return content.withLock { content in
            let changed = content.plainBytes().withUnsafeBytes { bytes -> MaskedBytes? in
                let offsets = characterOffsets(in: bytes)
                guard let (first, count) = select(offsets) else { return nil }
                let (start, end) = (offsets[first], offsets[first + count])
                return MaskedBytes(count: bytes.count - (end - start) + insertion.count) { target in
                    target.copyBytes(from: bytes[..<start])
                    for (index, byte) in insertion.enumerated() { target[start + index] = byte }
                    for index in end..<bytes.count { target[start + insertion.count + index - end] = bytes[index] }
                }
            }
            guard let changed else { return false }
            content = changed
            return true
        }
    }
}

/// Byte offsets at which a code point of UTF-8 text begins, and the end offset.
private func characterOffsets(in bytes: UnsafeRawBufferPointer) -> [Int] {
    bytes.indices.filter { bytes[$0] & 0xC0 != 0x80 } + [bytes.count]
}

/// UTF-8 bytes of a code point, surrogates included; `nil` above the last code point.
private func utf8(_ codePoint: UInt32) -> [UInt8]? {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | (codePoint >> shift) & 0x3F) }
    switch codePoint {
    case 0..<0x80: return [UInt8(codePoint)]
    case 0x80..<0x800: return [UInt8(0xC0 | codePoint >> 6), tail(0)]
    case 0x800..<0x10000: return [UInt8(0xE0 | codePoint >> 12), tail(6), tail(0)]
    case 0x10000...0x10FFFF: return [UInt8(0xF0 | codePoint >> 18), tail(12), tail(6), tail(0)]
    default: return nil
    }
}

/// A secret byte string that is not readable as such in memory: every byte is XOR-ed with a random pad that lies in front
/// of the content in the same buffer. Buffers are wiped before they are released.
struct MaskedBytes: Sendable {
    private static let padSize = 16

    /// Pad and masked content.
    private let storage: SecretBytes

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

    init(_ bytes: UnsafeRawBufferPointer) { self.init(count: bytes.count) { $0.copyMemory(from: bytes) } }
    init() { self.init(count: 0) { _ in } }

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
