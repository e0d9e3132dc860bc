import Foundation

/// JSON that the parser accepts and the server refuses: a comma behind the last element (RFC 8259, sections 4 and 5),
/// and a NUL in a text, where SQLite stops reading.
enum JSONText {
    /// - Throws: `DecodingError` that says what is wrong.
    static func check(_ text: Data) throws {
        guard let mistake = text.withUnsafeBytes(mistake) else { return }
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: mistake))
    }

    private static func mistake(in bytes: UnsafeRawBufferPointer) -> String? {
        var index = 0
        /// The last byte that is neither space nor inside a text.
        var previous: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                guard let end = endOfText(bytes, from: index + 1) else { return "a text holds a NUL" }
                (index, previous) = (end, byte)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if previous == UInt8(ascii: ",") { return "a comma stands behind the last element" }
                previous = byte
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                break
            default:
                previous = byte
            }
            index += 1
        }
        return nil
    }

    /// Where a text ends; nil for one with a NUL. The reader finds the other mistakes.
    private static func endOfText(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] != 0 else { return nil }
            if bytes[index] == UInt8(ascii: "\\") {
                if bytes[(index + 1)...].prefix(5).elementsEqual("u0000".utf8) { return nil }
                index += 1
            }
            index += 1
        }
        return index
    }
}
