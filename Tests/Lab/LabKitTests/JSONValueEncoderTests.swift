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
}
