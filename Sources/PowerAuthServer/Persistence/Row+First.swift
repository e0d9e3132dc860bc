import GRDB

extension Row {
    /// The first row of a result, read while the statement stands on it: `fetchOne` would copy every column first.
    static func first<Value>(
        _ statement: Statement, arguments: StatementArguments, _ read: (Row) throws -> Value
    ) throws -> Value? {
        let cursor = try Row.fetchCursor(statement, arguments: arguments)
        // The end of the cursor resets the statement, and its columns are null from then on.
        return try withExtendedLifetime(cursor) { try cursor.next().map(read) }
    }
}
