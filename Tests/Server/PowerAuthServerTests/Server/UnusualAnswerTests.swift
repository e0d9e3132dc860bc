import Foundation
import TestSupport
import Testing

@testable import PowerAuthServer

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

    @Test("Superclasses, nested values and the number of elements are written in their places")
    func unusual() throws {
        let text = String(decoding: try AnswerEncoder.encode(Unusual()), as: UTF8.self)
        #expect(
            text
                == #"{"list":["text",1,{"own":"in"},{"a":1},4,true],"object":true,"own":{"a":1},"super":{"a":1}}"#)
    }

    @Test("A flag that is false when absent is a plain flag where it stands alone")
    func flags() throws {
        let flags = try JSONDecoder().decode([FalseWhenAbsent].self, from: Data("[true,false]".utf8))
        #expect(flags.map(\.wrappedValue) == [true, false])
        #expect(String(decoding: try JSONEncoder().encode(flags), as: UTF8.self) == "[true,false]")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([FalseWhenAbsent].self, from: Data("[null]".utf8))
        }
    }
}
