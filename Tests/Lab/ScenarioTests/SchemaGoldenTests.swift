// SPDX-License-Identifier: Apache-2.0

import LabCore
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("The schema of the language, down to each key", .endsInTime)
struct SchemaGoldenTests {
    /// Of a longer list only the beginning is recorded: the rest is of the same kind, and comes from the vocabulary.
    private static let longestList = 8

    @Test func `The schemas match the recorded ones`() {
        let (scenario, include) = (ScenarioSchema.json(of: .scenario), ScenarioSchema.json(of: .include))
        let lab = ScenarioSchema.json(of: .lab)
        let document: JSONValue = [
            "scenario": Self.root(of: scenario), "include": Self.root(of: include), "lab": Self.root(of: lab),
            "definitions": scenario["definitions"] ?? .null, "history": HistoryEvent.schema,
        ]
        let lines = Self.lines(of: Self.shortened(document))
        GoldenFile(path: "\(TestFiles.directory)/Golden/schema.txt").check(lines.joined(separator: "\n") + "\n")
        #expect(include["definitions"] == scenario["definitions"])
        for (name, schema) in lab["definitions"]?.objectValue ?? [:] {
            #expect(schema == scenario["definitions"]?[name], "\(name)")
        }
    }

    private static func root(of schema: JSONValue) -> JSONValue {
        .object((schema.objectValue ?? [:]).filter { $0.key != "definitions" })
    }

    private static func shortened(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements):
            var shown = elements.prefix(longestList).map(shortened)
            if elements.count > shown.count { shown.append(.string("… \(elements.count - shown.count) more")) }
            return .array(shown)
        case .object(let members): return .object(members.mapValues(shortened))
        default: return value
        }
    }

    /// JSON for reading: what fits into a line stands on one.
    private static func lines(of value: JSONValue, level: Int = 0) -> [String] {
        let text = value.description
        guard 2 * level + text.unicodeScalars.count > 100 else { return [text] }
        let margin = String(repeating: "  ", count: level)
        switch value {
        case .array(let elements):
            let parts = elements.map { lines(of: $0, level: level + 1) }
            return ["["] + joined(parts, margin: margin) + ["\(margin)]"]
        case .object(let members):
            let parts = members.sorted { $0.key < $1.key }.map { key, member -> [String] in
                var inner = lines(of: member, level: level + 1)
                inner[0] = "\(JSONValue.string(key)): \(inner[0])"
                return inner
            }
            return ["{"] + joined(parts, margin: margin) + ["\(margin)}"]
        default: return [text]
        }
    }

    private static func joined(_ parts: [[String]], margin: String) -> [String] {
        parts.enumerated().flatMap { index, part -> [String] in
            var part = part
            part[0] = "\(margin)  \(part[0])"
            if index < parts.count - 1 { part[part.count - 1] += "," }
            return part
        }
    }

    /// A type with lists of values that its schema admits and refuses: given to a command, and expected of its answer.
    struct TypeRow: Sendable, CustomTestStringConvertible {
        let type: FieldType
        let given: String
        let notGiven: String
        let expected: String
        let notExpected: String

        var testDescription: String { type.title }
    }

    private static let misspelled = #"[{"type": "nonsense"}, {"a": {"type": "nonsense"}}, [{"type": "nonsense"}]]"#

    static let rows: [TypeRow] = [
        TypeRow(
            type: .text, given: #"["a", 5, true]"#, notGiven: "[null, [], {}]",
            expected: #"["a", 5, true, null, {"startsWith": "a"}]"#, notExpected: #"[["a"], {"startswith": "a"}]"#),
        TypeRow(
            type: .secret, given: #"["a", 5]"#, notGiven: "[null, []]", expected: #"["a", null]"#,
            notExpected: #"[["a"], {"startswith": "a"}]"#),
        TypeRow(
            type: .integer, given: #"[1, "-1", "+1", "${x}"]"#, notGiven: #"[1.5, "1.5", "a", true, null]"#,
            expected: #"[1, "1", null, {"atLeast": 1}]"#, notExpected: #"[1.5, "a", ["1"]]"#),
        TypeRow(
            type: .number, given: #"[1, 1.5, "1.5", "-.5", "${x}"]"#, notGiven: #"["a", true, null]"#,
            expected: #"[1.5, null, {"near": [1, 2]}]"#, notExpected: #"["a", [1]]"#),
        TypeRow(
            type: .boolean, given: #"[true, "false", "${x}"]"#, notGiven: #"["maybe", 1, null]"#,
            expected: #"[false, null, {"not": true}]"#, notExpected: #"["maybe", [true]]"#),
        TypeRow(
            type: .duration, given: #"["5s", "-2m", "1.5h", "${x}"]"#, notGiven: #"["5", "s", 5, null]"#,
            expected: #"["5s", null, {"atMost": "2s"}]"#, notExpected: #"["5", ["5s"]]"#),
        TypeRow(
            type: .choice(["on", "off"]), given: #"["on", "${x}"]"#, notGiven: #"["of", true, null]"#,
            expected: #"["on", null, {"oneOf": ["on", "off"]}]"#, notExpected: #"["of", ["on"]]"#),
        TypeRow(
            type: .list(.integer), given: #"[[1, "2"], [], "${x}"]"#, notGiven: #"[["a"], 1, null]"#,
            expected: #"[[1, {"atLeast": 1}], "${x}", null, {"length": 2}]"#,
            notExpected: #"[["a"], 1, {"lenght": 2}]"#),
        TypeRow(
            type: .map, given: #"[{}, {"a": 1}, "${x}"]"#, notGiven: #"[1, [], "a", null]"#,
            expected: #"[1, [], null, {"a": 1}, {"length": 1}]"#, notExpected: misspelled),
        TypeRow(
            type: Sample.fieldType, given: #"[{"name": "a"}, {"length": 1}, {"length": null}, {}, "${x}"]"#,
            notGiven: #"[{"nam": "a"}, {"name": []}, 1, null]"#,
            // A member that is called as a matcher is the member.
            expected: """
                [{}, {"name": "a"}, {"length": 3}, {"length": {"atLeast": 1}}, {"any": true}, {"not": {"name": "a"}}, \
                "${x}", null]
                """,
            notExpected: #"[{"nam": "a"}, {"name": "a", "atLeast": 1}, {"type": "nonsense"}, "a", 1, []]"#),
        TypeRow(
            type: .optional(.integer), given: "[null, 1]", notGiven: #"["a"]"#,
            expected: #"[null, 1, {"absent": true}]"#, notExpected: #"["a"]"#),
        TypeRow(
            type: .any, given: "[1, null, [], {}]", notGiven: "[]", expected: #"[1, null, {"a": 1}]"#,
            notExpected: misspelled),
        TypeRow(type: .nothing, given: "[null]", notGiven: #"[0, "a"]"#, expected: "[null]", notExpected: #"[1, "a"]"#),
    ]

    @Test(arguments: rows)
    func `Each type admits its values as arguments and as expectations, and refuses others`(_ row: TypeRow) throws {
        let expectations = ExpectationSchema.definitions(ownErrors: [])
        let definitions = ValueSchema.definitions.merging(expectations) { old, _ in old }
        func refused(_ fine: String, _ wrong: String, by schema: Schema) throws -> [JSONValue] {
            let document = DraftSeven(schema.document(title: "", definitions: definitions))
            let values = try [fine, wrong].flatMap { try JSONValue.parse($0).arrayValue ?? [] }
            return try values.filter { try !document.complaints(about: $0).isEmpty }
        }
        let given = try refused(row.given, row.notGiven, by: ValueSchema.value(of: row.type))
        #expect(try JSONValue.array(given) == JSONValue.parse(row.notGiven))
        let expected = try refused(row.expected, row.notExpected, by: ExpectationSchema.expectation(of: row.type))
        #expect(try JSONValue.array(expected) == JSONValue.parse(row.notExpected))
    }
}

private struct Sample: FieldObject {
    @Field("A name.") var name: String
    @Field("A member that is called as a matcher.") var length: Int?
}
