// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// One message between phone and watch: its target, and either a payload or an error (watch.md, section 3).
package struct WatchPacket: Sendable {
    /// The target of every reply.
    package static let replyTarget = "*"
    /// Key of the bytes in a user-info dictionary (watch.md, section 3.2).
    package static let userInfoKey = "io.getlime.PowerAuth.PA2WCSessionPacket"

    /// `PAwc1`, before the JSON object; the digit is the version of the format.
    private static let magic = Data("PAwc1".utf8)
    /// Bytes that a message of ours has at least.
    private static let minimumSize = 17

    /// `session:` or `token:` and the instance identifier, or ``replyTarget``.
    package let target: String
    /// The error of a reply; it then carries no payload.
    package let error: NSError?
    /// Keys and values of the payload.
    let fields: WatchFields

    /// A packet with a payload.
    package init(target: String, payload: some WatchPayload) {
        self.target = target
        error = nil
        fields = payload.fields
    }

    /// An error reply.
    package init(error: NSError) {
        target = Self.replyTarget
        self.error = error
        fields = WatchFields()
    }

    private init(target: String, error: NSError?, fields: WatchFields) {
        self.target = target
        self.error = error
        self.fields = fields
    }

    /// What received bytes turn out to be.
    package enum Reading: Sendable {
        /// They belong to another protocol.
        case foreign
        /// They carry the magic, but no packet.
        case malformed
        case packet(WatchPacket)
    }

    /// Reads the bytes of a message or a reply (watch.md, sections 3.1 and 3.5).
    package static func read(_ data: Data) -> Reading {
        guard data.count >= minimumSize, data.starts(with: magic) else { return .foreign }
        guard let fields = WatchFields(json: data.dropFirst(magic.count)), let target = fields.text(.target) else {
            return .malformed
        }
        return .packet(WatchPacket(target: target, error: fields.error, fields: fields))
    }

    /// The payload, or nil when the fields do not make one of this type (watch.md, section 3.8).
    package func payload<Payload: WatchPayload>(_ type: Payload.Type = Payload.self) -> Payload? {
        Payload(fields: fields)
    }

    /// The same payload for another recipient.
    package func addressed(to target: String) -> WatchPacket {
        WatchPacket(target: target, error: error, fields: fields)
    }

    /// The same packet with its order; a question and an error have none. A packet that has one keeps it: its content
    /// is not newer when it is sent later.
    func said(_ order: WatchOrder?) -> WatchPacket {
        guard let order, error == nil, fields.isNews, fields.order == nil else { return self }
        var numbered = fields
        numbered.order = order
        return WatchPacket(target: target, error: nil, fields: numbered)
    }

    /// The same packet without the server's time: it would be stale once queued.
    var withoutTime: WatchPacket {
        var timeless = fields
        timeless[.serverTime] = nil
        return WatchPacket(target: target, error: error, fields: timeless)
    }

    /// The bytes of the message.
    package func serialized() -> Data {
        var all = fields
        all[.target] = .text(target)
        if let error {
            all[.errorCode] = .integer(error.code)
            all[.errorDomain] = .text(error.domain)
            all[.errorMessage] = .text(error.localizedDescription)
        }
        return Self.magic + all.json()
    }
}

/// What a packet is about; one conforming type for each kind of packet.
package protocol WatchPayload: Sendable {
    static var vendorName: String { get }
    /// Reads the payload; nil when the fields are not valid for it.
    init?(fields: WatchFields)
    var fields: WatchFields { get }
}

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
