import TestSupport
import Testing

@testable import LabKit

@Suite("The factor of real-time limits", .endsInTime)
struct TimeFactorTests {
    @Test(
        "It is what LAB_TIME_FACTOR says, and 1 for a text that is no number of 1 or more",
        arguments: [
            (nil, 1), ("", 1), ("3", 3), ("2.5", 2.5), ("0.5", 1), ("-4", 1), ("inf", 1), ("nan", 1), ("ten", 1),
        ])
    func factor(text: String?, expected: Double) {
        #expect(TimeFactor.factor(in: text.map { [TimeFactor.variable: $0] } ?? [:]) == expected)
    }

    @Test("A limit is stretched by it and stays a limit that can be counted")
    func stretched() {
        #expect(LabDuration.seconds(2).stretched(by: 2.5) == .seconds(5))
        #expect(LabDuration.minutes(100_000_000).stretched(by: 1000).nanoseconds == 1_000_000_000_000_000_000)
        #expect(LabDuration.seconds(1).stretched == LabDuration.seconds(1).stretched(by: TimeFactor.current))
    }
}
