import Foundation
import LabKit
import TestSupport
import Testing

@Suite("Values are converted to JSON without going through text", .endsInTime)
struct JSONValueEncoderTests {
    @Test("Numbers of every width are the same as through text")
    func widths() throws {
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

    @Test("Lists and objects in lists are in their places")
    func nested() throws {
        #expect(try JSONValue(encoding: Nested()) == JSONValue.parse(JSONEncoder().encode(Nested())))
    }
}
