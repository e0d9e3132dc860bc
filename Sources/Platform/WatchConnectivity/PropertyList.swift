import Foundation
import SimulatedDevice

/// Content rules of messages and transfers (watch.md, section 9.8).
enum PropertyList {
    /// The binary property list of a dictionary.
    static func encode(
        _ dictionary: [String: Any], limit: Int = WatchContent.messageLimit
    ) throws(ContentError) -> Data {
        guard isPropertyList(dictionary),
            let data = try? PropertyListSerialization.data(
                fromPropertyList: dictionary, format: .binary, options: 0),
            WatchContent.problem(in: data, isPropertyList: true, limit: .max) == nil
        else { throw ContentError(code: .payloadUnsupportedTypes) }
        return try WatchContent.checked(data, limit: limit)
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

extension WatchContent {
    /// The data, unless they are too large.
    static func checked(_ data: Data, limit: Int = messageLimit) throws(ContentError) -> Data {
        guard data.count <= limit else { throw ContentError(code: .payloadTooLarge) }
        return data
    }
}

/// Why content is refused.
struct ContentError: Error {
    let code: WCError.Code
}
