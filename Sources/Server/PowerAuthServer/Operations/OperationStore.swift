// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import PowerAuthProtocol

/// The rows of operations and of the applications they belong to.
enum OperationStore {
    private enum Column: String, QueryColumn {
        case id = "operation.id"
        case userId = "user_id"
        case externalId = "external_id"
        case activationFlag = "activation_flag"
        case activationId = "activation_id"
        case operationType = "type"
        case templateName = "template_name"
        case data
        case parameters
        case additionalData = "additional"
        case status
        case statusReason = "status_reason"
        case signatureTypes = "signature_types"
        case failureCount = "failures"
        case maxFailureCount = "max_failures"
        case riskFlags = "risk_flags"
        case proximitySeed = "totp_seed"
        case created = "t_created"
        case expires = "t_expire"
        case finalized = "t_final"
    }

    static func find(_ database: Database, id: Identifier) throws -> OperationRecord? {
        try fetch(database, "operation.id = ?", [id], limit: 1, offset: 0).first
    }

    /// Which operations a list shows. A nil criterion accepts everything.
    struct Filter: Sendable {
        var userId: Identifier?
        var externalId: Identifier?
        /// One of them must be among the operation's; they exist.
        var applications: [Application]
        var activationId: Identifier?
        /// The flags an operation may require; nil without activation.
        var flags: [Identifier]?
        var isPendingOnly = false
        var offset: Int
        var limit: Int
    }

    /// A page of operations, newest first.
    static func list(_ database: Database, _ filter: Filter) throws -> [OperationRecord] {
        var conditions = QueryConditions()
        conditions.add(
            """
            EXISTS (SELECT 1 FROM operation_application WHERE operation = operation.id
            AND application IN (\(filter.applications.map { "\($0.row)" }.joined(separator: ", "))))
            """)
        conditions.add("user_id = ?", filter.userId)
        conditions.add("external_id = ?", filter.externalId)
        conditions.add("(activation_id IS NULL OR activation_id = ?)", filter.activationId)
        if let flags = filter.flags {
            try conditions.add(
                "(activation_flag IS NULL OR activation_flag IN (SELECT value FROM json_each(?)))", in: flags)
        }
        if filter.isPendingOnly { conditions.add("status = 1") }
        return try fetch(database, conditions.text, conditions.arguments, limit: filter.limit, offset: filter.offset)
    }

    /// Pending operations whose time is over, oldest expiry first.
    static func expired(_ database: Database, at now: ServerTime, limit: Int) throws -> [OperationRecord] {
        try fetch(database, "status = 1 AND t_expire < ?", [now.milliseconds], limit: limit, offset: 0)
    }

    static func nextExpiry(_ database: Database) throws -> ServerTime? {
        try Int64.fetchOne(database, sql: "SELECT MIN(t_expire) FROM operation WHERE status = 1")
            .map(ServerTime.init(milliseconds:))
    }

    static func exists(_ database: Database, id: Identifier) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM operation WHERE id = ?)", arguments: [id]) ?? false
    }

    static func insert(_ database: Database, _ operation: OperationRecord) throws {
        try database.execute(
            sql: """
                INSERT INTO operation (id, user_id, external_id, activation_flag, activation_id, type, template_name,
                    data, parameters, additional, status, status_reason, signature_types, failures, max_failures,
                    risk_flags, totp_seed, t_created, t_expire, t_final)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                operation.id, operation.userId, operation.externalId, operation.activationFlag,
                operation.activationId, operation.operationType, operation.templateName, operation.data,
                try JSONBody.text(of: operation.parameters), try JSONBody.text(of: operation.additionalData),
                operation.status.rawValue, operation.statusReason,
                try TextList.encode(operation.signatureTypes.map(\.name)), operation.failureCount,
                operation.maxFailureCount, operation.riskFlags, operation.proximitySeed,
                operation.created.milliseconds, operation.expires.milliseconds, operation.finalized?.milliseconds,
            ])
        for application in operation.applications {
            try database.execute(
                sql: "INSERT INTO operation_application (operation, application) VALUES (?, ?)",
                arguments: [operation.id, application.row])
        }
    }

    /// Writes everything that can change after the insertion.
    static func update(_ database: Database, _ operation: OperationRecord) throws {
        try database.execute(
            sql: """
                UPDATE operation SET user_id = ?, additional = ?, status = ?, status_reason = ?, failures = ?,
                    t_final = ? WHERE id = ?
                """,
            arguments: [
                operation.userId, try JSONBody.text(of: operation.additionalData), operation.status.rawValue,
                operation.statusReason, operation.failureCount, operation.finalized?.milliseconds, operation.id,
            ])
    }

    private static func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments, limit: Int, offset: Int
    ) throws -> [OperationRecord] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT \(Column.list) FROM operation WHERE \(condition)
                ORDER BY t_created DESC, operation.rowid DESC LIMIT ? OFFSET ?
                """, arguments: arguments + [limit, offset])
        let applications = try applications(database, of: rows.map { QueryRow<Column>($0)[.id] })
        return try rows.map { row in
            let row = QueryRow<Column>(row)
            return try operation(row, applications[row[.id]] ?? [])
        }
    }

    /// The applications of operations, in one query for a whole page.
    private static func applications(
        _ database: Database, of operations: [Identifier]
    ) throws -> [Identifier: [Application]] {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT \(ApplicationColumn.list), operation_application.operation FROM operation_application
                    JOIN application ON application.id = operation_application.application
                    WHERE operation IN (SELECT value FROM json_each(?)) ORDER BY app_id
                    """), arguments: [try TextList.encode(operations)])
        return Dictionary(grouping: rows) { $0["operation"] as Identifier }
            .mapValues { rows in rows.map { Application(QueryRow($0)) } }
    }

    private static func operation(_ row: QueryRow<Column>, _ applications: [Application]) throws -> OperationRecord {
        let decoder = JSONDecoder()
        return OperationRecord(
            id: row[.id], userId: row[.userId], applications: applications, externalId: row[.externalId],
            activationFlag: row[.activationFlag], activationId: row[.activationId], operationType: row[.operationType],
            templateName: row[.templateName], data: row[.data],
            parameters: try decoder.decode([String: String].self, from: Data((row[.parameters] as String).utf8)),
            additionalData: try decoder.decode(
                [String: JSONValue].self, from: Data((row[.additionalData] as String).utf8)),
            status: OperationStatus(rawValue: row[.status]) ?? .failed, statusReason: row[.statusReason],
            signatureTypes: TextList.decode(row[.signatureTypes]).compactMap(SignatureType.init(name:)),
            failureCount: row[.failureCount],
            maxFailureCount: row[.maxFailureCount], riskFlags: row[.riskFlags], proximitySeed: row[.proximitySeed],
            created: ServerTime(milliseconds: row[.created]), expires: ServerTime(milliseconds: row[.expires]),
            finalized: (row[.finalized] as Int64?).map(ServerTime.init(milliseconds:)))
    }
}
