// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Looks at a binary property list before Foundation reads it.
///
/// Foundation ends the process for some lists that only a faulty or hostile sender writes: sets, dates that are not a
/// number. Others it reads into a value that no property list may hold, or that grows without end during a traversal. A
/// list that passes here has dictionaries with text keys, arrays, texts, numbers, Booleans, dates and data only.
struct BinaryPropertyList {
    /// How deep containers may lie in each other.
    static let greatestDepth = 128

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let top: Int
    private let offsetTable: Int

    /// Reads the trailer of the list, which has all offsets; nil if it is invalid.
    private init?(_ data: Data) {
        let trailerLength = 32
        guard data.count > trailerLength + 8, data.starts(with: Array("bplist00".utf8)) else { return nil }
        bytes = Array(data)
        let trailer = bytes.count - trailerLength
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let objectCount = Self.integer(bytes, trailer + 8, 8), let top = Self.integer(bytes, trailer + 16, 8),
            let offsetTable = Self.integer(bytes, trailer + 24, 8),
            objectCount > 0, objectCount <= bytes.count, top < objectCount, offsetTable >= 8,
            offsetTable <= trailer, objectCount * offsetSize <= trailer - offsetTable
        else { return nil }
        self.objectCount = objectCount
        self.top = top
        self.offsetTable = offsetTable
    }

    /// Whether the list holds a dictionary of values that a message may have.
    static func holdsDictionary(_ data: Data) -> Bool {
        guard let list = BinaryPropertyList(data), let start = list.offset(of: list.top), list.bytes[start] >> 4 == 0xD
        else { return false }
        // Each value is referred to by at least one byte of its own, unless containers are shared to make a list that
        // grows when it is read.
        var allowance = data.count
        return list.isSound(list.top, depth: 0, &allowance)
    }

    private func isSound(_ object: Int, depth: Int, _ allowance: inout Int) -> Bool {
        allowance -= 1
        guard allowance >= 0, depth <= Self.greatestDepth, let start = offset(of: object) else { return false }
        let marker = bytes[start]
        switch marker >> 4 {
        case 0x0: return marker == 0x08 || marker == 0x09
        case 0x1: return has(1 << Int(marker & 0xF), at: start + 1) && marker & 0xF <= 4
        case 0x2: return (marker & 0xF == 2 || marker & 0xF == 3) && has(1 << Int(marker & 0xF), at: start + 1)
        case 0x3:
            guard marker == 0x33, let date = bits(at: start + 1) else { return false }
            return Double(bitPattern: date).isFinite
        case 0x4, 0x5: return count(at: start).map { has($0.count, at: $0.start) } ?? false
        case 0x6: return count(at: start).map { $0.count <= bytes.count && has($0.count * 2, at: $0.start) } ?? false
        case 0xA:
            guard let (count, first) = count(at: start), count <= bytes.count else { return false }
            return areSound(first, count, depth: depth, &allowance)
        case 0xD:
            guard let (count, first) = count(at: start), count <= bytes.count, has(2 * count * referenceSize, at: first)
            else { return false }
            let keysAreTexts = (0..<count).allSatisfy { index in
                reference(at: first + index * referenceSize).flatMap(offset).map { [5, 6].contains(bytes[$0] >> 4) }
                    ?? false
            }
            return keysAreTexts && areSound(first, 2 * count, depth: depth, &allowance)
        default: return false
        }
    }

    private func areSound(_ first: Int, _ count: Int, depth: Int, _ allowance: inout Int) -> Bool {
        guard has(count * referenceSize, at: first) else { return false }
        for index in 0..<count {
            guard let object = reference(at: first + index * referenceSize),
                isSound(object, depth: depth + 1, &allowance)
            else { return false }
        }
        return true
    }

    // MARK: Places

    /// Whether so many bytes are there, before the table of offsets.
    private func has(_ count: Int, at start: Int) -> Bool { start <= offsetTable && count <= offsetTable - start }

    private func offset(of object: Int) -> Int? {
        guard object < objectCount, let offset = Self.integer(bytes, offsetTable + object * offsetSize, offsetSize),
            offset >= 8, offset < offsetTable
        else { return nil }
        return offset
    }

    private func reference(at start: Int) -> Int? {
        has(referenceSize, at: start) ? Self.integer(bytes, start, referenceSize) : nil
    }

    /// How many elements an object has, and where they begin.
    private func count(at start: Int) -> (count: Int, start: Int)? {
        let short = Int(bytes[start] & 0xF)
        guard short == 0xF else { return (short, start + 1) }
        guard has(1, at: start + 1), bytes[start + 1] >> 4 == 1, bytes[start + 1] & 0xF <= 3 else { return nil }
        let size = 1 << Int(bytes[start + 1] & 0xF)
        guard has(size, at: start + 2), let count = Self.integer(bytes, start + 2, size) else { return nil }
        return (count, start + 2 + size)
    }

    private func bits(at start: Int) -> UInt64? {
        guard has(8, at: start) else { return nil }
        return bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A big-endian number; nil for one that no list of this size needs. The bytes are there.
    private static func integer(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
        let value = bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value <= UInt64(Int32.max) ? Int(value) : nil
    }
}
