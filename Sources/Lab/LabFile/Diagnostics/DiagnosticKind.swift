// SPDX-License-Identifier: Apache-2.0

/// Everything that can be wrong with a file the user writes, each with the facts its sentence needs.
///
/// The sentences are in `DiagnosticWording.swift`; every case has a golden file in `ScenarioTests`.
public enum DiagnosticKind: Equatable, Sendable {
    // The file.
    /// There is no such file.
    case missingFile
    /// No lab file at a path or above it.
    case missingLabFile(near: String)
    /// The file exists and cannot be read.
    case unreadableFile(reason: String)
    /// Larger than anything a person writes, in bytes.
    case fileTooLarge(bytes: Int, limit: Int)
    /// Bytes that are not UTF-8.
    case notUTF8
    /// No document in the file.
    case emptyFile

    // YAML.
    /// The parser's complaint.
    case malformedYAML(problem: String)
    /// A quote that is not closed where its value ends; the line of the next quote, which closes it; nil without one.
    case unclosedQuote(closedIn: Int?)
    /// Text behind the quote that closes a value.
    case textAfterQuote
    /// `${name}` without quotes between `{ }` or `[ ]`.
    case unquotedReference(text: String)
    /// A tab before the first character of a line.
    case tabIndentation
    /// The same key twice in one mapping.
    case duplicateKey(key: String)
    /// A list or mapping used as a key.
    case keyIsNotText
    /// A file that should hold a table, but does not.
    case malformedTable(problem: String)
    /// `---` twice.
    case severalDocuments
    /// More values than a person writes, often by aliases that multiply.
    case tooManyNodes(limit: Int, usesAliases: Bool)
    /// Lists in lists in lists.
    case nestedTooDeeply(limit: Int)

    // Shapes and keys.
    /// A list where a mapping belongs, and the like.
    case wrongShape(what: String, expected: YAMLShape, actual: YAMLShape)
    /// A key that the container does not have.
    case unknownKey(key: String, container: String, known: [String])
    /// A key that the container must have.
    case missingKey(key: String, container: String)
    /// Two keys that contradict each other.
    case contradictingKeys(first: String, second: String, reason: String)
    /// A list that must have elements.
    case emptyList(what: String)

    // Values.
    /// Text that cannot be read as the declared type.
    case wrongType(what: String, expected: String, actual: String)
    /// Not one of the listed words.
    case notAChoice(what: String, value: String, choices: [String])
    /// A number outside its limits.
    case outOfRange(what: String, value: String, limit: String)
    /// A name with characters that paths, sockets or shells would stumble over.
    case malformedName(what: String, value: String)

    // The topology.
    /// A name that the scenario language needs for itself.
    case reservedName(what: String, name: String)
    /// The same name for two things a step can address.
    case duplicateName(name: String, what: String)
    /// A name of something that is not there.
    case unknownName(what: String, name: String, known: [String])
    /// Something that this kind of thing cannot have or be.
    case misfit(what: String, reason: String)
    /// A program of an own app that the lab cannot use.
    case unusableProgram(path: String, reason: String, advice: String)
    /// A `lab: { use: … }` that `lab.yaml` does not define.
    case unknownTopology(name: String, known: [String])

    // Steps.
    /// A step without a command.
    case noCommand(actors: [String])
    /// A step with two commands.
    case severalCommands(first: String, second: String)
    /// No such actor.
    case unknownActor(name: String, known: [String])
    /// No such command for any actor.
    case unknownCommand(command: String, actor: String, known: [String])
    /// A command of another kind of actor.
    case misplacedCommand(command: String, actor: String, actorIs: String, belongsTo: [String], example: String?)
    /// A parameter that the command does not have.
    case unknownParameter(parameter: String, command: String, known: [String])
    /// A parameter that the command needs.
    case missingParameter(parameter: String, command: String, meaning: String)
    /// A word that the language leaves out on purpose.
    case refusedWord(word: String)
    /// A word of the language at the wrong place.
    case misplacedWord(word: String, belongs: String)
    /// `expect` on a command that answers nothing, and the like.
    case pointless(word: String, reason: String)
    /// A block that runs things at once needs two of them.
    case tooFewBranches(word: String)

    // Variables.
    /// `${` without `}`, or an empty name.
    case malformedReference(text: String)
    /// No variable of that name.
    case undefinedVariable(name: String, known: [String])
    /// A variable that exists but not here.
    case unreachableCapture(name: String, reason: String)
    /// A name that is already taken.
    case overwrittenVariable(name: String)
    /// A path into a result that has no such field.
    case unknownResultField(field: String, of: String, known: [String])
    /// A value of one type where another is needed.
    case mismatchedReference(reference: String, expected: String, actual: String)
    /// A value that is kept for nothing.
    case unreadCapture(name: String)
    /// An environment variable that is not set and has no default.
    case unsetEnvironmentVariable(name: String)

    // Expectations.
    /// A word in the form of a matcher, but unknown.
    case unknownMatcher(word: String, known: [String])
    /// A matcher with an argument it cannot use.
    case matcherArgument(matcher: String, expected: String)
    /// A matcher that can make nothing of a value of the declared type.
    case matcherForOtherType(matcher: String, needs: String, what: String, type: String)
    /// A regular expression that does not compile.
    case malformedPattern(pattern: String)
    /// A field that the command's result does not have.
    case unknownExpectedField(field: String, of: String, known: [String])

    /// The case's name: what golden tests and machine-readable reports call it.
    public var identifier: String {
        let text = String(describing: self)
        return String(text.prefix { $0 != "(" })
    }
}
