// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import LabCore

@Suite("Times and durations", .endsInTime)
struct LabTimeTests {
    @Test(
        arguments: [
            (0, 0), (999_999, 0), (1_000_000, 1), (-1, -1), (-1_000_000, -1), (-1_000_001, -2),
        ] as [(Int64, Int64)])
    func `Milliseconds are rounded down, also before 1970`(nanoseconds: Int64, milliseconds: Int64) {
        #expect(LabTime(nanoseconds: nanoseconds).milliseconds == milliseconds)
        #expect(LabTime(milliseconds: milliseconds).nanoseconds == milliseconds * 1_000_000)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (5, "1970-01-01T00:00:00.005Z"), (1_999, "1970-01-01T00:00:01.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (-1_000, "1969-12-31T23:59:59.000Z"),
            (1_772_357_400_250, "2026-03-01T09:30:00.250Z"),
        ] as [(Int64, String)])
    func `A time is written to the millisecond`(milliseconds: Int64, text: String) {
        #expect(LabTime(milliseconds: milliseconds).text == text)
    }

    @Test func `Sums end at the ends of the range; differences have a direction`() {
        let (first, last) = (LabTime(nanoseconds: .min), LabTime(nanoseconds: .max))
        let nanosecond = LabDuration(nanoseconds: 1)
        #expect(last + nanosecond == last && first - nanosecond == first)
        #expect(last - nanosecond < last && first + nanosecond > first)
        let (early, late) = (LabTime(milliseconds: 1_500), LabTime(milliseconds: 4_000))
        #expect(late - early == .milliseconds(2_500) && early - late == .milliseconds(-2_500))
        #expect(early + .milliseconds(2_500) == late && late - .milliseconds(2_500) == early)
        #expect(early < late && !(late < early) && !(late < late))
        #expect(early.seconds == 1.5 && early.date == Date(timeIntervalSince1970: 1.5))
    }

    @Test func `Durations are made of their units`() {
        #expect(LabDuration.milliseconds(2).nanoseconds == 2_000_000)
        #expect(LabDuration.seconds(2) == .milliseconds(2_000))
        #expect(LabDuration.minutes(2) == .seconds(120))
        #expect(LabDuration.milliseconds(1_500).seconds == 1.5)
        #expect(LabDuration.zero.nanoseconds == 0)
        #expect(LabDuration.seconds(1) < .seconds(2) && !(LabDuration.seconds(2) < .seconds(2)))
        #expect(LabDuration.unitNames == ["d", "h", "m", "s", "ms", "us", "ns"])
    }

    @Test(
        arguments: [
            (0, "0s"), (1, "1ns"), (1_001, "1001ns"), (1_000, "1us"), (1_500_000, "1500us"), (2_000_000, "2ms"),
            (90_000_000_000, "90s"), (60_000_000_000, "1m"), (3_600_000_000_000, "1h"), (86_400_000_000_000, "1d"),
            (-5_000_000_000, "-5s"), (-86_400_000_000_000, "-1d"),
        ] as [(Int64, String)])
    func `A duration is written with the longest unit that divides it, and read back`(nanoseconds: Int64, text: String)
    {
        let duration = LabDuration(nanoseconds: nanoseconds)
        #expect(duration.description == text)
        #expect(LabDuration(signed: text) == duration)
    }

    @Test(
        arguments: [
            ("0.5ms", 500_000), ("1.5m", 90_000_000_000), ("1.0000000004s", 1_000_000_000), ("0.0000000006s", 1),
            ("106751d", 9_223_286_400_000_000_000), ("106752d", nil), ("106751.999d", nil),
            ("9223372036854775807ns", Int64.max), ("9223372036854775808ns", nil),
        ] as [(String, Int64?)])
    func `Fractions are rounded to a nanosecond, and nothing beyond the range is read`(
        text: String, nanoseconds: Int64?
    ) {
        #expect(LabDuration(text)?.nanoseconds == nanoseconds)
        #expect(LabDuration(signed: "-" + text)?.nanoseconds == nanoseconds.map { -$0 })
    }

    @Test(arguments: ["--2s", "-", "+2s", "- 2s", ""]) func `One sign at most precedes a duration`(text: String) {
        #expect(LabDuration(signed: text) == nil)
    }

    @Test func `In JSON a duration is its text`() throws {
        #expect(try JSONValue(encoding: LabDuration.minutes(-2)) == "-2m")
        #expect(try JSONValue.string("-2m").decode(LabDuration.self) == .minutes(-2))
        for wrong in ["2", 2, nil] as [JSONValue] {
            #expect(throws: DecodingError.self) { try wrong.decode(LabDuration.self) }
        }
    }

    @Test(
        arguments: [
            (nil, 1), ("", 1), ("3", 3), ("2.5", 2.5), ("0.5", 1), ("-4", 1), ("inf", 1), ("nan", 1), ("ten", 1),
        ])
    func `It is the value of LAB_TIME_FACTOR, or 1 if that is not a number of at least 1`(
        text: String?, expected: Double
    ) {
        #expect(TimeFactor.factor(in: text.map { [TimeFactor.variable: $0] } ?? [:]) == expected)
    }

    @Test func `A limit is multiplied by it and stays representable`() {
        #expect(LabDuration.seconds(2).stretched(by: 2.5) == .seconds(5))
        #expect(LabDuration.minutes(100_000_000).stretched(by: 1000).nanoseconds == 1_000_000_000_000_000_000)
        #expect(LabDuration.seconds(1).stretched == LabDuration.seconds(1).stretched(by: TimeFactor.current))
    }
}
