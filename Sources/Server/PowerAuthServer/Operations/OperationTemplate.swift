// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// What operations of one kind have in common (server.md, section 17).
struct OperationTemplate: Sendable {
    /// The key of the row; nil before it is stored.
    var id: Int64?
    /// Never changes.
    let name: Identifier
    var operationType: Identifier
    /// The text to sign, with `${name}` where a parameter goes.
    var dataTemplate: String
    var signatureTypes: [SignatureType]
    var maxFailureCount: Int
    /// Seconds.
    var expiration: Int64
    /// One-letter flags, not interpreted here.
    var riskFlags: String?
    var isProximityCheckEnabled: Bool

    /// Checks the values of a request.
    func validate() throws {
        for (field, text) in [
            ("templateName", name.text), ("operationType", operationType.text), ("dataTemplate", dataTemplate),
        ] where text.isEmpty { throw ServiceError.invalid("\(field) must not be empty") }
        try TextLimit.ordinary.check(dataTemplate, "dataTemplate")
        try TextLimit.line.check(riskFlags, "riskFlags")
        guard !signatureTypes.isEmpty, Set(signatureTypes).count == signatureTypes.count else {
            throw ServiceError.invalid("signatureType must list at least one type, without duplicates")
        }
        guard maxFailureCount > 0 else { throw ServiceError.invalid("maxFailureCount must be positive") }
        guard expiration > 0 else { throw ServiceError.invalid("expiration must be a positive number of seconds") }
    }

    /// The text to sign (server.md, section 30, item 15).
    /// - Throws: `invalidRequest` for a text that is too long.
    func data(with parameters: [String: String]) throws -> String {
        let text = PlaceholderText(text: dataTemplate).filled(upTo: .produced) { parameters[$0].map(Self.escape) }
        guard let text else {
            throw ServiceError.invalid("the data would have more than \(TextLimit.produced.characters) characters")
        }
        return text
    }

    /// The separators of the data format lose their meaning inside a parameter. They are code points: one that a
    /// combining mark follows is a separator all the same.
    private static func escape(_ parameter: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in parameter.unicodeScalars {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "*": text.append(contentsOf: "\\*".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}

/// Operation templates (server.md, section 17).
struct OperationTemplateService: Sendable {
    let context: ServiceContext

    func list() throws -> [OperationTemplate] { try context.read(OperationTemplateStore.all) }

    /// - Throws: `invalidRequest` without identifier, `operationTemplateNotFound` for an unknown one.
    func detail(id: Int64?) throws -> OperationTemplate {
        guard let id else { throw ServiceError.invalid("id is missing") }
        guard let template = try context.read({ try OperationTemplateStore.find($0, id: id) }) else {
            throw ServiceError(.operationTemplateNotFound, "no template \(id)")
        }
        return template
    }

    /// - Throws: `invalidRequest` for what is not valid, `operationTemplateAlreadyExists` for a name that is taken.
    func create(_ template: OperationTemplate) throws -> OperationTemplate {
        try template.validate()
        return try context.change { change in
            guard try OperationTemplateStore.find(change.database, name: template.name) == nil else {
                throw ServiceError(.operationTemplateAlreadyExists, "template \(template.name) exists")
            }
            var created = template
            created.id = try OperationTemplateStore.insert(change.database, template)
            return created
        }
    }

    /// Changes everything but the name.
    /// - Parameter body: receives the stored template.
    func update(id: Int64?, _ body: @escaping (inout OperationTemplate) throws -> Void) throws -> OperationTemplate {
        guard let id else { throw ServiceError.invalid("id is missing") }
        return try context.change { change in
            guard var template = try OperationTemplateStore.find(change.database, id: id) else {
                throw ServiceError(.operationTemplateNotFound, "no template \(id)")
            }
            try body(&template)
            try template.validate()
            try OperationTemplateStore.update(change.database, template)
            return template
        }
    }

    /// Removes a template; operations made of it stay.
    func remove(id: Int64?) throws {
        _ = try detail(id: id)
        try context.change { try OperationTemplateStore.delete($0.database, id: id ?? 0) }
    }
}

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
        try Row.fetchOne(database, sql: "SELECT \(Column.list) FROM operation_template WHERE id = ?", arguments: [id])
            .map { template(QueryRow($0)) }
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
            maxFailureCount: row[.maxFailureCount], expiration: row[.expiration], riskFlags: row[.riskFlags],
            isProximityCheckEnabled: row[.isProximityCheckEnabled])
    }
}
