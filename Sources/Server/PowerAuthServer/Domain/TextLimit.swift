// SPDX-License-Identifier: Apache-2.0

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
    func admits(_ text: String) -> Bool { text.utf8.count <= characters || text.unicodeScalars.count <= characters }

    /// - Parameter field: the field of the text, for the error message.
    /// - Throws: `invalidRequest` with a sentence, for a longer text.
    func check(_ text: String?, _ field: String) throws {
        guard let text, !admits(text) else { return }
        throw ServiceError.invalid("\(field) must have at most \(characters) characters")
    }
}

/// A text with `${name}` for a parameter, `${name:-text}` for one with a default, and `$${` for the characters
/// themselves (mobile-token.md, section 17.2).
struct PlaceholderText: Sendable {
    let text: String

    /// Fills the placeholders in one pass: parameter values are not expanded again (mobile-token.md, section 24, item
    /// 25). Unknown placeholders stay unchanged.
    /// - Parameters:
    ///   - limit: the maximum length of the result.
    ///   - value: the replacement for a name, escaped for the text; nil for an unknown name.
    /// - Returns: nil if the text exceeds the limit: many placeholders multiply a long parameter.
    func filled(upTo limit: TextLimit, _ value: (String) -> String?) -> String? {
        var result = ""
        var rest = Substring(text)
        while let start = rest.firstRange(of: "${") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { break }
            let before = rest[..<start.lowerBound]
            let after = rest.index(after: end)
            let placeholder = rest[start.lowerBound..<after]
            if before.last == "$" {
                result += before.dropLast() + placeholder
            } else {
                result += before + (Self.value(of: rest[start.upperBound..<end], value) ?? String(placeholder))
            }
            rest = rest[after...]
            guard limit.admits(result) else { return nil }
        }
        result += rest
        return limit.admits(result) ? result : nil
    }

    private static func value(of content: Substring, _ value: (String) -> String?) -> String? {
        guard let separator = content.firstRange(of: ":-") else { return value(String(content)) }
        return value(String(content[..<separator.lowerBound])) ?? String(content[separator.upperBound...])
    }
}

/// Patterns in which `*` stands for any text, including the empty one, and `|` separates alternatives.
enum Wildcard {
    static func matches(_ pattern: String, _ text: String) -> Bool {
        pattern.split(separator: "|", omittingEmptySubsequences: false).contains { matchesAll(of: $0, text) }
    }

    private static func matchesAll(of pattern: Substring, _ text: String) -> Bool {
        // Every star but the last takes as little as possible, which finds a match if there is one.
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return pattern[...] == text[...] }
        guard text.hasPrefix(parts[0]) else { return false }
        var rest = text.dropFirst(parts[0].count)
        for part in parts.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(parts[parts.count - 1])
    }
}
