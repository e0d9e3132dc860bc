/// A message for a user, kept until they read it and longer (mobile-token.md, section 20.3).
struct InboxMessage: Sendable {
    /// How the body is written.
    enum Format: String, Codable, Sendable, CaseIterable {
        case text, html
    }

    /// A lower-case UUID.
    let id: Identifier
    let userId: Identifier
    let applications: [Application]
    let format: Format
    let subject: String
    let summary: String
    /// Nil in a list, which does not read it: it may be long.
    let body: String?
    let created: ServerTime
    /// When it was read first; nil while it is new.
    var read: ServerTime?
}
