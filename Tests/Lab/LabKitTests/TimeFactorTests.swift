import TestSupport
import Testing

@testable import LabKit

@Suite("The factor of real-time limits", .endsInTime)
struct TimeFactorTests {
    @Test(
        "It is the value of LAB_TIME_FACTOR, or 1 if that is not a number of at least 1",
        arguments: [
            (nil, 1), ("", 1), ("3", 3), ("2.5", 2.5), ("0.5", 1), ("-4", 1), ("inf", 1), ("nan", 1), ("ten", 1),
        ])
    func factor(text: String?, expected: Double) {
        #expect(TimeFactor.factor(in: text.map { [TimeFactor.variable: $0] } ?? [:]) == expected)
    }

    @Test("A limit is multiplied by it and stays representable")
    func stretched() {
        #expect(LabDuration.seconds(2).stretched(by: 2.5) == .seconds(5))
        #expect(LabDuration.minutes(100_000_000).stretched(by: 1000).nanoseconds == 1_000_000_000_000_000_000)
        #expect(LabDuration.seconds(1).stretched == LabDuration.seconds(1).stretched(by: TimeFactor.current))
    }
}
