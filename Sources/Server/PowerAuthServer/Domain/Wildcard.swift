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
