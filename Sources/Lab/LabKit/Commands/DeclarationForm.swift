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
