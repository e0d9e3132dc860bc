import PowerAuthShared

/// The fields of an authorization header: a scheme, then `name="value"` pairs, in their order.
struct AuthorizationHeader: Sendable {
    let scheme: String
    let fields: [(name: String, value: String)]

    /// - Throws: for a text of another form.
    init(_ text: String) throws {
        struct Malformed: Error { let text: String }
        guard let space = text.firstIndex(of: " ") else { throw Malformed(text: text) }
        scheme = String(text[..<space])
        fields = try text[text.index(after: space)...].split(separator: ", ").map { part in
            guard let match = part.wholeMatch(of: #/([a-z_]+)="([^"]*)"/#) else { throw Malformed(text: text) }
            return (String(match.1), String(match.2))
        }
    }

    init(_ header: PowerAuthAuthorizationHttpHeader) throws { try self.init(header.value) }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}
