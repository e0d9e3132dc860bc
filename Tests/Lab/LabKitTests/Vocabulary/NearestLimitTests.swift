import LabKit
import TestSupport
import Testing

@Suite("How far a word may be from the one that is meant", .endsInTime)
struct NearestLimitTests {
    @Test(
        "One mistake in four letters, two in seven, a third of the letters of longer words",
        arguments: [
            ("xbcd", "abcd", true), ("xxcd", "abcd", false), ("xxcde", "abcde", true), ("xxxde", "abcde", false),
            ("xxcdefg", "abcdefg", true), ("xxxdefg", "abcdefg", false), ("xxcdefgh", "abcdefgh", true),
            ("xxxdefgh", "abcdefgh", false), ("xxxdefghi", "abcdefghi", true), ("xxxxefghi", "abcdefghi", false),
            ("abc", "abcd", true), ("bacd", "abcd", true), ("abdc", "abcd", true),
        ])
    func limits(word: String, candidate: String, isNear: Bool) {
        #expect(nearest(word, among: [candidate]) == (isNear ? candidate : nil))
    }

    @Test("The nearest counts; of equally near ones the first by its letters, whatever their order")
    func order() {
        #expect(nearest("cat", among: ["rat", "bat", "dog"]) == "bat")
        #expect(nearest("cat", among: ["bat", "Cat"]) == "Cat")
        #expect(nearest("cats", among: ["bats", "cat", "cats"]) == "cats")
    }

    @Test("A part of a word of three letters or more finds the shortest word that has it")
    func parts() {
        #expect(nearest("activ", among: ["reactivation", "bactivation", "activations"]) == "activations")
        #expect(nearest("ACTIV", among: ["createActivation"]) == "createActivation")
        #expect(nearest("act", among: ["activation"]) == "activation")
        #expect(nearest("ac", among: ["activation"]) == nil)
        #expect(nearest("", among: ["activation"]) == nil)
    }
}
