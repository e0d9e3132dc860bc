// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Matchers compare values and list every difference", .endsInTime)
struct MatcherTests {
    /// Reads an expectation of an untyped value.
    private func read(_ expectation: String, as type: FieldType = .any) throws -> ScenarioLanguage.Expectation {
        let file = SourceFile(path: "expectation", text: expectation)
        let collector = DiagnosticCollector()
        let node = try #require(YAMLDocument.parse(file, reporting: collector))
        let values = ValueReader(scope: Scope(parent: nil), collector: collector, secrets: SecretTexts())
        let read = ExpectationReader(values: values).read(node, of: type, what: "the value")
        return try #require(read, "\(DiagnosticRenderer().render(collector.diagnostics))")
    }

    /// Reads an expectation of an untyped value and compares JSON with it.
    private func differences(_ expectation: String, _ value: JSONValue, as type: FieldType = .any) throws -> [String] {
        let expected = try read(expectation, as: type)
        return MatchEvaluator(bindings: Bindings()).mismatches(value, expected).map {
            "\($0.path): \($0.expected) | \($0.actual?.description ?? "nothing")\($0.hint.map { " (\($0))" } ?? "")"
        }
    }

    @Test func `The failure of 'any: true' for null says what matches null`() throws {
        let found = try differences("{ a: { any: true } }", ["a": nil], as: .map)
        #expect(found == ["a: any value | null (\(NearMiss.nullIsNoValue))"])
        #expect(try differences("{ a: { any: true } }", [:], as: .map) == ["a: any value | nothing"])
        #expect(try differences("{ a: { absent: true } }", ["a": nil], as: .map) == [])
    }

    /// Expectation, a value it accepts, a value it rejects.
    private static let table: [(String, String, String)] = [
        (#"5"#, #"5"#, #"6"#),
        (#"5"#, #"5.0"#, #"5.5"#),
        (#"'5'"#, #""5""#, #"5"#),
        (#"0123"#, #""0123""#, #"123"#),
        (#"no"#, #""no""#, #"false"#),
        (#"null"#, #"null"#, #"0"#),
        (#"{ equals: [1, 2] }"#, #"[1,2]"#, #"[2,1]"#),
        (#"{ exactly: { a: 1 } }"#, #"{"a":1}"#, #"{"a":1,"b":2}"#),
        (#"{ exactly: [] }"#, #"[]"#, #"[1]"#),
        (#"{ exactly: { a: { atLeast: 1 } } }"#, #"{"a":1}"#, #"{"a":0}"#),
        (#"{ exactly: { a: { type: text } } }"#, #"{"a":"x"}"#, #"{"a":"x","b":2}"#),
        (#"{ exactly: [{ a: { any: true } }] }"#, #"[{"a":1}]"#, #"[{"a":1,"b":2}]"#),
        (#"{ exactly: { each: { a: 1 } } }"#, #"[{"a":1}]"#, #"[{"a":1,"b":2}]"#),
        (#"{ exactly: { a: { absent: true }, b: 1 } }"#, #"{"b":1}"#, #"{"a":2,"b":1}"#),
        (#"{ exactly: { a: { contains: { b: 1 } } } }"#, #"{"a":[{"b":1,"c":2}]}"#, #"{"a":[{"b":2}]}"#),
        (#"{ matches: '^[0-9]{8}$' }"#, #""12345678""#, #""1234567""#),
        (#"{ startsWith: ab }"#, #""abc""#, #""bac""#),
        (#"{ endsWith: bc }"#, #""abc""#, #""bca""#),
        (#"{ contains: bc }"#, #""abcd""#, #""acbd""#),
        (#"{ contains: 2 }"#, #"[1,2]"#, #"[1,3]"#),
        (#"{ contains: { a: 1 } }"#, #"[{"a":1,"b":2}]"#, #"[{"a":2}]"#),
        (#"{ oneOf: [1, 2] }"#, #"2"#, #"3"#),
        (#"{ not: 1 }"#, #"2"#, #"1"#),
        (#"{ not: { oneOf: [1, 2] } }"#, #"3"#, #"2"#),
        (#"{ not: [1, 2] }"#, #"3"#, #"2"#),
        (#"{ not: [{ length: 0 }] }"#, #"[1]"#, #"[]"#),
        (#"{ not: { equals: [1, 2] } }"#, #"[2,1]"#, #"[1,2]"#),
        (#"{ between: [1, 2] }"#, #"2"#, #"3"#),
        (#"{ between: [1.5, 2.5] }"#, #"2.5"#, #"2.6"#),
        (#"{ atLeast: 2 }"#, #"2"#, #"1"#),
        (#"{ atMost: 2 }"#, #"2"#, #"3"#),
        (#"{ between: [1s, 2s] }"#, #""1500ms""#, #""2100ms""#),
        (#"{ atLeast: 2s }"#, #""2s""#, #""2""#),
        (#"{ near: [100, 5] }"#, #"105"#, #"106"#),
        (#"{ near: [0.5, 0.25] }"#, #"0.25"#, #"0.2"#),
        (#"{ near: [30s, 1s] }"#, #""31s""#, #""32s""#),
        (#"{ near: [30s, 1s] }"#, #""29s""#, #"30"#),
        (#"{ each: { atLeast: 1 } }"#, #"[1,2]"#, #"[1,0]"#),
        (#"{ each: { a: 1 } }"#, #"[]"#, #"{"a":1}"#),
        (#"{ type: text }"#, #""5""#, #"5"#),
        (#"{ type: integer }"#, #"5"#, #"5.5"#),
        (#"{ type: number }"#, #"5.5"#, #""5.5""#),
        (#"{ type: boolean }"#, #"false"#, #"0"#),
        (#"{ type: list }"#, #"[]"#, #"{}"#),
        (#"{ type: object }"#, #"{}"#, #"[]"#),
        (#"{ length: 3 }"#, #""abc""#, #""ab""#),
        (#"{ length: { atLeast: 1 } }"#, #"[1]"#, #"[]"#),
        (#"{ all: [{ atLeast: 1 }, { not: 3 }] }"#, #"2"#, #"3"#),
        (#"{ atLeast: 1, atMost: 3 }"#, #"2"#, #"4"#),
        (#"{ absent: true }"#, #"null"#, #"0"#),
        (#"{ any: true }"#, #"0"#, #"null"#),
        (#"{ a: { absent: true } }"#, #"{}"#, #"{"a":1}"#),
        (#"{ a: 1 }"#, #"{"a":1,"b":2}"#, #"{"a":2,"b":2}"#),
        (#"[1, { a: 1 }]"#, #"[1,{"a":1,"b":2}]"#, #"[1]"#),
        (#"[1, 2]"#, #"[1,2]"#, #"[1,2,3]"#),
    ]

    @Test(arguments: table)
    func `Each matcher accepts its value and rejects a near miss`(
        expectation: String, accepted: String, refused: String
    ) throws {
        #expect(try differences(expectation, JSONValue.parse(accepted)) == [])
        #expect(try differences(expectation, JSONValue.parse(refused)) != [])
    }

    @Test func `The table has a row for every matcher and every kind of value`() {
        for word in Matcher.words {
            #expect(Self.table.contains { $0.0.contains("{ \(word): ") }, "no row for `\(word)`")
        }
        for kind in Matcher.ValueKind.allCases {
            #expect(Self.table.contains { $0.0 == "{ type: \(kind.rawValue) }" }, "no row for `type: \(kind)`")
        }
    }

    /// Expectation, and its words in a report.
    private static let sentences: [(String, String)] = [
        ("{ equals: 5 }", "5"),
        ("Petr", #""Petr""#),
        ("{ exactly: [] }", "[]"),
        ("{ a: 1 }", "{ a: 1 }"),
        ("[1, { a: 2 }]", "[1, { a: 2 }]"),
        ("{ matches: 'a+' }", "text that matches a+"),
        ("{ oneOf: [1, 2] }", "one of 1, 2"),
        ("{ all: [{ atLeast: 1 }, { not: 3 }] }", "at least 1 and not 3"),
        ("{ not: 1 }", "not 1"),
        ("{ contains: 2 }", "something that contains 2"),
        ("{ startsWith: ab }", #"text that starts with "ab""#),
        ("{ endsWith: bc }", #"text that ends with "bc""#),
        ("{ between: [1, 2] }", "a number from 1 to 2"),
        ("{ near: [100, 5] }", "100, give or take 5"),
        ("{ each: { atLeast: 1 } }", "a list of elements that are all at least 1"),
        ("{ type: text }", "text"),
        ("{ type: number }", "a number"),
        ("{ type: integer }", "an integer"),
        ("{ type: boolean }", "a boolean"),
        ("{ type: list }", "a list"),
        ("{ type: object }", "an object"),
        ("{ atLeast: 2 }", "at least 2"),
        ("{ atMost: 2 }", "at most 2"),
        ("{ length: 3 }", "a length of 3"),
        ("{ absent: true }", "nothing"),
        ("{ any: true }", "any value"),
    ]

    @Test func `Every matcher and every kind of value says in words what it expects`() throws {
        for (expectation, words) in Self.sentences {
            let expected = try read(expectation)
            #expect(MatchEvaluator(bindings: Bindings()).describe(expected) == words, "\(expectation)")
        }
        for word in Matcher.words {
            #expect(Self.sentences.contains { $0.0.hasPrefix("{ \(word): ") }, "no row for `\(word)`")
        }
        for kind in Matcher.ValueKind.allCases {
            #expect(Self.sentences.contains { $0.0 == "{ type: \(kind.rawValue) }" }, "no row for `type: \(kind)`")
        }
    }

    @Test func `Every wrong member of an object is reported by its path`() throws {
        let found = try differences(
            "{ a: 1, b: { c: 2, d: { atLeast: 4 } }, e: x }", ["a": 2, "b": ["c": 2, "d": 3], "f": 1])
        #expect(found == ["a: 1 | 2", "b.d: at least 4 | 3", "e: \"x\" | nothing"])
    }

    @Test func `Literals are read by the declared type of the value`() throws {
        #expect(try differences("0123", "0123", as: .text) == [])
        #expect(try differences("12", .string("12"), as: .text) == [])
        #expect(try differences("no", .string("no"), as: .text) == [])
        #expect(try differences("12", 12, as: .integer) == [])
    }

    @Test func `A member with the name of a matcher is a member if the type declares it`() throws {
        let type = SampleAnswer.fieldType
        #expect(try differences("{ length: 3 }", ["length": 3], as: type) == [])
        #expect(try differences("{ length: 3 }", ["length": 4], as: type) == ["length: 3 | 4"])
    }

    /// Expectation, the value, and the reported differences, each with the common part.
    private static let nearMisses: [(String, String, [String])] = [
        ("Petr", #""petr""#, [#": "Petr" | "petr" (equal except for upper and lower case)"#]),
        ("Petr", #"" Petr""#, [#": "Petr" | " Petr" (equal except for white space at the ends)"#]),
        ("'5'", "5", [#": "5" | 5 (the same characters, but not a text)"#]),
        ("5", #""5""#, [#": 5 | "5" (the same characters, but a text)"#]),
        ("true", #""true""#, [#": true | "true" (the same characters, but a text)"#]),
        ("17", "27", [": 17 | 27"]),
        ("30s", #""30000ms""#, [#": "30s" | "30000ms" (the same time, written in another way)"#]),
        ("Petr", #""""#, [#": "Petr" | "" (an empty text)"#]),
        (
            "0011223344556677", #""0011223344556688""#,
            [#": "0011223344556677" | "0011223344556688" (as bytes the same up to number 7 of 8)"#]
        ),
        ("00112233445566", #""00112233445577""#, [#": "00112233445566" | "00112233445577""#]),
        (
            "00112233445566778899", #""00112233445566ff8899""#,
            [#": "00112233445566778899" | "00112233445566ff8899" (as bytes the same up to number 7 of 10)"#]
        ),
        (
            "AAECAwQFBgcICQoLDA0ODw==", #""AAECAwQFBgcICQoLDA0OAA==""#,
            [#": "AAECAwQFBgcICQoLDA0ODw==" | "AAECAwQFBgcICQoLDA0OAA==" (as bytes the same up to number 15 of 16)"#]
        ),
        (
            "the activation is not valid", #""the activation is not there""#,
            [
                #": "the activation is not valid" | "the activation is not there" (the same up to character 22)"#
            ]
        ),
        ("short words of 19 z", #""short words of 19 y""#, [#": "short words of 19 z" | "short words of 19 y""#]),
        (
            "longer words of 20 z", #""longer words of 20 y""#,
            [#": "longer words of 20 z" | "longer words of 20 y" (the same up to character 19)"#]
        ),
        (
            "longer words of 20 z", #""longer words of 20""#, [#": "longer words of 20 z" | "longer words of 20""#]
        ),
        ("{ equals: [1, 2] }", "[2,1]", [": [1, 2] | [2,1] (the same elements in another order)"]),
        ("{ equals: [1, 2] }", "[1,3]", ["1: 2 | 3"]),
        ("{ equals: [1, 2] }", "[2,3,1,2]", [": a list with 2 elements, not 4 | [2,3,1,2] (too many: 3, 2)"]),
        (
            "[1, { a: 2 }]", #"[{"a":3}]"#,
            [#": a list with 2 elements, not 1 | [{"a":3}] (missing: 1, { a: 2 }; too many: {"a":3})"#]
        ),
        (
            "{ exactly: { a: 1, b: { c: x, d: 2 } } }", #"{"a":1,"b":{"c":"X","d":2},"e":true}"#,
            [#"b.c: "x" | "X" (equal except for upper and lower case)"#, "e: no such member | true"]
        ),
        ("{ exactly: { a: 1, b: 2 } }", #"{"a":1}"#, ["b: 2 | nothing"]),
    ]

    @Test(
        .verifies("size", "NearMiss.longText"),
        arguments: nearMisses)
    func `Only differences are reported, with the common part`(expectation: String, value: String, told: [String])
        throws
    {
        let found = try differences(expectation, JSONValue.parse(value))
        #expect(found == told)
    }

    @Test func `The same elements in another order are named, each counted once`() {
        let rows: [(JSONValue, JSONValue, Bool)] = [
            ([1, 2], [2, 1], true), ([1, 2, 1], [1, 1, 2], true), ([["a": 1], 2], [2, ["a": 1]], true),
            ([1, 2], [1, 3], false), ([1, 1], [1, 2], false), ([1], [1, 1], false), ([1, 1], [1], false),
        ]
        for (expected, actual, isReordered) in rows {
            let hint = NearMiss.hint(expected: expected, actual: actual)
            #expect(hint == (isReordered ? NearMiss.otherOrder : nil), "\(expected) \(actual)")
        }
    }
}

private struct SampleAnswer: FieldObject {
    @Field("A length.") var length: Int
}
