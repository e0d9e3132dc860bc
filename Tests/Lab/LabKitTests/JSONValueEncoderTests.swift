import Foundation
import LabKit
import TestSupport
import Testing

@Suite("Values become JSON without going through text", .endsInTime)
struct JSONValueEncoderTests {
    @Test("Numbers of every width are what they are as text")
    func widths() throws {
        #expect(
            try JSONValue(encoding: NumbersOfEveryWidth())
                == JSONValue.parse(JSONEncoder().encode(NumbersOfEveryWidth())))
    }
}
