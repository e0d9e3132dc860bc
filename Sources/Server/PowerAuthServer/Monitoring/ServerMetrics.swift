// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import Synchronization

/// Resources for operators and their tools: `/health`, `/metrics` and `/openapi.json`; and the same where the framework
/// of the original has them, below every context path (server.md, section 1).
struct MonitoringEndpoints: Sendable {
    let context: ServiceContext
    let names: ServerNames
    let metrics: ServerMetrics
    /// Everything the document describes.
    let described: [Endpoint]

    /// What the original's framework reports about a program.
    private struct Info: Encodable {
        struct Build: Encodable {
            let name: String
            let time = BackOfficeDate(ServerVersion.buildTime)
            let version: String
        }
        let build: Build
    }

    private static let metricsType = "text/plain; version=0.0.4; charset=utf-8"

    var endpoints: [Endpoint] {
        [
            .lab("/health", methods: ["GET"], answer: health),
            .page("/metrics", type: Self.metricsType) { metrics.text },
            .lab("/openapi.json", methods: ["GET"], answer: describe),
        ] + ofFramework.map { $0.everywhere() }
    }

    /// Those of Spring Boot.
    private var ofFramework: [Endpoint] {
        [
            .lab("/actuator/health", methods: ["GET"], answer: health),
            .lab("/actuator/info", methods: ["GET"]) { request in
                let version = ServerVersion.reported(at: request.mountPoint)
                return try .ok(Info(build: .init(name: names.name, version: version)))
            },
            .page("/actuator/prometheus", type: Self.metricsType) { metrics.text },
            .lab("/v3/api-docs", methods: ["GET"], answer: describe),
        ]
    }

    @Sendable private func health(_ request: ServerRequest) throws -> ServerResponse {
        // A server whose database does not answer is not healthy.
        _ = try context.read(ApplicationStore.all)
        return try .ok(["status": "UP"])
    }

    /// Of the resources below the context path of the request. Built on request: most servers never return it.
    @Sendable private func describe(_ request: ServerRequest) throws -> ServerResponse {
        let all = described + endpoints
        let document = OpenAPIDocument(
            endpoints: all.filter { $0.mountPoints.contains(request.mountPoint) }, mountPoint: request.mountPoint)
        return try .ok(document.json)
    }
}

/// Counts what happens, in the text format of Prometheus (version 0.0.4).
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class ServerMetrics: ServerJournal {
    private struct State {
        /// By status code.
        var requests: [Int: Int] = [:]
        /// Cumulative, one for each bound and one for everything.
        var buckets = [Int](repeating: 0, count: ServerMetrics.bounds.count + 1)
        var seconds = 0.0
        var refusals: [String: Int] = [:]
        var signatures: [Bool: Int] = [:]
        /// By new status.
        var activations: [String: Int] = [:]
        /// By outcome.
        var pushes: [String: Int] = [:]
    }

    /// Upper bounds of request times in seconds.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

    private let state = Mutex(State())

    func record(_ event: ServerEvent, operation: String?) {
        state.withLock { state in
            switch event {
            case .requestAnswered(_, _, let status, let milliseconds):
                state.requests[status, default: 0] += 1
                state.seconds += milliseconds / 1_000
                let first = Self.bounds.firstIndex { milliseconds / 1_000 <= $0 } ?? Self.bounds.count
                for index in first..<state.buckets.count { state.buckets[index] += 1 }
            case .requestRefused(_, let code, _): state.refusals[code, default: 0] += 1
            case .signatureVerified(_, _, let valid, _, _, _): state.signatures[valid, default: 0] += 1
            case .activationChanged(_, let from, let to, _):
                if from != to { state.activations[to.name, default: 0] += 1 }
            case .pushSent(_, _, _, let outcome): state.pushes[outcome?.rawValue ?? "kept", default: 0] += 1
            case .started, .stopped, .requestReceived, .requestFaulted, .editFailed: break
            }
        }
    }

    /// The page that a collector reads.
    var text: String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        func family(_ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: String)]) {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind)"]
            lines += samples.map { "\(name)\($0.labels) \($0.value)" }
        }
        func counter<Key: Comparable>(_ name: String, _ help: String, _ label: String, _ counts: [Key: Int]) {
            family(
                name, "counter", help,
                counts.sorted { $0.key < $1.key }.map { ("{\(label)=\"\($0.key)\"}", "\($0.value)") })
        }
        counter("http_requests_total", "Answered requests.", "status", state.requests)
        let total = state.buckets[Self.bounds.count]
        let times = "http_request_duration_seconds"
        lines += ["# HELP \(times) Time from the head of a request to its answer.", "# TYPE \(times) histogram"]
        for (bound, count) in zip(Self.bounds, state.buckets) {
            lines.append("\(times)_bucket{le=\"\(bound)\"} \(count)")
        }
        lines += ["\(times)_bucket{le=\"+Inf\"} \(total)", "\(times)_sum \(state.seconds)", "\(times)_count \(total)"]
        counter("powerauth_refusals_total", "Refused requests by code.", "code", state.refusals)
        family(
            "powerauth_signatures_total", "counter", "Checked signatures.",
            [true, false].map { ("{valid=\"\($0)\"}", "\(state.signatures[$0] ?? 0)") })
        counter("powerauth_activations_total", "Activations that came into a status.", "status", state.activations)
        counter("powerauth_pushes_total", "Notifications by outcome.", "outcome", state.pushes)
        return lines.joined(separator: "\n") + "\n"
    }
}
