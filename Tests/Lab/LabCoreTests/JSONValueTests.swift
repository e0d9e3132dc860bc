// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@Suite("JSON values", .endsInTime)
struct JSONValueTests {
    @Test func `JSON is written compactly, with sorted keys and plain slashes`() {
        let value: JSONValue = ["b": [1, 2.5, true, nil], "a": "/pa/v3", "c": .object([:])]
        #expect(value.description == #"{"a":"/pa/v3","b":[1,2.5,true,null],"c":{}}"#)
    }

    @Test(
        arguments: [
            "null", "true", "0", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1.5",
            #""""#,
            #""ř \" \\ 😀""#,
            "[]", "{}", #"{"a":[{"b":null}]}"#,
        ])
    func `Reads what it writes`(text: String) throws {
        #expect(try JSONValue.parse(text).description == text)
    }

    @Test func `Integers are kept apart from other numbers`() throws {
        #expect(try JSONValue.parse("7") == .integer(7))
        #expect(try JSONValue.parse("7.0") == .number(7))
        for exponent in ["1e2", "1E2", "1e+2", "1E+2", "1000e-1", "1000E-1", "1.0E2"] {
            #expect(try JSONValue.parse(exponent) == .number(100), "\(exponent)")
        }
        #expect(try JSONValue.parse("18446744073709551616") == .number(18_446_744_073_709_551_616))
    }

    @Test func `Keeps integers above the signed range`() throws {
        for number in [UInt64(Int64.max) + 1, UInt64.max] {
            let value = try JSONValue.parse("\(number)")
            #expect(value == .unsigned(number))
            #expect(value.description == "\(number)")
            #expect(try value.decode(UInt64.self) == number)
            #expect(try JSONValue(encoding: number) == value)
            #expect(throws: DecodingError.self) { try value.decode(Int64.self) }
        }
        #expect(try JSONValue(encoding: UInt64(7)) == .integer(7))
    }

    @Test func `Escapes are read`() throws {
        #expect(try JSONValue.parse(#""\u0041\n\/\ud83d\ude00""#) == .string("A\n/😀"))
        #expect(JSONValue.string("\u{1}\n").description == #""\u0001\n""#)
    }

    @Test(
        arguments: [
            ("", 0), ("{", 1), (#"{"a" 1}"#, 5), ("[1,]", 3), ("01", 1), ("1.", 2), ("tru", 0), ("\"a", 0),
            ("\"\n\"", 1),
            (#""\x""#, 2), (#""\ud83d""#, 7), ("1 2", 2), (#"{"a":1,"a":2}"#, 7), ("1e999", 0), ("-", 1),
        ])
    func `Bad text is refused, and its place is named`(text: String, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(text) }
        #expect(error?.offset == offset, "\(error.map(String.init(describing:)) ?? "")")
    }

    @Test func `Every escape is read, in both cases of its digits, and characters need none`() throws {
        #expect(try JSONValue.parse(#""\"\\\/\b\f\n\r\t""#) == .string("\"\\/\u{8}\u{C}\n\r\t"))
        #expect(try JSONValue.parse(#""\u00e9\u00E9\uD800\uDC00\udbff\udfff""#) == .string("éé\u{10000}\u{10FFFF}"))
        #expect(try JSONValue.parse(" \t\r\n[ 1 , { \"a\" : 2 } ] \n") == [1, ["a": 2]])
    }

    @Test func `Only what cannot stand in a text is escaped`() throws {
        let text = "\u{0}\u{1F}\t\r\n\"\\/\u{7F}é"
        #expect(JSONValue.string(text).description == #""\u0000\u001f\t\r\n\"\\/"# + "\u{7F}é\"")
        #expect(try JSONValue.parse(JSONValue.string(text).encoded()) == .string(text))
        for number in [Double.infinity, -.infinity, .nan] { #expect(JSONValue.number(number).description == "null") }
    }

    @Test func `For people a value is spread over lines, and empty lists and objects stay short`() {
        let value: JSONValue = ["b": [1, ["c": []], "x"], "a": .object([:]), "d": ["e": nil]]
        let expected = """
            {
              "a": {},
              "b": [
                1,
                {
                  "c": []
                },
                "x"
              ],
              "d": {
                "e": null
              }
            }
            """
        #expect(value.prettyPrinted() == expected)
    }

    @Test func `A value gives what it is, and nothing else`() {
        let values: [JSONValue] = [nil, true, 7, .unsigned(.max), 2.5, .number(3), "t", [1], ["k": 1]]
        #expect(values.map(\.isNull) == [true] + Array(repeating: false, count: 8))
        #expect(values.map(\.boolValue) == [nil, true, nil, nil, nil, nil, nil, nil, nil])
        #expect(values.map(\.integerValue) == [nil, nil, 7, nil, nil, 3, nil, nil, nil])
        #expect(values.map(\.numberValue) == [nil, nil, 7, 0x1p64, 2.5, 3, nil, nil, nil])
        #expect(values.map(\.stringValue) == [nil, nil, nil, nil, nil, nil, "t", nil, nil])
        #expect(values.map(\.arrayValue) == [nil, nil, nil, nil, nil, nil, nil, [1], nil])
        #expect(values.map(\.objectValue) == [nil, nil, nil, nil, nil, nil, nil, nil, ["k": 1]])
        #expect(values.map { $0["k"] } == [nil, nil, nil, nil, nil, nil, nil, nil, 1])
        #expect([-1, 0, 1].map { JSONValue.array(["x"])[$0] } == [nil, "x", nil])
    }

    @Test(
        arguments: [
            (#""\udc00""#, 7), (#""\ud83d\u0041""#, 13), (#""\ud83dx""#, 7), (#""\u12""#, 3), (#""\u12g4""#, 3),
            (#""\"#, 2), (#"{"a":1 "b":2}"#, 7), ("[1 2]", 3), ("{1:2}", 1), ("nul", 0), ("1.5e", 4), ("1e+", 3),
            (#"{"a":}"#, 5), ("[", 1), (#"{"a":1,}"#, 7), ("\u{1F}", 0), ("\"\u{1F}\"", 1), ("[1]x", 3), ("+1", 0),
        ])
    func `A text that ends early, or has more behind its value, is refused at that byte`(text: String, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(text) }
        #expect(error?.offset == offset, "\(text): \(error.map(String.init(describing:)) ?? "")")
    }

    @Test func `Nesting that would exhaust the stack is refused`() {
        let text = String(repeating: "[", count: 100_000)
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(text) }
        #expect(error?.message.contains("128") == true)
    }

    @Test(
        .verifies("size", "JSONParser.maximumDepth"),
        arguments: Sizes.around(128))
    func `Lists and objects may be nested up to the limit; siblings do not add to the depth`(depth: Int) {
        let list = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
        let objects = String(repeating: #"{"a":"#, count: depth - 1) + "1" + String(repeating: "}", count: depth - 1)
        for text in ["[\(list),\(list)]", #"{"a":\#(objects),"b":\#(objects)}"#] {
            let isRead = (try? JSONValue.parse(text)) != nil
            #expect(isRead == (depth <= 128), "\(text.prefix(5))")
        }
    }

    @Test func `Invalid UTF-8 is refused`() {
        #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(Data([0x22, 0xFF, 0x22])) }
    }

    @Test func `No single byte change of a message crashes the reader`() {
        let message = Data(
            #"{"id":12,"command":"createActivation","arguments":{"a":[1.5e3,"ř\u00e9",null,true]}}"#.utf8)
        for index in message.indices {
            for byte in [0x00, 0x22, 0x5C, 0x7B, 0x5D, 0x2C, 0xFF] as [UInt8] {
                var changed = message
                changed[index] = byte
                // Either outcome is right; not crashing is what is tested.
                _ = try? JSONValue.parse(changed)
            }
        }
    }

    private struct Sample: Codable, Equatable {
        var number: Int
        var data: Data
        var nested: [String: JSONValue]
        var missing: String?
    }

    @Test func `Codable types are converted in both directions`() throws {
        let sample = Sample(number: 7, data: Data([1, 2, 3]), nested: ["x": [1, "two", nil]])
        let value = try JSONValue(encoding: sample)
        #expect(value["data"] == "AQID")
        #expect(value["number"] == 7)
        #expect(try value.decode(Sample.self) == sample)
    }
}
