import GRDB

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
    private enum BodyColumn: String, QueryColumn {
        case body
    }

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
