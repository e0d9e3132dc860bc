import GRDB
import LabKit

/// The rows of the audit.
enum AuditStore {
    /// The most entries of one answer.
    static let page = 1_000

    static func insert(
        _ database: Database, _ kind: AuditEntry.Kind, _ text: String, _ detail: JSONValue, at now: ServerTime
    ) throws {
        try database.cachedStatement(sql: "INSERT INTO audit_log (t, kind, text, detail) VALUES (?, ?, ?, ?)")
            .execute(arguments: [
                now.milliseconds, kind.rawValue, text, String(decoding: detail.encoded(), as: UTF8.self),
            ])
    }

    /// The first thousand entries behind a number, oldest first.
    static func entries(_ database: Database, after number: Int64) throws -> [AuditEntry] {
        try Row.fetchAll(
            database, sql: "SELECT id, t, kind, text, detail FROM audit_log WHERE id > ? ORDER BY id LIMIT \(page)",
            arguments: [number]
        ).map { row in
            AuditEntry(
                number: row["id"], time: row["t"], kind: row["kind"], text: row["text"],
                detail: try JSONValue.parse(row["detail"] as String))
        }
    }
}
