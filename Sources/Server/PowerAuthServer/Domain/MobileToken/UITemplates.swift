import GRDB
import LabKit

/// The templates of some types of operations, for a whole page read at once.
struct UITemplates: Sendable {
    /// The language that replaces all missing ones.
    static let defaultLanguage = ServerSettings.UITemplate.defaultLanguage

    /// By the operation's type, oldest first, with their attributes, which are read once for all operations.
    private let rows: [Identifier: [Entry]]

    /// A template and its attributes.
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

    /// The template of the best row.
    func template(for type: Identifier, language: String) -> UITemplate? {
        entry(for: type, language: language)?.template
    }
}
