// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore

/// How an operation of one type is shown in one language (mobile-token.md, section 17.1).
struct UITemplate: Sendable {
    /// The operation's type.
    let placeholder: Identifier
    /// Such as `en`.
    let language: String
    /// Placeholders in it are filled, as in all texts but the labels of attributes.
    var title: String
    var message: String
    /// JSON text of a list of ``Attribute``; nil for none.
    var attributes: String?
    /// JSON text of what is shown afterwards; nil for nothing.
    var resultTexts: String?
    /// JSON text of the extensions of the user interface; nil for none.
    var ui: String?

    struct Attribute: Codable, Sendable {
        let id: String
        let type: String
        let text: String
        /// The names of the operation's parameters by the attribute's own names.
        var params: [String: String]?
    }

    /// The most attributes.
    static let mostAttributes = 32
    /// The longest language.
    static let languageLength = ServerSettings.UITemplate.languageLength

    /// One of its JSON parts as it is stored: JSON, or a text with placeholders where no JSON value can stand.
    static func stored(_ part: JSONValue?) -> String? {
        part.flatMap { $0.isNull ? nil : $0.stringValue ?? $0.description }
    }

    /// Title and message, filled for an operation. Neither is JSON, so that nothing is escaped in them
    /// (mobile-token.md, section 24, item 31).
    func texts(of operation: OperationRecord) -> (title: String, message: String) {
        func filled(_ text: String) -> String {
            guard !operation.parameters.isEmpty else { return text }
            // A text of that length is unreadable; the template itself shows at least the subject.
            return PlaceholderText(text: text).filled(upTo: .ordinary) { operation.parameters[$0] } ?? text
        }
        return (filled(title), filled(message))
    }

    /// The JSON of one of its parts, filled for an operation with what cannot break it; nil without the part.
    /// - Throws: ``MobileTokenFailure/brokenTemplate``.
    func json(_ part: String?, of operation: OperationRecord) throws -> JSONValue? {
        guard let part = part.nonBlank else { return nil }
        let filled =
            operation.parameters.isEmpty
            ? part : PlaceholderText(text: part).filled(upTo: .produced) { operation.parameters[$0].map(Self.escaped) }
        guard let filled, let json = try? JSONValue.parse(filled) else { throw MobileTokenFailure.brokenTemplate }
        return json.isNull ? nil : json
    }

    /// A text as written between the quotes of a JSON string.
    private static func escaped(_ text: String) -> String {
        String(JSONValue.string(text).description.dropFirst().dropLast())
    }

    /// - Throws: ``MobileTokenFailure/brokenTemplate``.
    func attributeTemplates() throws(MobileTokenFailure) -> [Attribute] {
        guard let attributes = attributes.nonBlank else { return [] }
        do {
            return try JSONDecoder().decode([Attribute]?.self, from: Data(attributes.utf8)) ?? []
        } catch {
            throw MobileTokenFailure.brokenTemplate
        }
    }

    /// Checks the values of a request.
    func validate() throws {
        for (field, text) in [("placeholder", placeholder.text), ("language", language), ("title", title)]
        where Optional(text).nonBlank == nil { throw ServiceError.invalid("\(field) must not be blank") }
        guard language.count <= Self.languageLength else {
            throw ServiceError.invalid("language must have at most \(Self.languageLength) characters")
        }
        for (field, text) in [
            ("title", title), ("message", message), ("attributes", attributes), ("resultTexts", resultTexts),
            ("ui", ui),
        ] { try TextLimit.ordinary.check(text, field) }
        guard (try? attributeTemplates().count) ?? 0 <= Self.mostAttributes else {
            throw ServiceError.invalid("attributes must be at most \(Self.mostAttributes)")
        }
    }
}

/// The templates of some types of operations, for a whole page read at once.
struct UITemplates: Sendable {
    /// The language that replaces all missing ones.
    static let defaultLanguage = ServerSettings.UITemplate.defaultLanguage

    /// By the operation's type, oldest first, with their attributes, which are read once for all operations.
    private let rows: [Identifier: [Entry]]

    struct Entry: Sendable {
        let template: UITemplate
        let attributes: Result<[UITemplate.Attribute], MobileTokenFailure>
    }

    /// Reads the templates of types in one query.
    static func of(_ types: some Sequence<Identifier>, _ database: Database) throws -> UITemplates {
        UITemplates(try UITemplateStore.list(database, types: Set(types)))
    }

    init(_ templates: [UITemplate]) {
        rows = Dictionary(grouping: templates, by: \.placeholder).mapValues { templates in
            templates.map { template in
                Entry(template: template, attributes: Result(catching: template.attributeTemplates))
            }
        }
    }

    /// The best row: in the language, in English, or any.
    func entry(for type: Identifier, language: String) -> Entry? {
        let rows = rows[type] ?? []
        return rows.first { $0.template.language == language }
            ?? rows.first { $0.template.language == Self.defaultLanguage } ?? rows.first
    }

    func template(for type: Identifier, language: String) -> UITemplate? {
        entry(for: type, language: language)?.template
    }
}

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
            sql: "DELETE FROM ui_template WHERE placeholder = ? AND language = ?", arguments: [placeholder, language])
        return database.changesCount > 0
    }

    private static func template(_ row: QueryRow<Column>) -> UITemplate {
        UITemplate(
            placeholder: row[.placeholder], language: row[.language], title: row[.title], message: row[.message],
            attributes: row[.attributes], resultTexts: row[.resultTexts], ui: row[.ui])
    }
}
