// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The columns that a query selects, in its order.
///
/// Declared once: the text of the query and the reading of its rows come from the same cases, so that no place of a
/// column is written down. Queries with a single reader use the names of their columns as GRDB offers them; on the way of
/// every request, a place is found several times faster than a name.
protocol QueryColumn: CaseIterable, Equatable, RawRepresentable, Sendable where RawValue == String {}

extension QueryColumn {
    static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The index of the column in its rows.
    fileprivate var place: Int {
        var place = 0
        for column in Self.allCases {
            if column == self { return place }
            place += 1
        }
        preconditionFailure("\(self) is not among the cases of its own type")
    }
}

/// A row of a query whose columns are declared.
///
/// Lives as long as GRDB's row: within the function that reads it.
struct QueryRow<Column: QueryColumn> {
    private let row: Row
    /// How many columns of other queries stand before these.
    private let start: Int

    /// A row that begins with the columns.
    init(_ row: Row) { self.init(row, start: 0) }

    private init(_ row: Row, start: Int) {
        self.row = row
        self.start = start
    }

    /// The value of a column; NULL is nil of an optional type.
    subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(column: Column) -> Value {
        row[start + column.place]
    }

    /// The same row, read by the columns that are selected behind these.
    func following<Next: QueryColumn>(_: Next.Type = Next.self) -> QueryRow<Next> {
        QueryRow<Next>(row, start: start + Column.allCases.count)
    }

    /// The first row of a result, read while the statement is positioned on it: `fetchOne` would copy every column
    /// first.
    static func first<Value>(
        _ statement: Statement, arguments: StatementArguments, _ read: (QueryRow) throws -> Value
    ) throws -> Value? {
        let cursor = try Row.fetchCursor(statement, arguments: arguments)
        // The end of the cursor resets the statement, and its columns are null from then on.
        return try withExtendedLifetime(cursor) { try cursor.next().map { try read(QueryRow($0)) } }
    }
}

/// Conditions that must all hold, with the arguments that they take.
struct QueryConditions {
    private(set) var arguments = StatementArguments()
    private var texts: [String] = []

    /// The text behind WHERE.
    var text: String { texts.joined(separator: " AND ") }

    /// Adds a condition without arguments of its own.
    mutating func add(_ condition: String) { texts.append(condition) }

    /// Adds a condition about a value; nil asks for nothing.
    mutating func add(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
        guard let value else { return }
        texts.append(condition)
        arguments += [value]
    }

    /// Adds a condition about a list, as JSON: SQLite takes a limited number of arguments, and a caller may name more.
    mutating func add(_ condition: String, in list: [some Encodable]) throws {
        add(condition, try TextList.encode(list))
    }
}
