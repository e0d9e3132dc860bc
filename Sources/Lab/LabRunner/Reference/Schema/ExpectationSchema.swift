import LabKit

/// The schemas of expectations: the values of `expect`, `fails`, `where` and `winners`.
enum ExpectationSchema {
    /// An expectation of a value of unknown type.
    static let anything = Schema.definition("expectation")
    /// The expectation of a command's error.
    static let failure = Schema.definition("failure")

    /// The definitions for the schemas above.
    ///
    /// - Parameter ownErrors: Names of the errors that only own apps have.
    static func definitions(ownErrors: [String]) -> [String: Schema] {
        [
            "expectation": .when(
                .hasOnly(Matcher.words), .definition("matcher"),
                otherwise: .elementsAndMembers(anything)),
            "matcher": .object(matchers),
            "errorCode": errorCode(ownErrors), "failure": failureShape,
        ]
    }

    /// The value of each matcher's word.
    static var matchers: [String: Schema] {
        let several = Schema.list(of: anything, atLeast: 1)
        let two = Schema.list(of: ValueSchema.quantity, atLeast: 2, atMost: 2)
        return [
            "absent": ValueSchema.flag.described("No value."),
            "all": several.described("All of these hold."),
            "any": ValueSchema.flag.described("Any value."),
            "atLeast": ValueSchema.quantity.described(
                "A number or duration from this one on.", examples: [1, "250ms"]),
            "atMost": ValueSchema.quantity.described(
                "A number or duration up to this one.", examples: [5, "2s"]),
            "between": two.described(
                "A number or duration from the first to the second, both included.", examples: [[1, 5]]),
            "contains": anything.described(
                "Text with this substring, or a list with such an element.", examples: ["phone"]),
            "each": anything.described(
                "A list whose elements are all like this.", examples: [["type": "text"]]),
            "endsWith": ValueSchema.text.described("Text with this ending."),
            "equals": anything.described("The same value."),
            "exactly": Schema.anything.described("The same value, without members that are not written here."),
            "length": anything.described(
                "The number of characters, elements or members.", examples: [8, ["atLeast": 1]]),
            "matches": ValueSchema.text.described(
                "Text in which the regular expression finds something.", examples: ["^[0-9]{8}$"]),
            "near": two.described(
                "A number or duration that differs from the first by the second at most.", examples: [["5m", "1s"]]),
            "not": anything.described("None of these holds."),
            "oneOf": several.described("One of these holds.", examples: [["active", "blocked"]]),
            "startsWith": ValueSchema.text.described("Text with this beginning."),
            "type": Schema.word(of: Matcher.ValueKind.allCases.map(\.rawValue)).described("A value of this kind."),
        ]
    }

    /// The schema of an expectation of a value of a type.
    static func expectation(of type: FieldType) -> Schema {
        switch type {
        case .any, .map: return anything
        case .optional(let wrapped): return expectation(of: wrapped)
        case .object(let members):
            let names = members.map(\.name)
            let closed = Schema.object(
                Dictionary(
                    uniqueKeysWithValues: members.map {
                        ($0.name, expectation(of: $0.type).described(ValueSchema.meaning(of: $0)))
                    }))
            return .when(
                Schema.hasOnly(Matcher.words.filter { !names.contains($0) }).and(.notEmpty),
                .definition("matcher"), otherwise: .anyOf([closed, ValueSchema.reference, .type("null")]))
        case .list(let element):
            return .when(
                .type("object"), .definition("matcher"),
                otherwise: .anyOf([.list(of: expectation(of: element)), ValueSchema.reference, .type("null")]))
        default:
            return .when(
                .type("object"), .definition("matcher"),
                otherwise: .anyOf([ValueSchema.value(of: type), .type("null")]))
        }
    }

    /// The name or number of an error, or matchers of it.
    private static func errorCode(_ ownErrors: [String]) -> Schema {
        let name = Schema.anyOf([
            .word(of: ErrorNames.all + ownErrors), .type("integer"), .text(matching: "^[0-9]+$"), ValueSchema.reference,
        ])
        var words = matchers
        let code = Schema.definition("errorCode")
        for word in ["equals", "exactly"] { words[word] = code }
        for word in ["all", "oneOf"] { words[word] = .list(of: code, atLeast: 1) }
        words["not"] = .anyOf([code, .list(of: code, atLeast: 1)])
        return .when(.type("object"), .object(words), otherwise: name)
    }

    private static var failureShape: Schema {
        let members = Schema.object(
            [
                "code": Schema.definition("errorCode").described("Name or number of the error."),
                "domain": anything.described("Domain of the error."),
                "message": anything.described("Its text."),
            ], others: anything)
        let short = Schema.anyOf([.definition("errorCode"), .constant("any")])
        let matcher = Schema.hasOnly(Matcher.words)
        return .when(.type("object"), .when(matcher, .definition("matcher"), otherwise: members), otherwise: short)
    }
}
