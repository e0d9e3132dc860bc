// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import TestSupport
import Testing

@testable import LabTools

@Suite("lab stats", .endsInTime)
struct RunStatisticsTests {
    private static func event(
        _ milliseconds: UInt64, _ process: String, _ name: TraceEventName, _ fields: [String: JSONValue] = [:]
    ) -> TraceEvent {
        TraceEvent(time: milliseconds * 1_000_000, process: process, name: name, fields: fields)
    }

    @Test func `Starts and ends are paired per process, in each scenario separately`() {
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

    @Test func `Each event is counted or timed under its name, by its process and start of it`() throws {
        func fields(_ name: String, _ value: JSONValue) -> [String: JSONValue] { [name: value] }
        let trace: [TraceEvent] = [
            Self.event(0, "main", .processStarted), Self.event(20, "main", .processReady),
            Self.event(30, "main", .operationStarted, fields("type", "activation")),
            Self.event(31, "wallet", .operationStarted, fields("type", "activation")),
            Self.event(34, "main", .operationFinished, fields("type", "activation")),
            Self.event(41, "wallet", .operationFinished, fields("type", "activation")),
            Self.event(50, "main", .counterUsed, fields("factor", "possession")),
            Self.event(51, "main", .keychainWritten), Self.event(52, "main", .keychainWritten),
            Self.event(53, "phone", .linkAccepted, fields("kind", "transfer")),
            Self.event(54, "phone", .linkSent, fields("isRetransmission", false)),
            Self.event(55, "phone", .linkSent, fields("isRetransmission", true)),
            Self.event(56, "main", .faultFired, fields("point", "state.save")),
            Self.event(57, "phone", .processEnded, fields("signal", "SIGKILL")),
            Self.event(58, "phone", .processEnded), Self.event(59, "main", .httpRequest, fields("path", "/a")),
            // Another start of the process does not end what this one has begun.
            TraceEvent(
                time: 60_000_000, process: "main", incarnation: 2, name: .httpResponse, fields: fields("path", "/a")),
            Self.event(61, "main", .httpResponse, fields("path", "/b")),
        ]
        let statistics = RunStatistics(run: "r", traces: [trace, []])
        #expect(
            statistics.durations == [
                .init(name: "launch", count: 1, medianMilliseconds: 20, longestMilliseconds: 20),
                // Of an even number the lower one of the middle.
                .init(name: "operation activation", count: 2, medianMilliseconds: 4, longestMilliseconds: 10),
            ])
        #expect(
            statistics.counts == [
                .init(name: "faults fired at state.save", count: 1), .init(name: "keychain items written", count: 2),
                .init(name: "processes ended by SIGKILL", count: 1),
                .init(name: "signatures with possession", count: 1),
                .init(name: "watch messages accepted, transfer", count: 1),
                .init(name: "watch messages sent again", count: 1),
            ])
        let document = try JSONValue.parse(try statistics.json())
        #expect(document["version"] == 1 && document["run"] == "r" && document["scenarios"] == 2)
        #expect(document["durations"]?[1]?["longestMilliseconds"] == 10)
        #expect(document["counts"]?[1] == ["name": "keychain items written", "count": 2])
        let lines = statistics.text.split(separator: "\n").map(String.init)
        #expect(lines.first == "run r, 2 scenarios")
        #expect(lines.contains("  operation activation                       2    4.00 ms   10.00 ms"))
        #expect(lines.last == "  watch messages sent again                  1")
    }

    @Test func `A lock is waited for, then held`() {
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
