import LabKit
import TestSupport
import Testing

@Suite("The nearest name is suggested", .endsInTime)
struct NearestTests {
    @Test(
        "A typo finds the intended word",
        arguments: [
            ("mian", "main"), ("expects", "expect"), ("Main", "main"), ("hasValidActivaton", "hasValidActivation"),
            ("activation", "createActivation"), ("wathc", "watch"),
        ])
    func slips(word: String, meant: String) {
        #expect(nearest(word, among: ["main", "expect", "hasValidActivation", "createActivation", "watch"]) == meant)
    }

    @Test("Other words find nothing", arguments: ["zebra", "x", "", "server"])
    func strangers(word: String) {
        #expect(nearest(word, among: ["main", "wallet", "pairing"]) == nil)
    }

    @Test("The cut-off grows with the length: two typos in four letters are another word")
    func cutOff() {
        #expect(nearest("mxxn", among: ["main"]) == nil)
        #expect(nearest("fetchActivatinStats", among: ["fetchActivationStatus"]) == "fetchActivationStatus")
    }
}
