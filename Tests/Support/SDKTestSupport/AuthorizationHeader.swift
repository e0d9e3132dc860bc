package import PowerAuthShared

/// The fields of an authorization header: a scheme, then `name="value"` pairs, in their order.
package struct AuthorizationHeader: Sendable {
    package let scheme: String
    package let fields: [(name: String, value: String)]

    /// - Throws: for a text of another form.
    package init(_ text: String) throws {
        struct Malformed: Error { let text: String }
        guard let space = text.firstIndex(of: " ") else { throw Malformed(text: text) }
        scheme = String(text[..<space])
        fields = try text[text.index(after: space)...].split(separator: ", ").map { part in
            guard let match = part.wholeMatch(of: #/([a-z_]+)="([^"]*)"/#) else { throw Malformed(text: text) }
            return (String(match.1), String(match.2))
        }
    }

    package init(_ header: PowerAuthAuthorizationHttpHeader) throws { try self.init(header.value) }

    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}
