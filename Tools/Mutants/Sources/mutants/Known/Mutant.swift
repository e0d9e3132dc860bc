/// One known mistake that somebody could make in the lab's code, and the tests that must notice it.
struct Mutant: Decodable {
    /// How the mistake stands in the code beside the right fragment.
    enum Form: String, Decodable {
        /// Both fragments are expressions of one type.
        case expression
        /// Both fragments are statements; that of the mistake may be empty.
        case statement
    }

    /// Words joined by hyphens that say what breaks.
    let name: String
    /// What a user would lose, in one sentence.
    let about: String
    /// Path from the root of the package.
    let file: String
    /// How the two fragments are joined.
    let form: Form
    /// The right code; it occurs exactly once in the file.
    let original: String
    /// What stands there instead.
    let mutant: String
    /// Regular expression for the identifiers of the tests that must notice.
    let tests: String
}

/// A mutant at its place.
struct PlacedMutant {
    let mutant: Mutant
    /// The module that it is in.
    let module: String
    /// The right fragment in its file, and what stands in its place.
    let edit: Edit
    /// The line on which the fragment begins, from 1.
    let line: Int

    /// File and line, as editors open it.
    var place: String { "\(mutant.file):\(line)" }
}
