import TestSupport
import Testing

@testable import LabFile

@Suite("Mistakes of the formatter", .endsInTime)
struct FormatterDefectTests {
    @Test("A mistake names the file, which stays as it is, and what would have gone wrong")
    func description() {
        let text = FormatterDefect(path: "a.yaml", what: "a value would change").description
        #expect(text.hasPrefix("the formatter cannot keep the meaning of a.yaml, which stays as it is: a value would"))
        #expect(text.hasSuffix("please report it with the file"))
    }
}
