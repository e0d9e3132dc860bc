import Foundation

/// The members of a packet's JSON object. A member of the wrong type counts as absent (watch.md, section 3.5).
package struct WatchFields: Sendable, Equatable {
    package enum Key: String, CaseIterable, Sendable {
        case target
        case errorCode
        case errorDomain
        case errorMessage = "errorMsg"
        case activationCommand = "activationCmd"
        case activationId
        case tokenCommand = "tokenCmd"
        case tokenName
        case tokenData
        case tokenNotFound
        case successCode
        case orderOrigin
        case orderNumber
        case serverTime
    }

    package enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int)
        case boolean(Bool)
    }

    private var values: [Key: Value] = [:]

    package init() {}

    /// Reads a JSON object; nil for anything else. Unknown members and members of other types are dropped.
    init?(json: Data) {
        guard let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else { return nil }
        for key in Key.allCases {
            switch object[key.rawValue] {
            case let text as String: values[key] = .text(text)
            case let number as NSNumber:
                // The type distinguishes booleans from numbers only where it matters; both count as numbers.
                values[key] = .integer(Self.integer(number))
            default: break
            }
        }
    }

    package subscript(key: Key) -> Value? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// The text under a key; nil when it is missing or not a string.
    package func text(_ key: Key) -> String? {
        if case .text(let text) = values[key] { text } else { nil }
    }

    /// The number under a key; nil when it is missing or not a number. A boolean counts as 0 or 1.
    package func number(_ key: Key) -> Int? {
        switch values[key] {
        case .integer(let number): number
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    /// When the phone has sent it.
    var order: WatchOrder? {
        get { WatchOrder(fields: self) }
        set {
            values[.orderOrigin] = newValue.map { .text($0.origin) }
            values[.orderNumber] = newValue.map { .integer($0.number) }
        }
    }

    /// Whether the members tell something, rather than ask for it: only then the order matters.
    var isNews: Bool {
        text(.activationCommand) == WatchStatusPayload.Command.put.rawValue
            || text(.tokenCommand).map { $0 != WatchTokenPayload.Command.get.rawValue } ?? false
    }

    /// The error that the members describe: any numeric code makes one, 0 included.
    var error: NSError? {
        guard let code = number(.errorCode) else { return nil }
        let info = text(.errorMessage).map { [NSLocalizedDescriptionKey: $0] }
        return NSError(domain: text(.errorDomain) ?? PowerAuthErrorDomain, code: code, userInfo: info ?? [:])
    }

    func json() -> Data {
        var object: [String: Any] = [:]
        for (key, value) in values {
            object[key.rawValue] =
                switch value {
                case .text(let text): text as Any
                case .integer(let number): number as Any
                case .boolean(let value): value as Any
                }
        }
        // Strings, integers and booleans always make JSON.
        return try! JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    }

    /// The integer part of a number; a fraction between 0 and 1 stays different from 0.
    private static func integer(_ number: NSNumber) -> Int {
        let integer = number.intValue
        return integer == 0 && number.doubleValue != 0 ? 1 : integer
    }
}
