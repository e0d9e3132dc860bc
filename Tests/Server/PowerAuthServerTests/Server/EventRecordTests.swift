// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import LabCore
import LabSystem
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

/// The record of a server's event in the log of a server alone, in the trace of an instance and in the metrics.
@Suite("Records of events", .endsInTime)
struct EventRecordTests {
    /// An event, with its line of the log but time and operation, and its name and fields in the trace.
    struct Row: Sendable {
        let event: ServerEvent
        /// Nil where the log has no line.
        let log: JSONValue?
        let name: String
        let fields: JSONValue
        /// Whether the trace has the operation that caused it.
        var hasOperation = true
    }

    static let rows: [Row] = [
        Row(
            event: .started(port: 8080, applicationId: "lab"),
            log: ["event": "started", "port": 8080, "applicationId": "lab"], name: "process.ready",
            fields: ["port": 8080, "applicationId": "lab"], hasOperation: false),
        Row(event: .stopped, log: ["event": "stopped"], name: "process.ended", fields: nil, hasOperation: false),
        Row(
            event: .requestReceived(method: "POST", path: "/a"), log: nil, name: "server.request",
            fields: ["method": "POST", "path": "/a"]),
        Row(
            event: .requestAnswered(method: "POST", path: "/a", status: 401, milliseconds: 1.5),
            log: ["event": "request", "method": "POST", "path": "/a", "status": 401, "milliseconds": 1.5],
            name: "server.response", fields: ["method": "POST", "path": "/a", "status": 401, "milliseconds": 1.5]),
        Row(
            event: .requestRefused(path: "/b", code: "ERR", cause: "why"),
            log: ["event": "refused", "path": "/b", "code": "ERR", "cause": "why"], name: "server.refused",
            fields: ["path": "/b", "code": "ERR", "cause": "why"]),
        Row(
            event: .requestFaulted(path: "/c", fault: "slow", id: "fault-1"),
            log: ["event": "faulted", "path": "/c", "fault": "slow", "id": "fault-1"], name: "server.faulted",
            fields: ["path": "/c", "fault": "slow", "id": "fault-1"]),
        Row(
            event: .editFailed(path: "/c", cause: "why", id: "fault-1"),
            log: ["event": "unedited", "path": "/c", "cause": "why", "id": "fault-1"], name: "server.unedited",
            fields: ["path": "/c", "cause": "why", "id": "fault-1"]),
        Row(
            event: .activationChanged(activationId: "a-1", from: nil, to: .created, reason: nil),
            log: ["event": "activation", "activationId": "a-1", "from": nil, "to": "CREATED", "reason": nil],
            name: "server.activation",
            fields: ["activationId": "a-1", "from": nil, "to": "CREATED", "reason": nil]),
        Row(
            event: .activationChanged(activationId: "a-1", from: .active, to: .blocked, reason: "LOST"),
            log: ["event": "activation", "activationId": "a-1", "from": "ACTIVE", "to": "BLOCKED", "reason": "LOST"],
            name: "server.activation",
            fields: ["activationId": "a-1", "from": "ACTIVE", "to": "BLOCKED", "reason": "LOST"]),
        Row(
            event: .signatureVerified(
                activationId: "a-1", type: "POSSESSION", valid: true, counter: 7, failedAttempts: 2),
            log: nil, name: "server.signature",
            fields: ["activationId": "a-1", "type": "POSSESSION", "valid": true, "counter": 7, "failedAttempts": 2]),
        Row(
            event: .pushSent(id: "n-1", activationId: "a-1", type: "t", outcome: .accepted),
            log: ["event": "push", "id": "n-1", "activationId": "a-1", "type": "t", "outcome": "accepted"],
            name: "server.push", fields: ["id": "n-1", "activationId": "a-1", "type": "t", "outcome": "accepted"]),
        Row(
            event: .pushSent(id: "n-1", activationId: "a-1", type: nil, outcome: nil),
            log: ["event": "push", "id": "n-1", "activationId": "a-1", "type": nil, "outcome": nil],
            name: "server.push", fields: ["id": "n-1", "activationId": "a-1", "type": nil, "outcome": nil]),
    ]

    @Test func `The log has a line for what an operator wants to know, and none for the rest`() throws {
        let written = Mutex<[Data]>([])
        let log = RequestLog(clock: TestClock()) { lines in written.withLock { $0.append(lines) } }
        for row in Self.rows { log.record(row.event, operation: "op-1") }
        log.record(.stopped, operation: nil)
        let lines = try written.withLock { $0 }.map { try JSONValue.parse(Data($0.dropLast())) }
        let time: [String: JSONValue] = ["time": "2024-10-08T09:33:20.000+00:00"]
        let operation: [String: JSONValue] = ["operation": "op-1"]
        let expected = Self.rows.compactMap { $0.log?.objectValue }.map {
            JSONValue.object($0.merging(time) { $1 }.merging(operation) { $1 })
        }
        #expect(lines == expected + [.object(["event": "stopped"].merging(time) { $1 })])
    }

    @Test
    func `The trace of an instance has every event, with the declared fields and the operation that caused it`() throws
    {
        let directory = try TemporaryDirectory()
        let trace = try TraceWriter(directory: directory.path, process: "server", incarnation: 1)
        for row in Self.rows { InstanceJournal(trace: trace).record(row.event, operation: "op-1") }
        let lines = try String(contentsOfFile: trace.path, encoding: .utf8).split(separator: "\n").map {
            try JSONValue.parse(String($0))
        }
        try #require(lines.count == Self.rows.count)
        for (row, line) in zip(Self.rows, lines) {
            #expect(line["e"]?.stringValue == row.name)
            #expect((line["f"] ?? .null) == row.fields, "\(row.name)")
            #expect(line["op"]?.stringValue == (row.hasOperation ? "op-1" : nil), "\(row.name)")
        }
    }

    @Test func `A counter beyond the numbers of the trace is the greatest of them`() throws {
        let directory = try TemporaryDirectory()
        let trace = try TraceWriter(directory: directory.path, process: "server", incarnation: 1)
        let event = ServerEvent.signatureVerified(
            activationId: "a-1", type: "POSSESSION", valid: true, counter: .max, failedAttempts: 0)
        InstanceJournal(trace: trace).record(event, operation: nil)
        let line = try JSONValue.parse(String(contentsOfFile: trace.path, encoding: .utf8))
        #expect(line["f"]?["counter"]?.integerValue == .max)
    }

    @Test func `The page of the metrics counts what happened, by the labels of each`() {
        let metrics = ServerMetrics()
        for (status, milliseconds) in [(200, 250.0), (401, 500.0), (200, 6_000.0)] {
            metrics.record(
                .requestAnswered(method: "GET", path: "/a", status: status, milliseconds: milliseconds), operation: nil)
        }
        let events: [ServerEvent] = [
            .started(port: 1, applicationId: "lab"), .stopped, .requestReceived(method: "GET", path: "/a"),
            .requestFaulted(path: "/a", fault: "slow", id: "1"), .editFailed(path: "/a", cause: "why", id: "1"),
            .requestRefused(path: "/a", code: "ERR", cause: "why"),
            .activationChanged(activationId: "a", from: .active, to: .blocked, reason: nil),
            .activationChanged(activationId: "a", from: .blocked, to: .blocked, reason: nil),
            .pushSent(id: "n", activationId: "a", type: nil, outcome: .accepted),
            .pushSent(id: "n", activationId: "a", type: nil, outcome: nil),
        ]
        for event in events { metrics.record(event, operation: nil) }
        for isValid in [true, false, false] {
            metrics.record(
                .signatureVerified(activationId: "a", type: "t", valid: isValid, counter: 1, failedAttempts: 0),
                operation: nil)
        }
        #expect(
            metrics.text == """
                # HELP http_requests_total Answered requests.
                # TYPE http_requests_total counter
                http_requests_total{status="200"} 2
                http_requests_total{status="401"} 1
                # HELP http_request_duration_seconds Time from the head of a request to its answer.
                # TYPE http_request_duration_seconds histogram
                http_request_duration_seconds_bucket{le="0.001"} 0
                http_request_duration_seconds_bucket{le="0.0025"} 0
                http_request_duration_seconds_bucket{le="0.005"} 0
                http_request_duration_seconds_bucket{le="0.01"} 0
                http_request_duration_seconds_bucket{le="0.025"} 0
                http_request_duration_seconds_bucket{le="0.05"} 0
                http_request_duration_seconds_bucket{le="0.1"} 0
                http_request_duration_seconds_bucket{le="0.25"} 1
                http_request_duration_seconds_bucket{le="1.0"} 2
                http_request_duration_seconds_bucket{le="5.0"} 2
                http_request_duration_seconds_bucket{le="+Inf"} 3
                http_request_duration_seconds_sum 6.75
                http_request_duration_seconds_count 3
                # HELP powerauth_refusals_total Refused requests by code.
                # TYPE powerauth_refusals_total counter
                powerauth_refusals_total{code="ERR"} 1
                # HELP powerauth_signatures_total Checked signatures.
                # TYPE powerauth_signatures_total counter
                powerauth_signatures_total{valid="true"} 1
                powerauth_signatures_total{valid="false"} 2
                # HELP powerauth_activations_total Activations that came into a status.
                # TYPE powerauth_activations_total counter
                powerauth_activations_total{status="BLOCKED"} 1
                # HELP powerauth_pushes_total Notifications by outcome.
                # TYPE powerauth_pushes_total counter
                powerauth_pushes_total{outcome="accepted"} 1
                powerauth_pushes_total{outcome="kept"} 1

                """)
    }

    @Test func `A request that took exactly as long as a bound counts within it`() {
        let metrics = ServerMetrics()
        for milliseconds in [1, 2.5, 5, 10, 25, 50, 100, 250, 1_000, 5_000] {
            metrics.record(
                .requestAnswered(method: "GET", path: "/a", status: 200, milliseconds: milliseconds), operation: nil)
        }
        let counts = metrics.text.split(separator: "\n").filter { $0.contains("_bucket{") }.compactMap { line in
            line.split(separator: " ").last.flatMap { Int($0) }
        }
        #expect(counts == Array(1...10) + [10])
    }
}

@Suite("The buffer of the log", .endsInTime)
struct LineBufferTests {
    @Test(.verifies("size", "LineBuffer.capacity"))
    func `A line is written at once; lines added during a write do not wait and are written together`() async throws {
        try await onThread {
            let written = Mutex<[String]>([])
            let (isWriting, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let isSlow = Mutex(false)
            let buffer = LineBuffer { lines in
                if isSlow.withLock({ $0 }) {
                    isSlow.withLock { $0 = false }
                    isWriting.signal()
                    mayGoOn.wait()
                }
                written.withLock { $0.append(String(decoding: lines, as: UTF8.self)) }
            }
            buffer.add("one\n".utf8)
            #expect(written.withLock { $0 } == ["one\n"])
            isSlow.withLock { $0 = true }
            let isDone = DispatchSemaphore(value: 0)
            _ = runOnThread(name: "slow writer", stackSize: 1 << 20) {
                buffer.add("two\n".utf8)
                isDone.signal()
            }
            isWriting.wait()
            buffer.add("three\n".utf8)
            buffer.add("four\n".utf8)
            #expect(written.withLock { $0 } == ["one\n"])
            mayGoOn.signal()
            isDone.wait()
            #expect(written.withLock { $0 } == ["one\n", "two\n", "three\nfour\n"])
        }
    }
}
