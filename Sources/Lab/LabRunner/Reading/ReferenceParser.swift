import LabKit

/// Splits text with `${…}` into its parts.
enum ReferenceParser {
    /// A `${` that does not begin a valid reference, with the text after it.
    struct Malformed: Error {
        let text: String
    }

    /// Parts of a text; `$${` stands for the two characters themselves.
    static func parts(of text: String) throws(Malformed) -> [Template.Part] {
        var parts: [Template.Part] = []
        var literal = ""
        var rest = Substring(text)
        while let dollar = rest.firstIndex(of: "$") {
            literal += rest[..<dollar]
            rest = rest[dollar...]
            if rest.hasPrefix("$${") {
                literal += "${"
                rest = rest.dropFirst(3)
            } else if rest.hasPrefix("${") {
                guard let end = rest.firstIndex(of: "}"),
                    let reference = reference(String(rest[rest.index(rest.startIndex, offsetBy: 2)..<end]))
                else { throw Malformed(text: String(rest.prefix(40))) }
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                parts.append(.reference(reference))
                rest = rest[rest.index(after: end)...]
            } else {
                literal.append("$")
                rest = rest.dropFirst()
            }
        }
        literal += rest
        if !literal.isEmpty || parts.isEmpty { parts.append(.text(literal)) }
        return parts
    }

    private static func reference(_ text: String) -> Reference? {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isWellFormed = names.allSatisfy { name in
            !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        }
        guard isWellFormed, let first = names.first, first.first?.isNumber == false else { return nil }
        return Reference(name: first, path: Array(names.dropFirst()))
    }
}
