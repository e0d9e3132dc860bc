/// The table of what happened to activations, operations and recovery codes (server.md, section 28, `audit_log`).
enum AuditSchema {
    static let tables = """
        CREATE TABLE audit_log (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            t INTEGER NOT NULL,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            detail TEXT NOT NULL
        );
        """
}
