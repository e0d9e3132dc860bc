// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Encoding of answers", .endsInTime)
struct AnswerEncoderTests {
    private struct Everything: Encodable {
        struct Empty: Encodable {}
        struct Item: Encodable {
            let z: Int
            let a: String
            let list: [Item]
        }
        let zeta = "last, with \"quotes\", \\ and\nlines"
        let alpha = true
        let number = -42
        let big = UInt64.max
        let half = 0.5
        let whole = 3.0
        let bytes = Data([1, 2, 3])
        let items = [Item(z: 1, a: "é", list: []), Item(z: 2, a: "/", list: [Item(z: 3, a: "", list: [])])]
        let map = ["b": [1, 2], "a": []]
        let nothing: String? = nil
        let empty = Empty()
        let optionals: [Int?] = [1, nil]
        let price = Decimal(string: "12.30")
    }

    private class Base: Encodable {
        let inherited = 1
    }

    private final class Derived: Base {
        private enum Key: CodingKey { case own, nested, list }

        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: .nested)
            try nested.encode("in", forKey: .own)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            var inner = list.nestedUnkeyedContainer()
            try inner.encode(2)
            try list.encode(3)
            try container.encode("behind", forKey: .own)
        }
    }

    private struct Nulls: Encodable {
        @ExplicitNull var text: String?
        @ExplicitNull var number: Int?
        @ExplicitNull var object: Everything.Empty?
    }

    @Test func `Numbers of every width are written as Foundation's encoder writes them`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let written = try JSONTextEncoder.encode(NumbersOfEveryWidth())
        #expect(
            String(decoding: written, as: UTF8.self)
                == String(decoding: try encoder.encode(NumbersOfEveryWidth()), as: UTF8.self))
    }

    @Test func `Sorted answers are what Foundation's encoder writes with sorted keys`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let values: [any Encodable] = [
            Everything(), Derived(), Base(), [Everything](), ["text"], "text", 7, [String: Int](), Everything.Empty(),
        ]
        for value in values {
            let (written, expected) = (try JSONTextEncoder.encode(value), try encoder.encode(value))
            #expect(String(decoding: written, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
        }
    }

    @Test func `An answer has its members in the order of their declaration, and those of a dictionary by their names`()
        throws
    {
        let answer = String(decoding: try JSONBody.encode(Everything()), as: UTF8.self)
        let texts = #"{"zeta":"last, with \"quotes\", \\ and\nlines","alpha":true,"number":-42,"#
        let numbers = #""big":18446744073709551615,"half":0.5,"whole":3,"bytes":"AQID","#
        let items = #""items":[{"z":1,"a":"é","list":[]},{"z":2,"a":"/","list":[{"z":3,"a":"","list":[]}]}],"#
        let rest = #""map":{"a":[],"b":[1,2]},"empty":{},"optionals":[1,null],"price":12.3}"#
        #expect(answer == texts + numbers + items + rest)
        // A dictionary in a dictionary, as values of any form are.
        let free: JSONValue = ["b": ["d": 1, "c": [["f": 1, "e": 2]]], "a": 3]
        #expect(String(decoding: try JSONBody.encode(free), as: UTF8.self) == free.description)
        var members: OrderedMembers<JSONValue> = ["z": 1, "a": free, "m": nil]
        members["z"] = 2
        members["m"] = Optional.none
        members["b"] = "new"
        #expect(
            String(decoding: try JSONBody.encode(members), as: UTF8.self) == #"{"z":2,"a":\#(free),"b":"new"}"#)
        #expect(members["z"] == 2 && members["m"] == nil)
        #expect(
            String(decoding: try JSONBody.encode(members.filter { $0 != "a" }), as: UTF8.self)
                == #"{"z":2,"b":"new"}"#)
    }

    @Test func `A missing value of a declared field is null`() throws {
        func text(_ value: Nulls) throws -> String { String(decoding: try JSONBody.encode(value), as: UTF8.self) }
        #expect(try text(Nulls()) == #"{"text":null,"number":null,"object":null}"#)
        #expect(try text(Nulls(text: "a", number: 1, object: .init())) == #"{"text":"a","number":1,"object":{}}"#)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `A number that JSON cannot represent is refused`(number: Double) {
        #expect(throws: EncodingError.self) { try JSONBody.encode(["value": number]) }
    }
}

@Suite("Answers and flags that code their parts by themselves", .endsInTime)
struct UnusualAnswerTests {
    private struct Base: Encodable {
        let a = 1
    }

    private struct Alone: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            let isTop = container.codingPath.isEmpty
            try container.encode(isTop)
        }
    }

    /// Asks for everything that an encoder has and that the synthesized code does not ask for.
    private struct Unusual: Encodable {
        private enum Key: CodingKey { case list, object, own }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try Base().encode(to: container.superEncoder())
            try Base().encode(to: container.superEncoder(forKey: .own))
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode("text")
            let first = list.count
            try list.encode(first)
            var object = list.nestedContainer(keyedBy: Key.self)
            try object.encode("in", forKey: .own)
            try Base().encode(to: list.superEncoder())
            let last = list.count
            try list.encode(last)
            try list.encode(Alone())
            let paths = [encoder.codingPath, container.codingPath, list.codingPath, object.codingPath]
            try container.encode(paths.allSatisfy(\.isEmpty) && encoder.userInfo.isEmpty, forKey: .object)
        }
    }

    @Test func `Superclasses, nested values and the number of elements are written in their places`() throws {
        let text = String(decoding: try JSONBody.encode(Unusual()), as: UTF8.self)
        #expect(text == #"{"super":{"a":1},"own":{"a":1},"list":["text",1,{"own":"in"},{"a":1},4,true],"object":true}"#)
    }

    @Test func `A flag that is false when absent is a plain flag where it stands alone`() throws {
        let flags = try JSONDecoder().decode([FalseWhenAbsent].self, from: Data("[true,false]".utf8))
        #expect(flags.map(\.wrappedValue) == [true, false])
        #expect(String(decoding: try JSONEncoder().encode(flags), as: UTF8.self) == "[true,false]")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([FalseWhenAbsent].self, from: Data("[null]".utf8))
        }
    }
}
