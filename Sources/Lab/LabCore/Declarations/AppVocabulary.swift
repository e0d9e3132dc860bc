// SPDX-License-Identifier: Apache-2.0

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
