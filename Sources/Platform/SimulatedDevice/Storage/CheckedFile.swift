package import Foundation
import LabKit
import LabSystem

/// The form of the small files that a device keeps: a value and a checksum over it, so that no damage reads as a missing
/// or another value. A damaged file is an error until a person removes it; it is never replaced.
package enum CheckedFile {
    /// A file is not as the device has written it.
    package struct Damaged: Error, CustomStringConvertible, Sendable {
        let path: String

        /// What is damaged, and what to do.
        package var description: String {
            "'\(path)' is damaged: its content does not match its checksum. Erase the device, or start a new instance."
        }
    }

    private static let checksum = "checksum"
    private static let content = "values"

    /// The bytes of a file that holds a value.
    package static func encoded(_ value: some Encodable) throws -> Data {
        let value = try JSONValue(encoding: value)
        return JSONValue.object([checksum: .string(digest(of: value)), content: value]).encoded()
    }

    /// The value in the bytes of a file.
    ///
    /// - Parameter path: where the bytes come from, for the error.
    /// - Throws: ``Damaged`` for bytes that ``encoded(_:)`` has not made.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from data: Data, at path: String
    ) throws -> Value {
        guard case .object(let file)? = try? JSONValue.parse(data), let value = file[content],
            file[checksum] == .string(digest(of: value)), let decoded = try? value.decode(type)
        else { throw Damaged(path: path) }
        return decoded
    }

    /// The value of a file.
    package static func read<Value: Decodable>(_ type: Value.Type = Value.self, at path: String) throws -> Value {
        try decode(type, from: try Files.read(path), at: path)
    }

    /// Replaces a file in one step.
    package static func write(_ value: some Encodable, to path: String) throws {
        try Files.write(try encoded(value), to: path)
    }

    private static func digest(of value: JSONValue) -> String { sha256(value.encoded()).hexadecimal }
}
