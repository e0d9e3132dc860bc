// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import LabCore

@Suite("Values are made from JSON without going through text", .endsInTime)
struct JSONValueDecoderTests {
    private struct Widths: Codable, Equatable {
        var int = Int.min, int8 = Int8.min, int16 = Int16.min, int32 = Int32.min, int64 = Int64.min
        var uint = UInt.max, uint8 = UInt8.max, uint16 = UInt16.max, uint32 = UInt32.max, uint64 = UInt64.max
        var float = Float(0.5), double = 0.25, text = "t", truth = true
        var date = LabDuration.seconds(3), data = Data([1, 2]), list = [1, 2], map = ["k": 7]
        var something: Int? = 1, nothing: Int?
    }

    @Test func `A value with members of every width is read as it was written`() throws {
        let widths = Widths()
        let json = try JSONValue(encoding: widths)
        #expect(try json.decode(Widths.self) == widths)
        // Also through text, by the other reader.
        #expect(try JSONValue.parse(json.encoded()).decode(Widths.self) == widths)
        #expect(json["nothing"] == nil && json["something"] == 1 && json["date"] == "3s" && json["data"] == "AQI=")
    }

    /// Checks the limits of a type of number.
    private func check<Number: FixedWidthInteger & Codable>(_ type: Number.Type) throws {
        for number in [Number.min, Number.max, 7] {
            let json = try JSONValue(encoding: number)
            #expect(try json.decode(type) == number)
            #expect(try JSONValue.array([json]).decode([Number].self) == [number])
            #expect(try JSONValue.object(["k": json]).decode([String: Number].self) == ["k": number])
        }
        #expect(try JSONValue.number(7).decode(type) == 7)
        var wrong: [JSONValue] = [.number(0.5), "7", true, nil, [7], .number(1e300), .integer(-1)]
        if Number.isSigned { wrong[wrong.count - 1] = .unsigned(.max) }
        if Number.bitWidth < 64, let most = Int64(exactly: Number.max), let least = Int64(exactly: Number.min) {
            wrong += [.integer(most + 1), .integer(least - 1)]
        }
        for json in wrong { #expect(throws: DecodingError.self, "\(type) \(json)") { try json.decode(type) } }
    }

    @Test func `A number is read only by a type that can hold it, whole numbers in any form`() throws {
        try check(Int.self)
        try check(Int8.self)
        try check(Int16.self)
        try check(Int32.self)
        try check(Int64.self)
        try check(UInt.self)
        try check(UInt8.self)
        try check(UInt16.self)
        try check(UInt32.self)
        try check(UInt64.self)
    }

    @Test func `Fractions are read from every kind of number, and from nothing else`() throws {
        for (json, expected) in [(.integer(-7), -7), (.unsigned(7), 7), (.number(0.5), 0.5)] as [(JSONValue, Double)] {
            #expect(try json.decode(Double.self) == expected)
            #expect(try json.decode(Float.self) == Float(expected))
        }
        for json in ["1", true, nil] as [JSONValue] {
            #expect(throws: DecodingError.self) { try json.decode(Double.self) }
            #expect(throws: DecodingError.self) { try json.decode(Float.self) }
        }
    }

    /// What a type reads that nests lists and objects by itself.
    private struct Nested: Decodable {
        private enum Key: CodingKey { case object, list, other }

        var keys: Set<String>
        var number, member: Int
        var first, last: String
        var inner: [Int] = []
        var nulls: [Bool]
        var counts: [Int?]
        var isAtEnd: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            keys = Set(container.allKeys.map(\.stringValue))
            nulls = [container.contains(.other), try container.decodeNil(forKey: .list)]
            number = try container.nestedContainer(keyedBy: Key.self, forKey: .object).decode(Int.self, forKey: .list)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            first = try list.decode(String.self)
            var nested = try list.nestedUnkeyedContainer()
            while !nested.isAtEnd { inner.append(try nested.decode(Int.self)) }
            member = try list.nestedContainer(keyedBy: Key.self).decode(Int.self, forKey: .object)
            nulls += [try list.decodeNil(), try list.decodeNil()]
            counts = [list.count, list.currentIndex]
            isAtEnd = list.isAtEnd
            last = try list.decode(String.self)
        }
    }

    @Test func `Lists and objects in lists are read from their places, one after the other`() throws {
        let json: JSONValue = [
            "object": ["list": 1], "list": ["first", [2, 3], ["object": 4], nil, "last"], "else": 5,
        ]
        let nested = try json.decode(Nested.self)
        #expect(nested.keys == ["object", "list"])
        #expect(nested.number == 1 && nested.member == 4)
        #expect(nested.first == "first" && nested.last == "last")
        #expect(nested.inner == [2, 3])
        #expect(nested.nulls == [false, false, true, false])
        #expect(nested.counts == [5, 4] && !nested.isAtEnd)
        let short: JSONValue = ["object": ["list": 1], "list": ["first", [], ["object": 4]]]
        let error = #expect(throws: DecodingError.self) { try short.decode(Nested.self) }
        #expect(error.map { JSONValue.explain($0) } == "'list.3' is null, expected Optional<Any>")
    }

    private struct Outer: Decodable {
        struct Inner: Decodable {
            var numbers: [Int]
            var data: Data?
        }

        var inner: Inner
    }

    @Test(
        arguments: [
            (7, "the value is not of type JSONValue"),
            (.object([:]), "'inner' is missing"),
            (["inner": []], "'inner' is not of type JSONValue"),
            (["inner": .object([:])], "'inner.numbers' is missing"),
            (["inner": ["numbers": 1]], "'inner.numbers' is not of type JSONValue"),
            (["inner": ["numbers": [1, "x"]]], "'inner.numbers.1' is not of type Int"),
            (["inner": ["numbers": [nil]]], "'inner.numbers.0' is not of type Int"),
            (["inner": ["numbers": [], "data": "?"]], "'inner.data' is not of type Data"),
        ] as [(JSONValue, String)])
    func `What does not fit is explained with the way to its place`(json: JSONValue, expected: String) {
        let error = #expect(throws: DecodingError.self) { try json.decode(Outer.self) }
        #expect(error.map { JSONValue.explain($0) } == expected)
    }

    @Test func `A type's own reason is part of the explanation, and any other error is its own`() {
        let error = #expect(throws: DecodingError.self) { try JSONValue.string("5").decode(LabDuration.self) }
        #expect(
            error.map { JSONValue.explain($0) }
                == "the value: '5' is not a duration; write a number and a unit, e.g. 250ms")
        #expect(JSONValue.explain(CancellationError()) == "\(CancellationError())")
    }
}

@Suite("Values are converted to JSON", .endsInTime)
struct JSONValueEncoderTests {
    @Test func `Numbers of every width are the same as through Foundation's encoder`() throws {
        #expect(
            try JSONValue(encoding: NumbersOfEveryWidth())
                == JSONValue.parse(JSONEncoder().encode(NumbersOfEveryWidth())))
    }

    /// Lists and objects that a type nests by itself.
    private struct Nested: Encodable {
        private enum Key: CodingKey { case object, list }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var object = container.nestedContainer(keyedBy: Key.self, forKey: .object)
            try object.encode(1, forKey: .list)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode("first")
            var inner = list.nestedUnkeyedContainer()
            try inner.encode(2)
            var member = list.nestedContainer(keyedBy: Key.self)
            try member.encode(3, forKey: .object)
            try list.encode("last")
        }
    }

    @Test func `Lists and objects in lists are in their places`() throws {
        #expect(try JSONValue(encoding: Nested()) == JSONValue.parse(JSONEncoder().encode(Nested())))
    }

    @Test func `A number that is a fraction by its type stays one, and one that JSON has no word for is null`() throws {
        #expect(try JSONValue(encoding: [3.0, .infinity, .nan]) == [.number(3), nil, nil])
        #expect(try JSONValue(encoding: JSONValue.number(3)) == .number(3))
    }

    /// Two containers of one kind, of which the first is used again after the second.
    private struct InTurn: Encodable {
        private enum Key: CodingKey { case first, second }
        let isList: Bool

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            if isList {
                var first = container.nestedUnkeyedContainer(forKey: .first)
                var second = container.nestedUnkeyedContainer(forKey: .second)
                try second.encode(1)
                try first.encode(2)
            } else {
                var first = container.nestedContainer(keyedBy: Key.self, forKey: .first)
                var second = container.nestedContainer(keyedBy: Key.self, forKey: .second)
                try second.encode(1, forKey: .first)
                try first.encode(2, forKey: .first)
            }
        }
    }

    @Test(arguments: [true, false])
    func `Containers that are used in turn are refused, and not written into one another`(isList: Bool) {
        #expect(throws: EncodingError.self) { try JSONValue(encoding: InTurn(isList: isList)) }
        #expect(throws: EncodingError.self) { try JSONTextEncoder.encode(["outer": InTurn(isList: isList)]) }
    }

    /// Objects in objects, declared in another order than that of their names.
    private struct Unsorted: Encodable {
        struct Inner: Encodable {
            let z = 1
            let map = ["d": 1, "c": 2]
            let a = [1, 2]
        }
        let second = Inner()
        let first: [Inner] = []
        let free: JSONValue = ["y": ["f": 1, "e": 2], "x": nil]
    }

    @Test func `Members stand in the order of their names or of their encoding, and a dictionary has the former only`()
        throws
    {
        func text(_ order: JSONTextEncoder.MemberOrder) throws -> String {
            String(decoding: try JSONTextEncoder.encode(Unsorted(), members: order), as: UTF8.self)
        }
        let (map, free) = (#"{"c":2,"d":1}"#, #"{"x":null,"y":{"e":2,"f":1}}"#)
        #expect(
            try text(.asEncoded) == #"{"second":{"z":1,"map":\#(map),"a":[1,2]},"first":[],"free":\#(free)}"#)
        #expect(try text(.byName) == #"{"first":[],"free":\#(free),"second":{"a":[1,2],"map":\#(map),"z":1}}"#)
    }
}

@Suite("Parts of values that few types ask for", .endsInTime)
struct JSONCodingDetailTests {
    private class Base: Decodable {
        private enum Key: CodingKey { case own }

        let own: Int

        required init(from decoder: any Decoder) throws {
            own = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .own)
        }
    }

    /// Reads superclasses beside its own members, from a member, and from a list.
    private struct Heir: Decodable {
        private enum Key: CodingKey { case named, list }

        let owns: [Int]
        let isAtEnd: Bool
        let settings: Int

        init(from decoder: any Decoder) throws {
            settings = decoder.userInfo.count
            let container = try decoder.container(keyedBy: Key.self)
            let beside = try Base(from: container.superDecoder()).own
            let named = try Base(from: container.superDecoder(forKey: .named)).own
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            let listed = try Base(from: list.superDecoder()).own
            owns = [beside, named, listed]
            isAtEnd = list.isAtEnd
        }
    }

    @Test
    func `A superclass is read beside the members, from a member or from the next element; there are no settings`()
        throws
    {
        let json: JSONValue = ["own": 1, "named": ["own": 2], "list": [["own": 3]]]
        let heir = try json.decode(Heir.self)
        #expect(heir.owns == [1, 2, 3] && heir.isAtEnd && heir.settings == 0)
        let short: JSONValue = ["own": 1, "named": ["own": 2], "list": []]
        let error = #expect(throws: DecodingError.self) { try short.decode(Heir.self) }
        #expect(error.map { JSONValue.explain($0) } == "'list.0' is null, expected Any")
    }

    private struct Emptied: Encodable {
        private enum Key: CodingKey { case member }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encodeNil(forKey: .member)
        }
    }

    @Test func `A member can be null, as a type that writes it says`() throws {
        #expect(try JSONValue(encoding: Emptied()) == ["member": nil])
    }

    @Test func `A place in a path is a name, or a number and its text`() {
        let (name, number) = (JSONPathKey(stringValue: "list"), JSONPathKey(intValue: 3))
        #expect(name.stringValue == "list" && name.intValue == nil)
        #expect(number.stringValue == "3" && number.intValue == 3)
    }

    @Test func `A field that is no member is its value; one that was never set cannot be sent`() throws {
        #expect(try JSONValue(encoding: Field<Int>(wrappedValue: 5, "Number.")) == 5)
        #expect(try JSONValue.integer(7).decode(Field<Int>.self).wrappedValue == 7)
        #expect(throws: EncodingError.self) { try JSONValue(encoding: Field<Int>("Number.")) }
    }
}
