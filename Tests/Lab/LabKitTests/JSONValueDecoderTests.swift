import Foundation
import LabKit
import TestSupport
import Testing

@Suite("Values are made from JSON without going through text", .endsInTime)
struct JSONValueDecoderTests {
    private struct Widths: Codable, Equatable {
        var int = Int.min, int8 = Int8.min, int16 = Int16.min, int32 = Int32.min, int64 = Int64.min
        var uint = UInt.max, uint8 = UInt8.max, uint16 = UInt16.max, uint32 = UInt32.max, uint64 = UInt64.max
        var float = Float(0.5), double = 0.25, text = "t", truth = true
        var date = LabDuration.seconds(3), data = Data([1, 2]), list = [1, 2], map = ["k": 7]
        var something: Int? = 1, nothing: Int?
    }

    @Test("A value with members of every width is read as it was written")
    func widths() throws {
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

    @Test("A number is read only by a type that can hold it, whole numbers in any form")
    func limits() throws {
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

    @Test("Fractions are read from every kind of number, and from nothing else")
    func fractions() throws {
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

    @Test("Lists and objects in lists are read from their places, one after the other")
    func nested() throws {
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
        "What does not fit is explained with the way to its place",
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
    func explanations(json: JSONValue, expected: String) {
        let error = #expect(throws: DecodingError.self) { try json.decode(Outer.self) }
        #expect(error.map { JSONValue.explain($0) } == expected)
    }

    @Test("A type's own reason is part of the explanation, and any other error is its own")
    func ownReasons() {
        let error = #expect(throws: DecodingError.self) { try JSONValue.string("5").decode(LabDuration.self) }
        #expect(
            error.map { JSONValue.explain($0) }
                == "the value: '5' is not a duration; write a number and a unit, e.g. 250ms")
        #expect(JSONValue.explain(CancellationError()) == "\(CancellationError())")
    }
}
