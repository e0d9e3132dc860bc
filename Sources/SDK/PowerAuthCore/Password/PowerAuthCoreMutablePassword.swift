import PowerAuthProtocol
import Synchronization

/// A password that can be typed character by character, for example a PIN entered on a keyboard of the application's own.
///
/// The content is UTF-8. A character is one Unicode code point; surrogate code points are encoded in three bytes like any
/// other. Thread rule: any thread.
public final class PowerAuthCoreMutablePassword: PowerAuthCorePassword, @unchecked Sendable {
    /// Makes an empty password.
    public init() {
        super.init(content: MaskedBytes())
    }

    /// Number of code points.
    public override func length() -> UInt {
        UInt(plainBytes().withUnsafeBytes { characterOffsets(in: $0).count - 1 })
    }

    /// Removes all characters.
    public func clear() {
        secureClear()
    }

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
