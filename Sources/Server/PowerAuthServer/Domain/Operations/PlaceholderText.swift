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
