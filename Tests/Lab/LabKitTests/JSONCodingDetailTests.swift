import Foundation
import TestSupport
import Testing

@testable import LabKit

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

    @Test("A superclass is read beside the members, from a member or from the next element; there are no settings")
    func superclasses() throws {
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

    @Test("A member can be null, as a type that writes it says")
    func null() throws {
        #expect(try JSONValue(encoding: Emptied()) == ["member": nil])
    }

    @Test("A place in a path is a name, or a number and its text")
    func places() {
        let (name, number) = (JSONPathKey(stringValue: "list"), JSONPathKey(intValue: 3))
        #expect(name.stringValue == "list" && name.intValue == nil)
        #expect(number.stringValue == "3" && number.intValue == 3)
    }

    @Test("A field that is no member is its value; one that was never set cannot be sent")
    func fields() throws {
        #expect(try JSONValue(encoding: Field<Int>(wrappedValue: 5, "Number.")) == 5)
        #expect(try JSONValue.integer(7).decode(Field<Int>.self).wrappedValue == 7)
        #expect(throws: EncodingError.self) { try JSONValue(encoding: Field<Int>("Number.")) }
    }
}
