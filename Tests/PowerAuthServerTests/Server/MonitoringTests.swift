import Foundation
import HTTPTypes
import LabKit
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Monitoring", .endsInTime)
struct MonitoringTests {
    @Test("A server with a working database is healthy")
    func aServerWithAWorkingDatabase() async throws {
        try await ServerFixture.run { client in
            let health = try await client.send("/health", method: .get)
            #expect(health.status == 200)
            #expect(try JSONValue.parse(health.body)["status"]?.stringValue == "UP")
        }
    }

    @Test("Metrics count requests, refusals, signatures and activations")
    func metricsCountRequestsRefusals() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            #expect(try await device.validateSignature(correct: false) == 401)
            #expect(try await device.validateSignature() == 200)
            let page = String(decoding: try await client.send("/metrics", method: .get).body, as: UTF8.self)
            let lines = page.split(separator: "\n").map(String.init)
            #expect(lines.contains("http_requests_total{status=\"401\"} 1"))
            #expect(lines.contains("powerauth_refusals_total{code=\"ERR_AUTHENTICATION\"} 1"))
            #expect(lines.contains("powerauth_signatures_total{valid=\"true\"} 1"))
            #expect(lines.contains("powerauth_signatures_total{valid=\"false\"} 1"))
            #expect(lines.contains("powerauth_activations_total{status=\"ACTIVE\"} 1"))
            let total = lines.first { $0.hasPrefix("http_request_duration_seconds_count ") }
            let infinite = lines.first { $0.hasPrefix("http_request_duration_seconds_bucket{le=\"+Inf\"} ") }
            #expect(total?.split(separator: " ").last == infinite?.split(separator: " ").last)
        }
    }

    @Test("The description names every route and nothing else")
    func theDescriptionNamesEvery() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            let document = try JSONValue.parse(try await client.send("/openapi.json", method: .get).body)
            #expect(document["openapi"]?.stringValue == "3.1.0")
            let described = Set(
                (document["paths"]?.objectValue ?? [:]).flatMap { path, operations in
                    (operations.objectValue ?? [:]).keys.map { "\($0.uppercased()) \(path)" }
                })
            let routed = Set(
                fixture.server.endpoints.flatMap { endpoint in endpoint.methods.map { "\($0) \(endpoint.path)" } })
            #expect(described == routed)
            #expect(routed.contains("POST /pa/v3/activation/create"))
            #expect(routed.contains("POST /rest/v3/activation/init"))
        }
    }

    @Test("Every reference of the description has a target, and every operation its own name")
    func everyReferenceOfTheDescription() throws {
        let server = try ServerFixture { $0.hasLabPowers = true }.server
        let document = OpenAPIDocument(endpoints: server.endpoints).json
        let schemas = Set((document["components"]?["schemas"]?.objectValue ?? [:]).keys)
        var names: [String] = []
        func walk(_ value: JSONValue) {
            if let reference = value["$ref"]?.stringValue {
                #expect(schemas.contains(String(reference.dropFirst("#/components/schemas/".count))))
            }
            if let name = value["operationId"]?.stringValue { names.append(name) }
            value.objectValue?.values.forEach(walk)
            value.arrayValue?.forEach(walk)
        }
        walk(document)
        #expect(Set(names).count == names.count)
    }

    @Test("Every described route answers at every mount point")
    func everyDescribedRouteAnswers() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            for endpoint in fixture.server.endpoints {
                for mountPoint in endpoint.face.mountPoints {
                    let path = mountPoint + endpoint.path.replacing(/\{[a-z]+\}/, with: "x")
                    let answer = try await client.send(path, method: .patch)
                    #expect(answer.status == 405, "\(path) answered \(answer.status)")
                }
            }
        }
    }

    @Test("The request log has one JSON object a line and no secret")
    func theRequestLogHasOneJSONObject() async throws {
        let lines = Mutex<[Data]>([])
        let clock = TestClock()
        let log = RequestLog(clock: clock) { line in lines.withLock { $0.append(line) } }
        log.record(
            .requestAnswered(method: "POST", path: "/pa/v3/status", status: 200, milliseconds: 1.5), operation: "op-1")
        log.record(.requestReceived(method: "POST", path: "/pa/v3/status"), operation: nil)
        let written = lines.withLock { $0 }
        #expect(written.count == 1)
        #expect(written[0].last == UInt8(ascii: "\n"))
        let line = try JSONValue.parse(written[0].dropLast())
        #expect(line["event"]?.stringValue == "request")
        #expect(line["status"]?.integerValue == 200)
        #expect(line["operation"]?.stringValue == "op-1")
        #expect(line["time"]?.stringValue == "2024-10-08T09:33:20.000+00:00")
    }
}
