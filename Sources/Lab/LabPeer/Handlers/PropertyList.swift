import Foundation
public import LabKit

extension [String: JSONValue] {
    /// The members as Foundation's dictionaries hold them; a `null` becomes `NSNull`, which no property list may hold, so
    /// that an API that takes one refuses it.
    public var propertyList: [String: Any] {
        mapValues(\.propertyListValue)
    }

    /// Reads a dictionary of property list or JSON values; data become Base64 text, dates their ISO 8601 form.
    public init(propertyList: [String: Any]) {
        self = propertyList.mapValues(JSONValue.init(propertyListValue:))
    }
}

extension JSONValue {
    fileprivate var propertyListValue: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): Int(value)
        case .unsigned(let value): UInt(value)
        case .number(let value): value
        case .string(let value): value
        case .array(let values): values.map(\.propertyListValue)
        case .object(let members): members.propertyList
        }
    }

    fileprivate init(propertyListValue value: Any) {
        switch value {
        case let value as String: self = .string(value)
        case let value as Data: self = .string(value.base64EncodedString())
        case let value as Date: self = .string(value.ISO8601Format())
        case let values as [Any]: self = .array(values.map(JSONValue.init(propertyListValue:)))
        case let members as [String: Any]: self = .object([String: JSONValue](propertyList: members))
        case let number as NSNumber: self.init(number)
        case is NSNull: self = .null
        default: self = .string(String(describing: value))
        }
    }

    /// A cast to `Bool` or `Int` would accept any number, so the number itself is asked what it holds.
    private init(_ number: NSNumber) {
        switch String(cString: number.objCType) {
        case "c", "B": self = .bool(number.boolValue)
        case "d", "f": self = .number(number.doubleValue)
        case "Q" where number.uint64Value > Int64.max: self = .unsigned(number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }
}
