import GRDB
import PowerAuthProtocol

/// The rows of operation templates.
enum OperationTemplateStore {
    private enum Column: String, QueryColumn {
        case id
        case name
        case operationType = "type"
        case dataTemplate = "data_template"
        case signatureTypes = "signature_types"
        case maxFailureCount = "max_failures"
        case expiration = "expiration_s"
        case riskFlags = "risk_flags"
        case isProximityCheckEnabled = "proximity"
    }

    static func all(_ database: Database) throws -> [OperationTemplate] {
        try Row.fetchAll(database, sql: "SELECT \(Column.list) FROM operation_template ORDER BY id").map {
            template(QueryRow($0))
        }
    }

    static func find(_ database: Database, id: Int64) throws -> OperationTemplate? {
        try Row.fetchOne(
            database, sql: "SELECT \(Column.list) FROM operation_template WHERE id = ?", arguments: [id]
        ).map { template(QueryRow($0)) }
    }

    static func find(_ database: Database, name: Identifier) throws -> OperationTemplate? {
        try Row.fetchOne(
            database, sql: "SELECT \(Column.list) FROM operation_template WHERE name = ?", arguments: [name]
        ).map { template(QueryRow($0)) }
    }

    /// - Returns: the new row.
    static func insert(_ database: Database, _ template: OperationTemplate) throws -> Int64 {
        try database.execute(
            sql: """
                INSERT INTO operation_template (name, type, data_template, signature_types, max_failures,
                    expiration_s, risk_flags, proximity) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                template.name, template.operationType, template.dataTemplate,
                try TextList.encode(template.signatureTypes.map(\.name)), template.maxFailureCount,
                template.expiration, template.riskFlags, template.isProximityCheckEnabled,
            ])
        return database.lastInsertedRowID
    }

    /// Inserts a template, or replaces the one of its name.
    static func save(_ database: Database, _ template: OperationTemplate) throws {
        if let stored = try find(database, name: template.name) {
            var replacement = template
            replacement.id = stored.id
            try update(database, replacement)
        } else {
            _ = try insert(database, template)
        }
    }

    static func update(_ database: Database, _ template: OperationTemplate) throws {
        try database.execute(
            sql: """
                UPDATE operation_template SET type = ?, data_template = ?, signature_types = ?, max_failures = ?,
                    expiration_s = ?, risk_flags = ?, proximity = ? WHERE id = ?
                """,
            arguments: [
                template.operationType, template.dataTemplate,
                try TextList.encode(template.signatureTypes.map(\.name)), template.maxFailureCount,
                template.expiration, template.riskFlags, template.isProximityCheckEnabled, template.id,
            ])
    }

    static func delete(_ database: Database, id: Int64) throws {
        try database.execute(sql: "DELETE FROM operation_template WHERE id = ?", arguments: [id])
    }

    private static func template(_ row: QueryRow<Column>) -> OperationTemplate {
        OperationTemplate(
            id: row[.id], name: row[.name], operationType: row[.operationType], dataTemplate: row[.dataTemplate],
            signatureTypes: TextList.decode(row[.signatureTypes]).compactMap(SignatureType.init(name:)),
            maxFailureCount: row[.maxFailureCount],
            expiration: row[.expiration], riskFlags: row[.riskFlags],
            isProximityCheckEnabled: row[.isProximityCheckEnabled])
    }
}
