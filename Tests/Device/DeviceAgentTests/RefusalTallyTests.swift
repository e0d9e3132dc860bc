import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Reports of a flood of refused frames", .endsInTime)
struct RefusalTallyTests {
    @Test("The first refusals of a second are reported one by one, the others as one number at its end")
    func flood() {
        var tally = RefusalTally()
        let start: UInt64 = 5_000_000_000
        let reports = (0..<1_000).compactMap { tally.take("cause \($0)", at: start + UInt64($0)) }
        #expect(reports.count == RefusalTally.limit && reports.allSatisfy { $0.count == nil })
        #expect(tally.due == start + RefusalTally.period)
        #expect(tally.summary(at: start + 1_000) == nil)
        #expect(
            tally.summary(at: start + RefusalTally.period)
                == RefusalTally.Report(cause: "cause 999", count: 1_000 - RefusalTally.limit))
        #expect(tally.due == nil && tally.summary(at: .max) == nil)
        #expect(tally.take("later", at: start + RefusalTally.period) == RefusalTally.Report(cause: "later"))
    }

    @Test("A few in a second are all reported, and none twice")
    func few() {
        var tally = RefusalTally()
        for second in 1...100 as ClosedRange<UInt64> {
            #expect(tally.take("cause", at: second * RefusalTally.period) == RefusalTally.Report(cause: "cause"))
        }
        #expect(tally.due == nil)
    }
}
