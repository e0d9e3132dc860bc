// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The decoder that asks a type for its fields", .endsInTime)
struct FieldProbeTests {
    private struct Plain: Decodable {
        let text: String
    }

    /// Asks for everything that a decoder has.
    private struct Curious: Decodable {
        private enum Key: CodingKey { case member, number }

        /// Whether a member is there and is not null.
        let isPresent: Bool
        let areEmpty: [Bool]
        let paths: [[any CodingKey]]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let isNull = try container.decodeNil(forKey: .member)
            isPresent = container.contains(.member) && !isNull
            let number = try container.decodeIfPresent(Int64.self, forKey: .number)
            let object = try container.nestedContainer(keyedBy: Key.self, forKey: .member)
            var list = try container.nestedUnkeyedContainer(forKey: .member)
            let isListEmpty = list.isAtEnd && list.count == 0 && list.currentIndex == 0
            let isElementNull = try list.decodeNil()
            let text = try list.decode(Plain.self).text
            let inObject = try list.nestedContainer(keyedBy: Key.self)
            let inList = try list.nestedUnkeyedContainer()
            let beside = try list.superDecoder().unkeyedContainer()
            let value = try container.superDecoder().singleValueContainer()
            let other = try container.superDecoder(forKey: .member).singleValueContainer()
            let own = try value.decode(Plain.self).text
            areEmpty = [
                number == nil, object.allKeys.isEmpty, isListEmpty, isElementNull, text.isEmpty,
                inObject.allKeys.isEmpty, inList.isAtEnd, beside.isAtEnd, value.decodeNil(), own.isEmpty,
                decoder.userInfo.isEmpty,
            ]
            paths = [decoder.codingPath, container.codingPath, list.codingPath, value.codingPath, other.codingPath]
        }
    }

    private func isZero<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Bool {
        try Number(from: FieldProbe()) == 0
    }

    @Test
    func `Each question has an empty answer: a member that is there, an empty list, zero of every width`() throws {
        let curious = try Curious(from: FieldProbe())
        #expect(curious.isPresent)
        let full = curious.areEmpty.enumerated().filter { !$0.element }.map(\.offset)
        #expect(full == [])
        let lengths = Set(curious.paths.map(\.count))
        #expect(lengths == [0])
        let integers: [any (FixedWidthInteger & Decodable).Type] = [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
            UInt64.self,
        ]
        for type in integers {
            let isEmpty = try isZero(type)
            #expect(isEmpty, "\(type)")
        }
        #expect(try Double(from: FieldProbe()) == 0)
        #expect(try Float(from: FieldProbe()) == 0)
        #expect(try String(from: FieldProbe()) == "")
        #expect(try Bool(from: FieldProbe()) == false)
    }

    @Test func `A field that may be missing is described as nullable, and is not required`() {
        let schema = JSONSchema.of(Curious.self)
        #expect(schema["properties"]?["number"] == JSONSchema.nullable(JSONSchema.of(Int64.self)))
        #expect(schema["properties"]?.objectValue?.count == 1 && schema["required"] == nil)
    }
}
