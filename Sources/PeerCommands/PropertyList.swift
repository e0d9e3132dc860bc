import Foundation
import LabKit

extension [String: JSONValue] {
    /// The members as WatchConnectivity takes them; a `null` has no place in a property list and is left out.
    var propertyList: [String: Any] {
        compactMapValues(\.propertyListValue)
    }

    /// Reads what WatchConnectivity delivered; data become Base64 text, dates their ISO 8601 form.
    init(propertyList: [String: Any]) {
        self = propertyList.mapValues(JSONValue.init(propertyListValue:))
    }
}

extension JSONValue {
    fileprivate var propertyListValue: Any? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .integer(let value): Int(value)
        case .number(let value): value
        case .string(let value): value
        case .array(let values): values.compactMap(\.propertyListValue)
        case .object(let members): members.propertyList
        }
    }

    fileprivate init(propertyListValue value: Any) {
        switch value {
        case let value as Bool where type(of: value) == Bool.self: self = .bool(value)
        case let value as Int: self = .integer(Int64(value))
        case let value as Double: self = .number(value)
        case let value as String: self = .string(value)
        case let value as Data: self = .string(value.base64EncodedString())
        case let value as Date: self = .string(value.ISO8601Format())
        case let values as [Any]: self = .array(values.map(JSONValue.init(propertyListValue:)))
        case let members as [String: Any]: self = .object([String: JSONValue](propertyList: members))
        default: self = .string(String(describing: value))
        }
    }
}
