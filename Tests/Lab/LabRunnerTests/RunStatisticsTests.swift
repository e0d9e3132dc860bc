import LabKit
import TestSupport
import Testing

@testable import LabRunner

@Suite("lab stats", .endsInTime)
struct RunStatisticsTests {
    private static func event(
        _ milliseconds: UInt64, _ process: String, _ name: TraceEventName, _ fields: [String: JSONValue] = [:]
    ) -> TraceEvent {
        TraceEvent(time: milliseconds * 1_000_000, process: process, name: name, fields: fields)
    }

    @Test("Starts and ends are paired per process, in each scenario separately")
    func pairs() {
        let path: [String: JSONValue] = ["path": "/pa/v3/status"]
        let first = [
            Self.event(0, "main", .httpRequest, path), Self.event(1, "wallet", .httpRequest, path),
            Self.event(5, "wallet", .httpResponse, path), Self.event(10, "main", .httpResponse, path),
            Self.event(11, "main", .httpRequest, path), Self.event(12, "main", .httpFailed, path),
            // It never ends.
            Self.event(13, "main", .httpRequest, path),
        ]
        let second = [
            Self.event(20, "main", .httpResponse, path), Self.event(30, "main", .httpRequest, path),
            Self.event(37, "main", .httpResponse, path),
        ]
        let statistics = RunStatistics(run: "r", traces: [first, second])
        #expect(
            statistics.durations == [
                .init(name: "request /pa/v3/status", count: 3, medianMilliseconds: 7, longestMilliseconds: 10)
            ])
        #expect(statistics.counts == [.init(name: "requests without an answer", count: 1)])
        #expect(statistics.scenarios == 2)
    }

    @Test("A lock is waited for, then held")
    func locks() {
        let lock: [String: JSONValue] = ["lock": "status"]
        let statistics = RunStatistics(
            run: "r",
            traces: [
                [
                    Self.event(0, "main", .lockRequested, lock), Self.event(2, "main", .lockTaken, lock),
                    Self.event(5, "main", .lockReleased, lock),
                ]
            ])
        #expect(
            statistics.text == """
                run r, 1 scenario
                                                count     median    longest
                  hold the status lock              1    3.00 ms    3.00 ms
                  wait for the status lock          1    2.00 ms    2.00 ms

                """)
    }
}
