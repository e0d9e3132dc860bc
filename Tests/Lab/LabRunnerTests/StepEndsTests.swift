import TestSupport
import Testing

@testable import LabRunner

@Suite("The default moment for inspecting a recorded scenario", .endsInTime)
struct StepEndsTests {
    private func moment(_ lines: [String]) throws -> String? {
        let directory = try TemporaryDirectory()
        let events = lines.enumerated().map { index, line in
            let words = line.split(separator: " ").map(String.init)
            return HistoryEvent(
                time: UInt64(index), step: words[1],
                words[0] == "begin"
                    ? .stepStarted(.init(title: "", sentence: nil), nil) : .stepFinished(isFine: words[0] == "fine"))
        }
        try events.write(to: directory.path)
        return try #require(StepEnds(in: directory.path)).moment(at: nil).step
    }

    @Test("It is the failed step, not one that an enclosing step allowed to fail")
    func failed() throws {
        let race = ["begin 1", "begin 1.1", "begin 1.2", "bad 1.2", "fine 1.1", "fine 1"]
        #expect(try moment(race + ["begin 2", "bad 2"]) == "2")
        #expect(try moment(race + ["begin 2", "fine 2"]) == "2")
        // In a failed race, the first failure counts.
        #expect(try moment(["begin 1", "begin 1.1", "begin 1.2", "bad 1.2", "fine 1.1", "bad 1"]) == "1.2")
    }

    @Test("Steps with the same number in another round or with the same prefix are different steps")
    func others() throws {
        #expect(try moment(["begin 1.1", "bad 1.1", "begin 1", "begin 1.1", "fine 1.1", "fine 1"]) == "1.1")
        #expect(try moment(["begin 1", "begin 10.1", "bad 10.1", "fine 1"]) == "10.1")
    }
}
