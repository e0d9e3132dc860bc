// SPDX-License-Identifier: Apache-2.0

/// A known possible mistake in the lab's code, and the tests that must detect it.
struct Mutant: Decodable {
    /// How the mistake and the right fragment are combined in the code.
    enum Form: String, Decodable {
        /// Both fragments are expressions of one type.
        case expression
        /// Both fragments are statements; that of the mistake may be empty.
        case statement
    }

    /// Hyphenated words for the broken behaviour.
    let name: String
    /// The effect on a user, in one sentence.
    let about: String
    /// Path from the root of the package.
    let file: String
    /// How the two fragments are joined.
    let form: Form
    /// The right code; it occurs exactly once in the file.
    let original: String
    /// The mistake in its place.
    let mutant: String
    /// Regular expression for the identifiers of the tests that must detect it.
    let tests: String
}

/// A mutant at its place.
struct PlacedMutant {
    let mutant: Mutant
    /// The module that it is in.
    let module: String
    /// The range of the right fragment in its file, and its replacement.
    let edit: Edit
    /// The line on which the fragment begins, from 1.
    let line: Int

    /// File and line, as editors open it.
    var place: String { "\(mutant.file):\(line)" }
}
