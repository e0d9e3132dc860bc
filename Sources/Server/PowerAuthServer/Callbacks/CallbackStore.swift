// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The rows of callbacks, their messages and the attempts to deliver them.
enum CallbackStore {
    private enum Column: String, QueryColumn {
        case id = "callback_url.id"
        case name
        case type
        case url
        case attributes
        case authentication = "auth"
        case retention = "retention_ms"
        case initialBackoff = "initial_backoff_ms"
        case maxAttempts = "max_attempts"
    }

    private enum EventColumn: String, QueryColumn {
        case row = "callback_event.id"
        case payload
        case idempotencyKey = "idempotency_key"
        case attempts
    }

    private static let columns = "\(Column.list), \(ApplicationColumn.list)"
    private static let source = "callback_url JOIN application ON application.id = callback_url.application"

    // MARK: Callbacks

    /// Removed callbacks are not found.
    static func find(_ database: Database, id: Identifier) throws -> Callback? {
        try fetch(database, "callback_url.id = ?", [id]).first
    }

    /// The callbacks of an application, by name; of one type, if given.
    static func list(
        _ database: Database, of application: Application, type: CallbackType? = nil
    ) throws -> [Callback] {
        try fetch(
            database, "callback_url.application = ? AND (? IS NULL OR type = ?)",
            [application.row, type?.rawValue, type?.rawValue])
    }

    static func save(_ database: Database, _ callback: Callback, at now: ServerTime) throws {
        let auth = try JSONBody.text(of: callback.authentication)
        try database.execute(
            sql: """
                INSERT INTO callback_url (id, application, name, type, url, attributes, auth, retention_ms,
                    initial_backoff_ms, max_attempts, enabled, failures, t_created, t_updated)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0, ?, ?)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, type = excluded.type, url = excluded.url,
                    attributes = excluded.attributes, auth = excluded.auth, retention_ms = excluded.retention_ms,
                    initial_backoff_ms = excluded.initial_backoff_ms, max_attempts = excluded.max_attempts,
                    t_updated = excluded.t_updated
                """,
            arguments: [
                callback.id, callback.application.row, callback.name, callback.type.rawValue, callback.url,
                try TextList.encode(callback.attributes), auth, callback.retention, callback.initialBackoff,
                callback.maxAttempts, now.milliseconds, now.milliseconds,
            ])
    }

    /// Removes a callback. Its waiting messages are set to failed: no task would take or end them afterwards.
    /// - Returns: false if the callback does not exist.
    static func disable(_ database: Database, id: Identifier, _ policy: CallbackPolicy, at now: ServerTime) throws
        -> Bool
    {
        try database.execute(
            sql: "UPDATE callback_url SET enabled = 0, t_updated = ? WHERE id = ? AND enabled",
            arguments: [now.milliseconds, id])
        guard database.changesCount > 0 else { return false }
        try database.execute(
            sql: """
                UPDATE callback_event SET status = 'FAILED', t_next_call = NULL, t_delete = \(deletion)
                WHERE status = 'PENDING' AND callback = ?
                """, arguments: [now.milliseconds, policy.retention, id])
        return true
    }

    private static func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [Callback] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT \(columns) FROM \(source) WHERE enabled AND \(condition) ORDER BY name, callback_url.rowid"
            ),
            arguments: arguments
        ).map { callback(QueryRow($0)) }
    }

    private static func callback(_ row: QueryRow<Column>) -> Callback {
        Callback(
            id: row[.id], application: Application(row.following()), name: row[.name],
            type: CallbackType(rawValue: row[.type]) ?? .activationStatusChange, url: row[.url],
            attributes: TextList.decode(row[.attributes]),
            authentication: (try? JSONDecoder().decode(CallbackAuthentication.self, from: row[.authentication]))
                ?? CallbackAuthentication(),
            retention: row[.retention], initialBackoff: row[.initialBackoff], maxAttempts: row[.maxAttempts])
    }

    // MARK: Messages

    static func enqueue(_ database: Database, _ callback: Callback, payload: String, at now: ServerTime) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO callback_event (callback, payload, idempotency_key, status, attempts, t_created, t_next_call)
                VALUES (?, ?, ?, 'PENDING', 0, ?, ?)
                """
        ).execute(arguments: [callback.id, payload, Identifiers.uuid(), now.milliseconds, now.milliseconds])
    }

    /// Whether a message is due, or was lost with the process that called its target.
    /// - Parameter underWay: the rows of messages whose calls this process makes now.
    static func hasDue(_ database: Database, at now: ServerTime, underWay: Set<Int64>) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM callback_event JOIN callback_url ON callback_url.id = callback
                        WHERE status = 'PENDING' AND t_next_call <= ? AND enabled)
                    OR EXISTS (SELECT 1 FROM callback_event WHERE \(isLost(underWay)))
                """, arguments: [now.milliseconds, now.milliseconds]) ?? false
    }

    /// Takes the oldest message that is due, for the call that begins now. Those whose circuit is open fail at once.
    /// - Parameter underWay: the rows of messages whose calls this process makes now.
    static func takeDue(
        _ database: Database, _ policy: CallbackPolicy, at now: ServerTime, underWay: Set<Int64>
    ) throws -> CallbackEvent? {
        try settleLost(database, policy, at: now, underWay: underWay)
        if policy.failureThreshold >= 0 {
            try database.execute(
                sql: """
                    UPDATE callback_event SET status = 'FAILED', t_next_call = NULL, t_delete = \(deletion)
                    WHERE status = 'PENDING' AND t_next_call <= ? AND callback IN (SELECT id FROM callback_url
                        WHERE failures >= ? AND t_last_failure > ?)
                    """,
                arguments: [
                    now.milliseconds, policy.retention, now.milliseconds, policy.failureThreshold,
                    now.advanced(by: -policy.resetTimeout).milliseconds,
                ])
        }
        let selected = try Row.fetchOne(
            database,
            sql: """
                SELECT \(EventColumn.list), \(columns) FROM callback_event
                JOIN callback_url ON callback_url.id = callback_event.callback
                JOIN application ON application.id = callback_url.application
                WHERE enabled AND status = 'PENDING' AND t_next_call <= ?
                ORDER BY t_next_call, callback_event.id LIMIT 1
                """, arguments: [now.milliseconds])
        guard let row = selected.map(QueryRow<EventColumn>.init) else { return nil }
        let event = CallbackEvent(
            row: row[.row], callback: callback(row.following()), payload: row[.payload],
            idempotencyKey: row[.idempotencyKey], attempt: (row[.attempts] as Int) + 1)
        try database.execute(
            sql: "UPDATE callback_event SET status = 'PROCESSING', attempts = ?, t_rerun = ? WHERE id = ?",
            arguments: [event.attempt, now.advanced(by: policy.rerunAfter).milliseconds, event.row])
        return event
    }

    /// Attempts that ended with their process are retried if the callback has retries, and otherwise failed, also if
    /// the callback was removed meanwhile.
    private static func settleLost(
        _ database: Database, _ policy: CallbackPolicy, at now: ServerTime, underWay: Set<Int64>
    ) throws {
        let isLost = isLost(underWay)
        try database.execute(
            sql: """
                UPDATE callback_event SET status = 'PENDING', t_next_call = ?, t_rerun = NULL
                WHERE \(isLost) AND callback IN
                    (SELECT id FROM callback_url WHERE enabled AND COALESCE(max_attempts, ?) > 1)
                """, arguments: [now.milliseconds, now.milliseconds, policy.maxAttempts])
        try database.execute(
            sql: """
                UPDATE callback_event SET status = 'FAILED', t_next_call = NULL, t_rerun = NULL, t_delete = \(deletion)
                WHERE \(isLost)
                """, arguments: [now.milliseconds, policy.retention, now.milliseconds])
    }

    /// The condition of messages whose calls have no running task; takes the current moment.
    private static func isLost(_ underWay: Set<Int64>) -> String {
        let rows = underWay.map(String.init).joined(separator: ", ")
        return "status = 'PROCESSING' AND t_rerun <= ? AND callback_event.id NOT IN (\(rows))"
    }

    /// When a message that ends now is deleted; takes the current moment and the policy's retention.
    private static let deletion =
        "? + COALESCE((SELECT retention_ms FROM callback_url WHERE callback_url.id = callback_event.callback), ?)"

    /// Logs the outcome of an attempt, and saves the new state of the message.
    /// - Parameter nextCall: when it is retried; nil ends it.
    static func finish(
        _ database: Database, _ event: CallbackEvent, httpStatus: Int?, failure: String?, isDelivered: Bool,
        nextCall: ServerTime?, deletion: ServerTime, at now: ServerTime
    ) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO callback_attempt (event, number, http_status, failure, t_called)
                VALUES (?, ?, ?, ?, ?)
                """, arguments: [event.row, event.attempt, httpStatus, failure, now.milliseconds])
        try database.execute(
            sql: """
                UPDATE callback_event SET status = ?, t_next_call = ?, t_rerun = NULL, t_delete = ?
                WHERE id = ? AND attempts = ?
                """,
            arguments: [
                isDelivered ? "COMPLETED" : nextCall == nil ? "FAILED" : "PENDING", nextCall?.milliseconds,
                nextCall == nil ? deletion.milliseconds : nil, event.row, event.attempt,
            ])
        if isDelivered {
            try database.execute(
                sql: "UPDATE callback_url SET failures = 0 WHERE id = ?", arguments: [event.callback.id])
        } else {
            try database.execute(
                sql: "UPDATE callback_url SET failures = failures + 1, t_last_failure = ? WHERE id = ?",
                arguments: [now.milliseconds, event.callback.id])
        }
    }

    /// When the next message after those of a moment is due or counts as lost.
    static func nextDue(_ database: Database, after now: ServerTime) throws -> ServerTime? {
        try Int64.fetchOne(
            database,
            sql: """
                SELECT MIN(t) FROM (
                    SELECT MIN(t_next_call) AS t FROM callback_event JOIN callback_url ON callback_url.id = callback
                        WHERE status = 'PENDING' AND enabled AND t_next_call > ?
                    UNION ALL SELECT MIN(t_rerun) FROM callback_event WHERE status = 'PROCESSING' AND t_rerun > ?)
                """, arguments: [now.milliseconds, now.milliseconds]
        ).map(ServerTime.init(milliseconds:))
    }

    /// The most attempts of one answer.
    static let mostAttempts = 500

    /// The newest attempts for a callback, removed or not, newest first.
    static func attempts(_ database: Database, callbackId: Identifier) throws -> [CallbackAttempt] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT idempotency_key, payload, status, number, http_status, failure, t_called
                FROM callback_attempt JOIN callback_event ON callback_event.id = event
                WHERE callback = ? ORDER BY t_called DESC, event DESC, number DESC LIMIT \(mostAttempts)
                """, arguments: [callbackId]
        ).map { row in
            CallbackAttempt(
                idempotencyKey: row["idempotency_key"], payload: row["payload"], status: row["status"],
                number: row["number"], httpStatus: row["http_status"], failure: row["failure"],
                called: ServerTime(milliseconds: row["t_called"]))
        }
    }
}
