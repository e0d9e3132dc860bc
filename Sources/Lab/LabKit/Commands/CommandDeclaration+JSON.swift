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
