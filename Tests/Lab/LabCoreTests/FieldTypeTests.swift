// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import LabCore

@Suite("Types of fields", .endsInTime)
struct FieldTypeTests {
    private static let member = FieldDeclaration(
        name: "m", type: .integer, isRequired: true, defaultValue: nil, unit: nil, limit: nil, meaning: "M.")
    private static let optionalMember = FieldDeclaration(
        name: "o", type: .text, isRequired: false, defaultValue: nil, unit: nil, limit: nil, meaning: "O.")

    /// Checks the title of a type, its JSON form, and which values it has.
    private func check(
        _ type: FieldType, _ title: String, has: [JSONValue], not: [JSONValue],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(type.title == title, sourceLocation: sourceLocation)
        let read = try FieldType(DeclarationForm(value: type.json, path: ""))
        #expect(read == type, sourceLocation: sourceLocation)
        for value in has { #expect(type.admits(value), "\(value)", sourceLocation: sourceLocation) }
        for value in not { #expect(!type.admits(value), "\(value)", sourceLocation: sourceLocation) }
    }

    @Test func `A type has exactly the values that it describes, and is read from JSON as it was written`() throws {
        try check(.text, "text", has: ["", "x"], not: [1, nil, true, ["x"]])
        try check(.secret, "secret", has: ["x"], not: [1, nil])
        try check(
            .integer, "integer", has: [1, -1, .number(2), .unsigned(.max)], not: [1.5, "1", nil, true, .number(1e300)])
        try check(.number, "number", has: [1, 1.5, .unsigned(.max)], not: ["1", nil, true])
        try check(.boolean, "true or false", has: [true, false], not: [1, "true", nil])
        try check(.duration, "duration", has: ["2s", "-2s"], not: ["2", 2, nil, ""])
        try check(.choice(["a", "b"]), "a | b", has: ["a", "b"], not: ["c", "", "a | b", nil, 1])
        try check(
            .list(.integer), "list of integer", has: [[], [1, 2]], not: [[1, "x"], [nil], 1, nil, .object([:])])
        try check(.map, "object", has: [.object([:]), ["k": 1]], not: [[], nil, "x"])
        try check(
            .object([Self.member, Self.optionalMember]), "{ m, o }",
            has: [["m": 1], ["m": 1, "o": nil], ["m": 1, "o": "x"], ["m": 1, "other": 2]],
            not: [["o": "x"], ["m": nil], ["m": 1, "o": 2], [1], nil])
        try check(.optional(.integer), "integer or nothing", has: [1, nil], not: ["1", 1.5])
        try check(.any, "any value", has: [nil, 1, "x", [], true], not: [])
        try check(.nothing, "nothing", has: [nil], not: [1, "", .object([:]), false])
        let named = try FieldType(DeclarationForm(value: "duration", path: ""))
        #expect(named == .duration, "its name is enough")
    }

    @Test func `What an answer may lack is nothing in its type, and a parameter has the type as it is`() {
        #expect(Self.member.memberType == .integer)
        #expect(Self.optionalMember.memberType == .optional(.text))
        #expect(!Self.member.isSecret)
    }

    @Test(
        arguments: [
            ([:], "`t.type` must be a text, but it is missing"),
            (["type": "list"], "`t.of` must be a type, but it is missing"),
            (["type": "optional"], "`t.of` must be a type, but it is missing"),
            (["type": "choice"], "`t.of` must be a list of words, but it is missing"),
            (["type": "choice", "of": []], "`t.of` must be a list of words, but it is missing"),
            (["type": "choice", "of": ["a", 1]], "`t.of[1]` must be a text, not 1"),
            (["type": "choice", "of": "a"], "`t.of` must be a list, not \"a\""),
        ] as [([String: JSONValue], String)])
    func `A type that says too little is refused with what is missing`(json: [String: JSONValue], expected: String) {
        let form = DeclarationForm(value: .object(json), path: "t")
        let error = #expect(throws: DeclarationFormError.self) { try FieldType(form) }
        #expect(error?.description == expected)
    }

    @Test
    func `A parameter must be given unless it has a default, is optional by its type, or is said to be free`() throws {
        for (json, isRequired) in [
            (["type": "integer"], true), (["type": "integer", "required": false], false),
            (["type": "integer", "required": true], true), (["type": "integer", "default": 7], false),
            (["type": "integer", "default": 7, "required": true], false),
            (["type": ["type": "optional", "of": "integer"]], false),
            (["type": ["type": "optional", "of": "integer"], "required": true], false),
        ] as [([String: JSONValue], Bool)] {
            var members = json
            members["name"] = "f"
            let field = try FieldDeclaration(DeclarationForm(value: .object(members), path: "p"))
            let memberType: FieldType = isRequired ? .integer : .optional(.integer)
            #expect(field.isRequired == isRequired, "\(json)")
            #expect(field.type == .integer && field.name == "f" && field.meaning == "")
            #expect(field.defaultValue == json["default"])
            #expect(field.memberType == memberType)
        }
    }

    @Test(
        arguments: [
            ([:], nil), (["limit": "short"], "short"), (["atLeast": 1], "1 or more"), (["atMost": 3], "3 or less"),
            (["atLeast": 1, "atMost": 3], "1 to 3"), (["atLeast": 3, "atMost": 3, "limit": "x"], "3 to 3"),
        ] as [([String: JSONValue], String?)])
    func `The limit of a parameter is made of its bounds, or is words for its receiver`(
        json: [String: JSONValue], expected: String?
    ) throws {
        let more: JSONValue = .object(json.merging(["name": "f", "type": "integer"]) { old, _ in old })
        let field = try FieldDeclaration(DeclarationForm(value: more, path: "p"))
        #expect(field.limit?.description == expected)
        #expect(field.json["atLeast"] == json["atLeast"] && field.json["atMost"] == json["atMost"])
    }

    @Test func `Bounds in the wrong order, and members of another type, are refused`() {
        for (more, expected) in [
            (["atLeast": 4, "atMost": 3], "`p.atMost` must be no less than `atLeast`"),
            (["atLeast": 0.5], "`p.atLeast` must be a whole number, not 0.5"),
            (["required": "yes"], "`p.required` must be true or false, not \"yes\""),
            (["unit": 1], "`p.unit` must be a text, not 1"), (["meaning": 1], "`p.meaning` must be a text, not 1"),
            (["default": "x"], "`p.default` must be integer, not \"x\""),
        ] as [([String: JSONValue], String)] {
            let json: JSONValue = .object(more.merging(["name": "f", "type": "integer"]) { old, _ in old })
            let error = #expect(throws: DeclarationFormError.self) {
                try FieldDeclaration(DeclarationForm(value: json, path: "p"))
            }
            #expect(error?.description == expected)
        }
    }

    private func check(
        _ limit: Limit, _ text: String, inside: [JSONValue], outside: [JSONValue],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(limit.description == text, sourceLocation: sourceLocation)
        for value in inside { #expect(limit.admits(value), "\(value)", sourceLocation: sourceLocation) }
        for value in outside { #expect(!limit.admits(value), "\(value)", sourceLocation: sourceLocation) }
    }

    @Test func `A limit lets its bounds through and nothing behind them; values of another kind are not its matter`() {
        check(.between(2, 4), "2 to 4", inside: [2, 4, "x", nil], outside: [1, 5, .unsigned(.max)])
        check(.atLeast(2), "2 or more", inside: [2, .integer(.max), .unsigned(.max)], outside: [1, -1])
        check(.atMost(4), "4 or less", inside: [4, .integer(.min)], outside: [5, .unsigned(.max)])
        check(.share, "more than 0, at most 1", inside: [0.001, 1, "x"], outside: [0, 1.001, -0.5])
        check(.upTo(.seconds(2)), "0s to 2s", inside: ["0s", "2s", 7], outside: ["-1ns", "2001ms"])
        check(.length, "not negative", inside: ["0s", "9223372036854775807ns"], outside: ["-1ns"])
        check(.decimal, "a number such as 250.50", inside: ["1", "1.5", 7], outside: ["1.", ".5", "1.2.3", "a", ""])
        check(.currency, "three letters", inside: ["EUR", "eur", 7], outside: ["EU", "EURO", "E1R", "ÉUR"])
        check("at least 4 bytes", "at least 4 bytes", inside: ["", 1, nil], outside: [])
        #expect(Limit.between(2, 4).wholeNumbers == 2...4 && Limit.share.wholeNumbers == nil)
        #expect(Limit.atLeast(2).wholeNumbers == 2...Int64.max && Limit.atMost(4).wholeNumbers == Int64.min...4)
    }
}
