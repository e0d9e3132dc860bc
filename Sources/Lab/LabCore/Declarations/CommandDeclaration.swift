// SPDX-License-Identifier: Apache-2.0

/// A command as data: what its type declares, for checks, help, schema and reference page.
public struct CommandDeclaration: Equatable, Sendable {
    /// Name in scenarios and on the command line.
    public let name: String
    /// Kinds of actor that understand the command.
    public let actors: Set<ActorKind>
    /// One sentence for the reference page.
    public let summary: String
    /// The parameters, in the order in which they are listed.
    public let fields: [FieldDeclaration]
    /// The form of the answer.
    public let result: FieldType
    /// Name of the command that ends the fault which this one arms; nil for a command that arms none.
    public let ending: String?
    /// Name of the command that counts what the faults have hit; nil for a fault that may hit nothing.
    public let counting: String?
    /// Name of the type that declares it, for messages to programmers.
    public let declaredBy: String

    /// Declares a command.
    /// - Parameter declaredBy: For messages to programmers; a user's own app declares commands without a type here.
    public init(
        name: String, actors: Set<ActorKind>, summary: String, fields: [FieldDeclaration], result: FieldType,
        ending: String? = nil, counting: String? = nil, declaredBy: String = "its own app"
    ) {
        self.name = name
        self.actors = actors
        self.summary = summary
        self.fields = fields
        self.result = result
        self.ending = ending
        self.counting = counting
        self.declaredBy = declaredBy
    }

    /// The parameter with a name.
    public func field(named name: String) -> FieldDeclaration? { fields.first { $0.name == name } }

    /// The command with another answer, for one whose arguments decide what it answers.
    public func answering(_ result: FieldType) -> CommandDeclaration {
        CommandDeclaration(
            name: name, actors: actors, summary: summary, fields: fields, result: result, ending: ending,
            counting: counting, declaredBy: declaredBy)
    }
}

// The declarations of commands as programs exchange them.
extension CommandDeclaration: Codable {
    /// The declaration in JSON, as `lab steps --json` prints it.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name),
            "actors": .array(actors.map(\.rawValue).sorted().map { .string($0) }),
            "summary": .string(summary),
            "parameters": .array(fields.map(\.json)),
            "result": result.json,
        ]
        members["endedBy"] = ending.map { .string($0) }
        return .object(members)
    }

    /// Reads the declaration of a command that one kind of actor has; what ends a fault is not read, as such commands are
    /// the lab's own.
    init(_ form: DeclarationForm, of kind: ActorKind) throws(DeclarationFormError) {
        guard form.value.objectValue != nil else { throw form.expects("an object") }
        var fields: [FieldDeclaration] = []
        for parameter in try form.elements("parameters") { fields.append(try FieldDeclaration(parameter)) }
        self.init(
            name: try form.text("name"), actors: [kind], summary: try form.text("summary"), fields: fields,
            result: try form.member("result").map { (form) throws(DeclarationFormError) in try FieldType(form) }
                ?? .nothing)
    }

    public init(from decoder: any Decoder) throws {
        let form = DeclarationForm(value: try JSONValue(from: decoder), path: "")
        let kind = try form.elements("actors").first?.value.stringValue.flatMap(ActorKind.init(rawValue:))
        self = try CommandDeclaration(form, of: kind ?? .app)
    }

    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

extension FieldDeclaration {
    /// The declaration in JSON, as `lab steps --json` prints it.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "type": type.json, "required": .bool(isRequired), "meaning": .string(meaning),
            "secret": .bool(isSecret),
        ]
        members["default"] = defaultValue
        members["unit"] = unit.map { .string($0) }
        members["limit"] = limit.map { .string($0.description) }
        members["atLeast"] = limit?.wholeNumbers.flatMap { $0.lowerBound == .min ? nil : .integer($0.lowerBound) }
        members["atMost"] = limit?.wholeNumbers.flatMap { $0.upperBound == .max ? nil : .integer($0.upperBound) }
        return .object(members)
    }

    /// Reads a parameter, or a member of an answer.
    init(_ form: DeclarationForm) throws(DeclarationFormError) {
        guard let written = form.member("type") else { throw form.missing("type", "a type") }
        var type = try FieldType(written)
        var isOptional = false
        if case .optional(let wrapped) = type { (type, isOptional) = (wrapped, true) }
        let fallback = form.member("default")?.value
        let isRequired = try form.flag("required") ?? (fallback == nil)
        if let fallback, !type.admits(fallback) {
            throw DeclarationFormError(path: "\(form.path).default", expected: "\(type.title), not \(fallback)")
        }
        self.init(
            name: try form.text("name"), type: type, isRequired: isRequired && !isOptional && fallback == nil,
            defaultValue: fallback, unit: try form.optionalText("unit"), limit: try Self.limit(of: form),
            meaning: try form.optionalText("meaning") ?? "")
    }

    private static func limit(of form: DeclarationForm) throws(DeclarationFormError) -> Limit? {
        let lowest = try form.whole("atLeast")
        let highest = try form.whole("atMost")
        let words = try form.optionalText("limit")
        switch (lowest, highest) {
        case (nil, nil): return words.map(Limit.init(stringLiteral:))
        case (let lowest?, nil): return .atLeast(lowest)
        case (nil, let highest?): return .atMost(highest)
        case (let lowest?, let highest?):
            guard lowest <= highest else {
                throw DeclarationFormError(path: "\(form.path).atMost", expected: "no less than `atLeast`")
            }
            return .between(lowest, highest)
        }
    }
}

/// Where a declaration in JSON does not have its form (docs/own-app.md, "The vocabulary").
public struct DeclarationFormError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The member at fault, such as `commands[1].parameters[0].type`.
    public let path: String
    /// What must stand there.
    public let expected: String

    /// The path and what was expected.
    public var description: String { "`\(path)` must be \(expected)" }
}

/// A part of a declaration in JSON, with the way to it.
struct DeclarationForm {
    let value: JSONValue
    let path: String

    func member(_ name: String) -> DeclarationForm? {
        guard let member = value[name], !member.isNull else { return nil }
        return DeclarationForm(value: member, path: path.isEmpty ? name : "\(path).\(name)")
    }

    func text(_ name: String) throws(DeclarationFormError) -> String {
        guard let text = try optionalText(name) else { throw missing(name, "a text") }
        return text
    }

    func optionalText(_ name: String) throws(DeclarationFormError) -> String? {
        guard let member = member(name) else { return nil }
        guard let text = member.value.stringValue else { throw member.expects("a text") }
        return text
    }

    func flag(_ name: String) throws(DeclarationFormError) -> Bool? {
        guard let member = member(name) else { return nil }
        guard case .bool(let flag) = member.value else { throw member.expects("true or false") }
        return flag
    }

    func whole(_ name: String) throws(DeclarationFormError) -> Int64? {
        guard let member = member(name) else { return nil }
        guard let number = member.value.integerValue else { throw member.expects("a whole number") }
        return number
    }

    /// The elements of a list; none when it is left out.
    func elements(_ name: String) throws(DeclarationFormError) -> [DeclarationForm] {
        guard let member = member(name) else { return [] }
        guard case .array(let elements) = member.value else { throw member.expects("a list") }
        return elements.enumerated().map { DeclarationForm(value: $1, path: "\(member.path)[\($0)]") }
    }

    /// One of the words of an enumeration.
    func choice<Word: CaseIterable & RawRepresentable<String>>(
        _ name: String, of type: Word.Type
    ) throws(DeclarationFormError) -> Word {
        let words = type.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        guard let member = member(name) else { throw missing(name, "one of \(words)") }
        guard let word = member.value.stringValue.flatMap(type.init(rawValue:)) else {
            throw member.expects("one of \(words)")
        }
        return word
    }

    func expects(_ expected: String) -> DeclarationFormError {
        DeclarationFormError(path: path.isEmpty ? "the vocabulary" : path, expected: "\(expected), not \(value)")
    }

    func missing(_ name: String, _ expected: String) -> DeclarationFormError {
        DeclarationFormError(path: path.isEmpty ? name : "\(path).\(name)", expected: "\(expected), but it is missing")
    }
}
