/// How long the texts are that the server stores, or makes of what it has stored: a caller with many short requests must not
/// make one long answer. The description of the API has the same numbers.
struct TextLimit: Sendable {
    /// In code points, as JSON Schema counts.
    let characters: Int

    /// A name, or a device's description of itself.
    static let line = TextLimit(characters: 255)
    /// A parameter of an operation.
    static let parameter = TextLimit(characters: 2_048)
    /// Every text of a request that has no other limit.
    static let ordinary = TextLimit(characters: 4_096)
    /// A text that a template makes: of an operation, its title, its message.
    static let produced = TextLimit(characters: 16_384)
    /// A text that is checked and not kept, or that is encrypted: little less than a body may have.
    static let transient = TextLimit(characters: 1_000_000)
    /// Additional data, claims and other JSON of a caller's own, as it is stored.
    static let json = TextLimit(characters: 65_536)
    /// The names of a list that is stored as one: flags, roles.
    static let names = TextLimit(characters: 4_096)

    /// Whether a text is within the limit.
    func admits(_ text: String) -> Bool {
        text.utf8.count <= characters || text.unicodeScalars.count <= characters
    }

    /// - Parameter field: the field of the text, for the error message.
    /// - Throws: `invalidRequest` with a sentence, for a longer text.
    func check(_ text: String?, _ field: String) throws {
        guard let text, !admits(text) else { return }
        throw ServiceError.invalid("\(field) must have at most \(characters) characters")
    }
}
