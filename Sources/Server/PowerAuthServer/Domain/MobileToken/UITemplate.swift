import Foundation
import LabKit

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

    /// The parts of one attribute.
    struct Attribute: Codable, Sendable {
        let id: String
        let type: String
        /// The label.
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
            ? part
            : PlaceholderText(text: part).filled(upTo: .produced) { operation.parameters[$0].map(Self.escaped) }
        guard let filled, let json = try? JSONValue.parse(filled) else { throw MobileTokenFailure.brokenTemplate }
        return json.isNull ? nil : json
    }

    /// A text as written between the quotes of a JSON string.
    private static func escaped(_ text: String) -> String {
        String(JSONValue.string(text).description.dropFirst().dropLast())
    }

    /// The attributes' descriptions.
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
    /// - Throws: `invalidRequest` with a message.
    func validate() throws {
        for (field, text) in [("placeholder", placeholder.text), ("language", language), ("title", title)]
        where Optional(text).nonBlank == nil {
            throw ServiceError.invalid("\(field) must not be blank")
        }
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
