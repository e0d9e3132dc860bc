// The types of parameters and answers as programs exchange them: `lab steps --json`, and the vocabulary of an own app.
extension FieldType {
    /// The type in JSON.
    public var json: JSONValue {
        func named(_ more: [String: JSONValue] = [:]) -> JSONValue {
            .object(more.merging(["type": .string(word)]) { old, _ in old })
        }
        switch self {
        case .choice(let words): return named(["of": .array(words.map { .string($0) })])
        case .list(let inner), .optional(let inner): return named(["of": inner.json])
        case .object(let members):
            let described = members.map { member -> JSONValue in
                .object([
                    "name": .string(member.name), "type": member.memberType.json, "meaning": .string(member.meaning),
                ])
            }
            return named(["members": .array(described)])
        default: return named()
        }
    }

    private var word: String {
        switch self {
        case .text: "text"
        case .secret: "secret"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        case .duration: "duration"
        case .choice: "choice"
        case .list: "list"
        case .map: "map"
        case .object: "object"
        case .optional: "optional"
        case .any: "any"
        case .nothing: "nothing"
        }
    }

    /// The types that their name says all of.
    private static let plain: [FieldType] = [
        .text, .secret, .integer, .number, .boolean, .duration, .map, .any, .nothing,
    ]

    /// Reads a type: its name, or an object that says more.
    init(_ form: DeclarationForm) throws(DeclarationFormError) {
        let word = if let word = form.value.stringValue { word } else { try form.text("type") }
        switch word {
        case "choice":
            var words: [String] = []
            for element in try form.elements("of") {
                guard let word = element.value.stringValue else { throw element.expects("a text") }
                words.append(word)
            }
            guard !words.isEmpty else { throw form.missing("of", "a list of words") }
            self = .choice(words)
        case "list": self = .list(try Self.inner(of: form))
        case "optional": self = .optional(try Self.inner(of: form))
        case "object":
            var members: [FieldDeclaration] = []
            for element in try form.elements("members") { members.append(try FieldDeclaration(element)) }
            self = .object(members)
        default:
            guard let plain = Self.plain.first(where: { $0.word == word }) else {
                let known = Self.plain.map(\.word) + ["choice", "list", "object", "optional"]
                throw DeclarationFormError(
                    path: form.path, expected: "one of the types \(known.joined(separator: ", ")), not `\(word)`")
            }
            self = plain
        }
    }

    private static func inner(of form: DeclarationForm) throws(DeclarationFormError) -> FieldType {
        guard let of = form.member("of") else { throw form.missing("of", "a type") }
        return try FieldType(of)
    }
}
