import Foundation
import LabKit

/// The bytes of a preferences file: the values and a checksum, so that no damage reads as a missing or another value.
enum PreferencesFile {
    private static let checksum = "checksum"
    private static let content = "values"

    static func encoded(_ values: [String: JSONValue]) -> Data {
        JSONValue.object([checksum: .string(digest(of: values)), content: .object(values)]).encoded()
    }

    /// The values; nil for bytes that ``encoded(_:)`` has not made.
    static func values(in data: Data) -> [String: JSONValue]? {
        guard case .object(let file)? = try? JSONValue.parse(data), case .object(let values)? = file[content],
            file[checksum] == .string(digest(of: values))
        else { return nil }
        return values
    }

    private static func digest(of values: [String: JSONValue]) -> String {
        sha256(JSONValue.object(values).encoded()).map { String(format: "%02x", $0) }.joined()
    }
}
