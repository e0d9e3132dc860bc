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
    /// Name of the kind in the vendor's error texts.
    static var vendorName: String { get }
    /// Reads the payload; nil when the fields are not valid for it.
    init?(fields: WatchFields)
    /// The fields to send.
    var fields: WatchFields { get }
}
