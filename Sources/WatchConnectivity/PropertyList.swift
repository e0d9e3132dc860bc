import Foundation

/// Content rules of messages and transfers (watch.md, section 9.8).
enum PropertyList {
    /// Greatest size of a message or a transfer in bytes, measured as binary property list for dictionaries.
    static let messageLimit = 65_536
    /// Greatest size of an application context in bytes.
    static let contextLimit = 262_144

    /// The binary property list of a dictionary.
    static func encode(_ dictionary: [String: Any], limit: Int = messageLimit) throws(ContentError) -> Data {
        guard isPropertyList(dictionary),
            let data = try? PropertyListSerialization.data(
                fromPropertyList: dictionary, format: .binary, options: 0)
        else { throw ContentError(code: .payloadUnsupportedTypes) }
        guard data.count <= limit else { throw ContentError(code: .payloadTooLarge) }
        return data
    }

    /// The dictionary in a binary property list; nil if it holds none.
    static func decode(_ data: Data) -> [String: Any]? {
        (try? PropertyListSerialization.propertyList(from: data, format: nil)) as? [String: Any]
    }

    private static func isPropertyList(_ value: Any) -> Bool {
        switch value {
        case is String, is Bool, is any BinaryInteger, is any BinaryFloatingPoint, is NSNumber, is Date, is Data: true
        case let array as [Any]: array.allSatisfy(isPropertyList)
        case let dictionary as [String: Any]: dictionary.values.allSatisfy(isPropertyList)
        default: false
        }
    }
}

/// Why content is refused.
struct ContentError: Error {
    let code: WCError.Code
}
