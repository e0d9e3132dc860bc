/// An expression over tags: `sharing and not slow or watch`. `not` binds closest, then `and`, then `or`.
struct TagExpression: Sendable {
    /// A tag that must be present, or must not.
    private struct Term {
        let tag: String
        let isWanted: Bool
    }

    private let alternatives: [[Term]]

    /// Reads an expression; a tag alone is one, and `!` before a tag means `not`.
    ///
    /// - Throws: ``BadUsage`` for a word in the wrong place.
    init(_ text: String) throws {
        var alternatives: [[Term]] = [[]]
        var isWanted = true
        var isTermDue = true
        for word in text.split(separator: " ").map(String.init) {
            switch word {
            case "not" where isTermDue: isWanted.toggle()
            case "and" where !isTermDue: isTermDue = true
            case "or" where !isTermDue:
                alternatives.append([])
                isTermDue = true
            case "and", "or", "not": throw Self.refused(text, "`\(word)` stands where a tag belongs")
            default:
                guard isTermDue else { throw Self.refused(text, "`and` or `or` is missing before `\(word)`") }
                let tag = word.hasPrefix("!") ? String(word.dropFirst()) : word
                let term = Term(tag: tag, isWanted: isWanted != word.hasPrefix("!"))
                alternatives[alternatives.count - 1].append(term)
                (isWanted, isTermDue) = (true, false)
            }
        }
        guard !isTermDue else { throw Self.refused(text, "a tag is missing at the end") }
        self.alternatives = alternatives
    }

    private static func refused(_ text: String, _ reason: String) -> BadUsage {
        BadUsage(sentence: "--tags `\(text)`: \(reason)")
    }

    /// All tags that are named.
    var tags: [String] { alternatives.joined().map(\.tag) }

    /// Whether a scenario with these tags matches.
    func holds(for tags: [String]) -> Bool {
        alternatives.contains { $0.allSatisfy { tags.contains($0.tag) == $0.isWanted } }
    }
}
