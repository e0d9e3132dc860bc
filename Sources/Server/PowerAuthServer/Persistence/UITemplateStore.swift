import GRDB

/// The rows of UI templates of operations.
enum UITemplateStore {
    private enum Column: String, QueryColumn {
        case placeholder
        case language
        case title
        case message
        case attributes
        case resultTexts = "result_texts"
        case ui
    }

    /// All templates, oldest first, or those of some types.
    static func list(_ database: Database, types: Set<Identifier>? = nil) throws -> [UITemplate] {
        let condition = types == nil ? "" : "WHERE placeholder IN (SELECT value FROM json_each(?))"
        let arguments: StatementArguments = try types.map { [try TextList.encode(Array($0))] } ?? []
        return try Row.fetchAll(
            database.cachedStatement(sql: "SELECT \(Column.list) FROM ui_template \(condition) ORDER BY id"),
            arguments: arguments
        ).map { template(QueryRow($0)) }
    }

    /// Inserts a template, or replaces the one of its type and language.
    static func save(_ database: Database, _ template: UITemplate) throws {
        try database.execute(
            sql: """
                INSERT INTO ui_template (placeholder, language, title, message, attributes, result_texts, ui)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (placeholder, language) DO UPDATE SET title = excluded.title, message = excluded.message,
                    attributes = excluded.attributes, result_texts = excluded.result_texts, ui = excluded.ui
                """,
            arguments: [
                template.placeholder, template.language, template.title, template.message, template.attributes,
                template.resultTexts, template.ui,
            ])
    }

    /// - Returns: whether there was one.
    static func delete(_ database: Database, placeholder: Identifier, language: String) throws -> Bool {
        try database.execute(
            sql: "DELETE FROM ui_template WHERE placeholder = ? AND language = ?",
            arguments: [placeholder, language])
        return database.changesCount > 0
    }

    private static func template(_ row: QueryRow<Column>) -> UITemplate {
        UITemplate(
            placeholder: row[.placeholder], language: row[.language], title: row[.title], message: row[.message],
            attributes: row[.attributes], resultTexts: row[.resultTexts], ui: row[.ui])
    }
}
