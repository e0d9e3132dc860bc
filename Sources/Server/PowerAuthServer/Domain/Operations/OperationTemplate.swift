import Foundation
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
    /// - Throws: `invalidRequest` with a message.
    func validate() throws {
        for (field, text) in [
            ("templateName", name.text), ("operationType", operationType.text), ("dataTemplate", dataTemplate),
        ] where text.isEmpty {
            throw ServiceError.invalid("\(field) must not be empty")
        }
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
