import GRDB
import PowerAuthProtocol

/// The rows of operation templates.
enum OperationTemplateStore {
    private static let columns = """
        id, name, type, data_template, signature_types, max_failures, expiration_s, risk_flags, proximity
        """

    static func all(_ database: Database) throws -> [OperationTemplate] {
        try Row.fetchAll(database, sql: "SELECT \(columns) FROM operation_template ORDER BY id").map(template)
    }

    static func find(_ database: Database, id: Int64) throws -> OperationTemplate? {
        try Row.fetchOne(
            database, sql: "SELECT \(columns) FROM operation_template WHERE id = ?", arguments: [id]
        ).map(template)
    }

    static func find(_ database: Database, name: String) throws -> OperationTemplate? {
        try Row.fetchOne(
            database, sql: "SELECT \(columns) FROM operation_template WHERE name = ?", arguments: [name]
        ).map(template)
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

    private static func template(_ row: Row) -> OperationTemplate {
        OperationTemplate(
            id: row[0], name: row[1], operationType: row[2], dataTemplate: row[3],
            signatureTypes: TextList.decode(row[4]).compactMap(SignatureType.init(name:)), maxFailureCount: row[5],
            expiration: row[6], riskFlags: row[7], isProximityCheckEnabled: row[8])
    }
}
