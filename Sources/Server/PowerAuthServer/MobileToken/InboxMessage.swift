// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabCore

/// A message for a user, kept until they read it and longer (mobile-token.md, section 20.3).
struct InboxMessage: Sendable {
    /// How the body is written.
    enum Format: String, Codable, Sendable, CaseIterable { case text, html }

    /// A lower-case UUID.
    let id: Identifier
    let userId: Identifier
    let applications: [Application]
    let format: Format
    let subject: String
    let summary: String
    /// Nil in a list, which does not read it: it may be long.
    let body: String?
    let created: ServerTime
    /// When it was read first; nil while it is new.
    var read: ServerTime?
}

/// Messages for users (mobile-token.md, section 20.3).
struct InboxService: Sendable {
    let context: ServiceContext

    struct NewMessage: Sendable {
        var userId: Identifier?
        /// The applications whose apps show it; all when it is empty.
        var applicationIds: [Identifier] = []
        var format = InboxMessage.Format.text
        var subject: String?
        var summary: String?
        var body: String?
        /// Whether no push is sent to devices.
        var isSilent = false
    }

    /// How long subject and summary may be.
    static let lineLength = 8...255
    /// How long a body may be.
    static let bodyLength = 8...65536
    /// The maximum page size: as many messages as `getAllMessages` of the SDK fetches by default.
    private static let longestPage = 1000

    /// Puts a message into the inbox of a user, and notifies their devices.
    /// - Throws: `invalidRequest` for a missing field or one of a wrong length, `invalidApplication`.
    func create(_ new: NewMessage) throws -> InboxMessage {
        guard let userId = new.userId.nonBlank else { throw ServiceError.invalid("userId is missing") }
        let subject = try Self.checked(new.subject, "subject", Self.lineLength)
        let summary = try Self.checked(new.summary, "summary", Self.lineLength)
        let body = try Self.checked(new.body, "body", Self.bodyLength)
        return try context.change { change in
            let applications =
                try new.applicationIds.isEmpty
                ? ApplicationStore.all(change.database)
                : OperationService.applications(change.database, new.applicationIds)
            let message = InboxMessage(
                id: Identifiers.uuid(), userId: userId, applications: applications, format: new.format,
                subject: subject, summary: summary, body: body, created: change.now)
            try InboxStore.insert(change.database, message)
            if !new.isSilent { change.push(Self.push(message)) }
            return message
        }
    }

    private static func push(_ message: InboxMessage) -> Push {
        .message(
            PushMessage(
                title: message.subject, body: message.summary, sound: "default", isPersonal: true,
                extras: ["messageType": "mtoken.inboxMessage.new", "inboxId": .string(message.id.text)]),
            .init(userId: message.userId, applications: message.applications.map(\.row)))
    }

    private static func checked(_ text: String?, _ field: String, _ length: ClosedRange<Int>) throws -> String {
        guard let text, length.contains(text.count) else {
            throw ServiceError.invalid("\(field) must have \(length.lowerBound) to \(length.upperBound) characters")
        }
        return text
    }

    // MARK: The app's side

    /// The messages that the app of an activation shows.
    private func owner(_ activation: Activation) -> InboxStore.Owner {
        .init(userId: activation.userId, application: activation.application)
    }

    func unreadCount(_ activation: Activation) throws -> Int {
        try context.read { try InboxStore.unreadCount($0, owner(activation)) }
    }

    /// A page, newest first, without the bodies.
    ///
    /// A page size that is too large is refused and not reduced: apps take a page shorter than requested for the last
    /// one.
    /// - Throws: `invalidRequest` for an impossible page.
    func list(_ activation: Activation, page: Int, size: Int, isUnreadOnly: Bool) throws -> [InboxMessage] {
        let (offset, overflow) = page.multipliedReportingOverflow(by: size)
        guard page >= 0, (1...Self.longestPage).contains(size), !overflow else {
            throw ServiceError.invalid("page must not be negative and size must be 1 to \(Self.longestPage)")
        }
        return try context.read {
            try InboxStore.list($0, owner(activation), isUnreadOnly: isUnreadOnly, limit: size, offset: offset)
        }
    }

    /// - Throws: `invalidRequest` for a message that is not the caller's.
    func detail(_ activation: Activation, id: Identifier?) throws -> InboxMessage {
        guard let id, let message = try context.read({ try InboxStore.find($0, owner(activation), id: id) }) else {
            throw ServiceError.invalid("the user has no message \(id?.text ?? "without id")")
        }
        return message
    }

    /// Marks a message as read; one that was read before stays as it is.
    /// - Throws: as ``detail(_:id:)``.
    func markRead(_ activation: Activation, id: Identifier?) throws {
        guard try detail(activation, id: id).read == nil else { return }
        try context.change { try InboxStore.markRead($0.database, owner(activation), id: id, at: $0.now) }
    }

    func markAllRead(_ activation: Activation) throws {
        try context.change { try InboxStore.markRead($0.database, owner(activation), at: $0.now) }
    }
}

/// The rows of inbox messages and of the applications they are for.
enum InboxStore {
    private enum Column: String, QueryColumn {
        case id
        case userId = "user_id"
        case format = "type"
        case subject
        case summary
        case created = "t_created"
        case read = "t_read"
    }

    /// What only the message itself is read with.
    private enum BodyColumn: String, QueryColumn { case body }

    /// Whose messages.
    struct Owner: Sendable {
        let userId: Identifier
        let application: Application
    }

    /// The condition of a message that an owner may see; takes user and application.
    private static let owned = """
        user_id = ? AND EXISTS (SELECT 1 FROM inbox_message_application WHERE message = inbox_message.id
        AND application = ?)
        """

    static func insert(_ database: Database, _ message: InboxMessage) throws {
        try database.execute(
            sql: """
                INSERT INTO inbox_message (id, user_id, type, subject, summary, body, t_created, t_read)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                message.id, message.userId, message.format.rawValue, message.subject, message.summary, message.body,
                message.created.milliseconds, message.read?.milliseconds,
            ])
        for application in message.applications {
            try database.execute(
                sql: "INSERT INTO inbox_message_application (message, application) VALUES (?, ?)",
                arguments: [message.id, application.row])
        }
    }

    /// A page of an owner's messages without their bodies, newest first.
    static func list(
        _ database: Database, _ owner: Owner, isUnreadOnly: Bool, limit: Int, offset: Int
    ) throws -> [InboxMessage] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT \(Column.list) FROM inbox_message WHERE \(owned) \(isUnreadOnly ? "AND t_read IS NULL" : "")
                ORDER BY t_created DESC, rowid DESC LIMIT ? OFFSET ?
                """, arguments: [owner.userId, owner.application.row, limit, offset]
        ).map { message(QueryRow($0), owner) }
    }

    static func find(_ database: Database, _ owner: Owner, id: Identifier) throws -> InboxMessage? {
        try Row.fetchOne(
            database, sql: "SELECT \(Column.list), \(BodyColumn.list) FROM inbox_message WHERE \(owned) AND id = ?",
            arguments: [owner.userId, owner.application.row, id]
        ).map { row in
            let row = QueryRow<Column>(row)
            return message(row, owner, body: row.following(BodyColumn.self)[.body])
        }
    }

    static func unreadCount(_ database: Database, _ owner: Owner) throws -> Int {
        try Int.fetchOne(
            database, sql: "SELECT COUNT(*) FROM inbox_message WHERE \(owned) AND t_read IS NULL",
            arguments: [owner.userId, owner.application.row]) ?? 0
    }

    /// Marks new messages of an owner as read.
    /// - Parameter id: one of them; nil for all.
    static func markRead(_ database: Database, _ owner: Owner, id: Identifier? = nil, at now: ServerTime) throws {
        try database.execute(
            sql: "UPDATE inbox_message SET t_read = ? WHERE \(owned) AND t_read IS NULL AND (? IS NULL OR id = ?)",
            arguments: [now.milliseconds, owner.userId, owner.application.row, id, id])
    }

    private static func message(_ row: QueryRow<Column>, _ owner: Owner, body: String? = nil) -> InboxMessage {
        InboxMessage(
            id: row[.id], userId: row[.userId], applications: [owner.application],
            format: InboxMessage.Format(rawValue: row[.format]) ?? .text, subject: row[.subject],
            summary: row[.summary], body: body, created: ServerTime(milliseconds: row[.created]),
            read: (row[.read] as Int64?).map(ServerTime.init(milliseconds:)))
    }
}

extension InboxService {
    static let limits: [String: FieldLimit] = [
        "": .having(["userId", "subject", "summary", "body"]), "userId": .notBlank, "subject": .long(lineLength),
        "summary": .long(lineLength), "body": .long(bodyLength),
    ]
}

extension InboxMessage.Format: DescribedJSON {
    static var schema: JSONValue { ["type": "string", "enum": .array(allCases.map { .string($0.rawValue) })] }
}

extension FieldLimit {
    /// A text of some length.
    fileprivate static func long(_ length: ClosedRange<Int>) -> FieldLimit {
        ["minLength": .integer(Int64(length.lowerBound)), "maxLength": .integer(Int64(length.upperBound))]
    }
}
