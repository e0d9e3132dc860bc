import Foundation
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

    @Test("Numbers of every width are written as Foundation's encoder writes them")
    func widths() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let written = try AnswerEncoder.encode(NumbersOfEveryWidth())
        #expect(
            String(decoding: written, as: UTF8.self)
                == String(decoding: try encoder.encode(NumbersOfEveryWidth()), as: UTF8.self))
    }

    @Test("Answers are what Foundation's encoder writes with sorted keys")
    func answersAreFoundations() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let values: [any Encodable] = [
            Everything(), Derived(), Base(), [Everything](), ["text"], "text", 7, [String: Int](), Everything.Empty(),
        ]
        for value in values {
            let (written, expected) = (try AnswerEncoder.encode(value), try encoder.encode(value))
            #expect(String(decoding: written, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
        }
    }

    @Test("A missing value of a declared field is null")
    func promisedValuesAreNull() throws {
        func text(_ value: Nulls) throws -> String { String(decoding: try AnswerEncoder.encode(value), as: UTF8.self) }
        #expect(try text(Nulls()) == #"{"number":null,"object":null,"text":null}"#)
        #expect(
            try text(Nulls(text: "a", number: 1, object: .init())) == #"{"number":1,"object":{},"text":"a"}"#)
    }

    @Test("A number that JSON cannot represent is refused", arguments: [Double.infinity, -.infinity, .nan])
    func noWordForIt(number: Double) {
        #expect(throws: EncodingError.self) { try AnswerEncoder.encode(["value": number]) }
    }
}
