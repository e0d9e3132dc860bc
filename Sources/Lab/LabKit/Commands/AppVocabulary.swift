/// What the program of an own app says of itself before it plays anything: what it can be, and what it understands
/// (docs/own-app.md, "The vocabulary").
public struct AppVocabulary: Codable, Equatable, Sendable {
    /// Version of the form, and of the messages between the lab and apps.
    public static let version: Int64 = 1
    /// The only argument of a program that is asked for its vocabulary.
    public static let question = "--vocabulary"

    /// What the program plays.
    public var kind: AppSpec.Kind
    /// The SDK inside.
    public var sdk: PowerAuthSpec.SDK
    /// Whether the program answers the lab's own commands for apps of its kind, too.
    public var answersBuiltIn: Bool
    /// The commands that only this program has.
    public var commands: [CommandDeclaration]
    /// Names of the errors that only this program has.
    public var errors: [String]

    /// Describes a program.
    public init(
        kind: AppSpec.Kind, sdk: PowerAuthSpec.SDK, answersBuiltIn: Bool, commands: [CommandDeclaration],
        errors: [String] = []
    ) {
        self.kind = kind
        self.sdk = sdk
        self.answersBuiltIn = answersBuiltIn
        self.commands = commands
        self.errors = errors
    }

    /// What the program prints.
    public var json: JSONValue {
        .object([
            "version": .integer(Self.version), "kind": .string(kind.rawValue), "sdk": .string(sdk.rawValue),
            "builtIn": .bool(answersBuiltIn), "commands": .array(commands.map(\.json)),
            "errors": .array(errors.map { .string($0) }),
        ])
    }

    /// Reads what a program has printed.
    ///
    /// - Throws: ``DeclarationFormError`` that names the place and what belongs there.
    public init(json: JSONValue) throws(DeclarationFormError) {
        let form = DeclarationForm(value: json, path: "")
        guard json.objectValue != nil else { throw form.expects("an object") }
        guard let version = try form.whole("version") else { throw form.missing("version", "\(Self.version)") }
        guard version == Self.version else {
            throw DeclarationFormError(path: "version", expected: "\(Self.version), not \(version)")
        }
        let kind = try form.choice("kind", of: AppSpec.Kind.self)
        let sdk = try form.choice("sdk", of: PowerAuthSpec.SDK.self)
        var commands: [CommandDeclaration] = []
        for element in try form.elements("commands") { commands.append(try CommandDeclaration(element, of: sdk.actor)) }
        var errors: [String] = []
        for element in try form.elements("errors") {
            guard let name = element.value.stringValue else { throw element.expects("a text") }
            errors.append(name)
        }
        self.init(
            kind: kind, sdk: sdk, answersBuiltIn: try form.flag("builtIn") ?? false, commands: commands,
            errors: errors)
    }

    /// What is wrong with the names, a sentence each: names that no step could use, or that mean something already.
    public var mistakes: [String] {
        var mistakes: [String] = []
        var seen: Set<String> = []
        for command in commands {
            if !Self.isName(command.name) {
                mistakes.append("`\(command.name)` cannot be the name of a command: \(Self.nameRule)")
            } else if isBuiltIn(command.name) {
                mistakes.append("`\(command.name)` is a command of the lab; call it something else")
            } else if !seen.insert(command.name).inserted {
                mistakes.append("`\(command.name)` is declared twice")
            }
            var fields: Set<String> = []
            for field in command.fields where !fields.insert(field.name).inserted || !Self.isName(field.name) {
                mistakes.append(
                    "`\(field.name)` of `\(command.name)` is no name of one parameter: \(Self.nameRule), each once")
            }
        }
        for error in errors where !Self.isName(error) {
            mistakes.append("`\(error)` cannot be the name of an error: \(Self.nameRule)")
        }
        return mistakes
    }

    private static let nameRule = "letters, digits, `-` and `_`, beginning with a letter, at most 64"

    private static func isName(_ text: String) -> Bool {
        text.count <= 64 && text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    /// Whether a step with this command of such an app means something else already.
    private func isBuiltIn(_ name: String) -> Bool {
        name == "ping"
            || [sdk.actor, .process].contains { Vocabulary.lab.command(named: name, of: $0) != nil }
    }
}

/// The user's own program that plays an app.
public struct OwnProgram: Codable, Equatable, Sendable {
    /// Where it is: an absolute path.
    public var path: String
    /// What the lab file hands to it.
    public var settings: [String: String]
    /// What it has said of itself; nil before it was asked.
    public var vocabulary: AppVocabulary?

    /// A program that was not asked yet.
    public init(path: String, settings: [String: String] = [:], vocabulary: AppVocabulary? = nil) {
        self.path = path
        self.settings = settings
        self.vocabulary = vocabulary
    }

    /// The last component of its path.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
