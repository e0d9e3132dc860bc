// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Dates in the back office", .endsInTime)
struct BackOfficeDateTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000+00:00"), (1_730_538_927_482, "2024-11-02T09:15:27.482+00:00"),
            (951_782_400_000, "2000-02-29T00:00:00.000+00:00"), (-1, "1969-12-31T23:59:59.999+00:00"),
            (4_102_444_799_999, "2099-12-31T23:59:59.999+00:00"),
        ] as [(Int64, String)])
    func `A moment is written in UTC and read back`(milliseconds: Int64, text: String) {
        #expect(BackOfficeDate(ServerTime(milliseconds: milliseconds)).text == text)
        #expect(BackOfficeDate(text: text)?.time.milliseconds == milliseconds)
    }

    @Test(
        arguments: [
            "2024-11-02T09:15:27.482Z", "2024-11-02T09:15:27.482+0000", "2024-11-02T10:15:27.482+01:00",
            "2024-11-02T04:45:27.482-0430", "1730538927482",
        ])
    func `Other forms of the same moment`(text: String) {
        #expect(BackOfficeDate(text: text)?.time.milliseconds == 1_730_538_927_482)
    }

    @Test(
        arguments: [
            "", "yesterday", "2024-13-02T09:15:27Z", "2024-11-02", "2024-11-02T09:15:27", "2024-11-02T25:00:00Z",
            "2024-02-31T09:15:27Z", "2023-02-29T09:15:27Z", "2024-04-31T09:15:27Z", "2100-02-29T09:15:27Z",
            "2024-00-02T09:15:27Z", "2024-11-00T09:15:27Z", "2024-11-32T09:15:27Z", "2024-11-02T24:00:00Z",
            "2024-11-02T09:60:27Z", "2024-11-02T09:15:60Z", "2024-11-02T09:15:27.Z", "2024-11-02T09:15:27.1234567890Z",
            "24-11-02T09:15:27Z", "2024-11-02 09:15:27Z", " 2024-11-02T09:15:27Z", "2024-11-02T09:15:27+1",
            "9223372036854775808", "2024-11-02T09:15:27+01:0", "2024-11-02T09:15:27ZZ", "2024-11-02T09:15:27+01:00Z",
            // Digits of other scripts, also where they would be read as zero.
            "2024-11-0\u{662}T09:15:27Z", "2024-11-02T09:15:27.4\u{668}2Z", "2024-11-02T09:15:27+0\u{661}:00",
        ])
    func `What is no moment`(text: String) {
        #expect(BackOfficeDate(text: text) == nil)
    }

    @Test(
        arguments: [
            (".1", 100), (".12", 120), (".123", 123), (".1239", 123), (".000999999", 0), (".999999999", 999),
        ] as [(String, Int64)])
    func `A fraction is cut to milliseconds`(text: String, milliseconds: Int64) {
        #expect(BackOfficeDate(text: "1970-01-01T00:00:00\(text)Z")?.time.milliseconds == milliseconds)
        #expect(BackOfficeDate(text: "1969-12-31T23:59:59\(text)Z")?.time.milliseconds == milliseconds - 1_000)
    }

    @Test func `Each part of a time and of a zone has its own weight`() {
        for (text, milliseconds) in [
            ("1970-01-01T23:59:59Z", 86_399_000), ("1970-01-01T01:00:00Z", 3_600_000),
            ("1970-01-01T00:01:00Z", 60_000), ("1970-01-01T00:00:01Z", 1_000),
            ("1970-01-01T00:00:00+00:01", -60_000), ("1970-01-01T00:00:00-00:01", 60_000),
            ("1970-01-01T00:00:00+01:00", -3_600_000), ("1970-01-01T00:00:00-23:59", 86_340_000),
        ] {
            #expect(BackOfficeDate(text: text)?.time.milliseconds == Int64(milliseconds), "\(text)")
        }
        let text = BackOfficeDate(ServerTime(milliseconds: 1_730_538_927_006)).text
        #expect(text == "2024-11-02T09:15:27.006+00:00")
    }

    @Test(arguments: 0..<8)
    func `The first and the last day of every month of eight centuries follow one another`(century: Int) {
        func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        func text(_ number: Int, _ width: Int) -> String {
            String(repeating: "0", count: width - "\(number)".count) + "\(number)"
        }
        // 1600-01-01, and then a century after another.
        var days = -135_140
        for year in 1_600..<(1_600 + century * 100) { days += isLeap(year) ? 366 : 365 }
        for year in (1_600 + century * 100)..<(1_700 + century * 100) {
            let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (index, length) in lengths.enumerated() {
                for (day, number) in [(1, days), (length, days + length - 1)] {
                    let time = ServerTime(milliseconds: Int64(number) * 86_400_000)
                    let date = "\(text(year, 4))-\(text(index + 1, 2))-\(text(day, 2))T00:00:00.000+00:00"
                    let isRead = BackOfficeDate(text: date)?.time == time
                    if !isRead || BackOfficeDate(time).text != date { Issue.record("\(date), day \(number)") }
                }
                days += length
            }
        }
    }

    @Test func `A moment is a text or a number of milliseconds in JSON, and nothing else`() throws {
        func read(_ text: String) throws -> Int64 {
            try JSONDecoder().decode(RequestedDate.self, from: Data(text.utf8)).time.milliseconds
        }
        #expect(try read("-5") == -5 && read("\"-5\"") == -5 && read("\"1970-01-01T00:00:01Z\"") == 1_000)
        for text in ["1.5", "true", "\"\"", "\"soon\"", "[]"] {
            #expect(throws: DecodingError.self, "\(text)") { try read(text) }
        }
    }
}
