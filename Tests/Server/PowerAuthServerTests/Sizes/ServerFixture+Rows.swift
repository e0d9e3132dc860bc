import GRDB
import PowerAuthProtocol

@testable import PowerAuthServer

extension ServerFixture {
    /// Fills a table with copies of its last row, as no client could so quickly.
    /// - Parameters:
    ///   - count: how many copies.
    ///   - changes: columns with their values, where they differ; `i` is the number of the copy, from 1.
    func copyLastRow(of table: String, times count: Int, _ changes: [String: String]) throws {
        try server.services.context.change { change in
            let columns = try String.fetchAll(
                change.database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
            let values = columns.map { changes[$0] ?? "\"\($0)\"" }
            try change.database.execute(
                sql: """
                    WITH RECURSIVE copies(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM copies WHERE i < \(count))
                    INSERT INTO \(table) (\(columns.map { "\"\($0)\"" }.joined(separator: ", ")))
                    SELECT \(values.joined(separator: ", ")) FROM copies, (SELECT * FROM \(table) ORDER BY rowid DESC LIMIT 1)
                    WHERE \(count) > 0
                    """)
        }
        server.services.context.database.cache.forgetAll()
    }

    /// How many rows fit a condition.
    func rows(_ table: String, _ condition: String = "TRUE") throws -> Int {
        try server.services.context.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table) WHERE \(condition)") ?? 0
        }
    }

    /// Does everything that is due by the passing of time.
    /// - Returns: when the next thing is due.
    @discardableResult
    func runJobs() async throws -> ServerTime? { try await CallbackTarget([]).runJobs(self) }
}
