// SPDX-License-Identifier: Apache-2.0

/// A mistake that a rule makes from a piece of code.
struct Change: Hashable {
    /// The kinds of mistakes; `docs/mutants.md` lists them.
    enum Kind: String, CaseIterable, Codable {
        /// `<` for `<=`, and the like.
        case comparison
        /// The opposite of a condition.
        case condition
        /// One half of a condition only.
        case half
        /// A number one higher or one lower.
        case constant
        /// A statement is missing.
        case statement
        /// A `guard` lets everything pass.
        case `guard`
        /// Two neighbouring arguments have changed places.
        case arguments
        /// A section that holds a lock is cut in two.
        case lock
        /// An awaited task is not awaited.
        case wait
        /// A function returns before its end.
        case `return`
        /// Two branches have changed places.
        case branches
    }

    let kind: Kind
    /// What the mistake replaces, in the order of the text. Two branches that change places are two edits.
    let edits: [Edit]

    /// The offset at which the mistake begins, in bytes.
    var start: Int { edits[0].range.lowerBound }
}

/// A piece of code with its mistake.
struct Edit: Hashable {
    /// How the mistake and the right code are combined in the woven text.
    enum Form: Hashable {
        /// Both are expressions of one type.
        case expression
        /// Both are statements; the mistake may be empty.
        case statement
        /// Only the mistake has a statement here, and the right code has none.
        case insertion
    }

    /// The bytes that are replaced.
    let range: Range<Int>
    /// Their replacement.
    let mutant: String
    let form: Form

    /// Both pieces of code, of which the environment chooses one.
    ///
    /// - Parameter original: the right code, perhaps with other mistakes woven into it.
    func choice(of name: String, original: String) -> String {
        switch form {
        case .expression: "(mutantIsOn(\"\(name)\") ? (\(mutant)) : (\(original)))"
        case .statement: "if mutantIsOn(\"\(name)\") {\n\(mutant)\n} else {\n\(original)\n}"
        case .insertion: "if mutantIsOn(\"\(name)\") {\n\(mutant)\n}\n"
        }
    }
}

extension Change {
    /// The text with the mistake in place of the right code.
    func applied(to text: String) -> String {
        var bytes = Array(text.utf8)
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            let ending = edit.form == .insertion ? "\n" : ""
            bytes.replaceSubrange(edit.range, with: Array((edit.mutant + ending).utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
