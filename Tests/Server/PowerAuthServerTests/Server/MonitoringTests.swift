// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Monitoring", .endsInTime)
struct MonitoringTests {
    @Test func `A server with a working database is healthy`() async throws {
        try await ServerFixture.run { client in
            let health = try await client.send("/health", method: .get)
            #expect(health.status == 200)
            #expect(try JSONValue.parse(health.body)["status"]?.stringValue == "UP")
        }
    }

    @Test(.verifies("security.md", "open-resources"))
    func `Metrics count requests, refusals, signatures and activations`() async throws {
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

    @Test(.verifies("security.md", "open-resources"))
    func `The description names every route and nothing else`() async throws {
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
            for (prefix, title) in [
                ("/pa/", "Mobile API"), ("/rest/v3/", "Back office"), ("/api/auth/token/", "Mobile Token API"),
                ("/lab/", "Lab and operations"),
            ] {
                let tags = (document["paths"]?.objectValue ?? [:]).filter { $0.key.hasPrefix(prefix) }
                    .flatMap { $0.value.objectValue.map { $0.values.compactMap { $0["tags"] } } ?? [] }
                #expect(!tags.isEmpty && tags.allSatisfy { $0 == [.string(title)] }, "\(prefix): \(Set(tags))")
            }
            #expect(routed.contains("POST /pa/v3/activation/create"))
            #expect(routed.contains("POST /rest/v3/activation/init"))
        }
    }

    @Test func `Every reference of the description has a target, and every operation its own name`() throws {
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

    @Test func `Every described route answers at every mount point`() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            for endpoint in fixture.server.endpoints {
                for mountPoint in endpoint.mountPoints {
                    let path = mountPoint + endpoint.path.replacing(/\{[a-z]+\}/, with: "x")
                    let answer = try await client.send(path, method: .patch)
                    #expect(answer.status == 405, "\(path) answered \(answer.status)")
                    // RFC 9110, section 15.5.6.
                    #expect(answer.allow == endpoint.methods.sorted().joined(separator: ", "), "\(path)")
                }
            }
        }
    }

    @Test(.verifies("security.md", "open-resources"))
    func `Tools find health, build, metrics and description where the original has them, below every context path`()
        async throws
    {
        let fixture = try ServerFixture { $0.names.name = "bank" }
        try await fixture.run { client in
            for (mountPoint, version, ownPath, foreignPath) in [
                ("", "1.9.0", "/rest/v3/status", nil),
                ("/enrollment-server", "1.9.0", "/pa/v3/status", "/rest/v3/status"),
                ("/powerauth-java-server", "1.9.0", "/rest/v3/status", "/pa/v3/status"),
                ("/compat15/powerauth-java-server", "1.5.0", "/rest/v3/status", "/pa/v3/status"),
            ] as [(String, String, String, String?)] {
                func page(_ path: String) async throws -> String {
                    let answer = try await client.send(mountPoint + path, method: .get)
                    #expect(answer.status == 200, "\(mountPoint)\(path)")
                    return String(decoding: answer.body, as: UTF8.self)
                }
                #expect(try await page("/actuator/health") == #"{"status":"UP"}"#)
                let build = #"{"build":{"name":"bank","time":"2024-10-01T08:00:00.000+00:00","version":"\#(version)"}}"#
                #expect(try await page("/actuator/info") == build)
                #expect(try await page("/actuator/prometheus").contains("http_requests_total{status=\"200\"}"))
                let description = try JSONValue.parse(try await page("/v3/api-docs"))
                let paths = description["paths"]?.objectValue ?? [:]
                #expect(description["servers"] == [["url": .string(mountPoint.isEmpty ? "/" : mountPoint)]])
                #expect(paths[ownPath] != nil && paths["/actuator/health"] != nil, "\(mountPoint)")
                #expect(foreignPath.map { paths[$0] == nil } ?? true, "\(mountPoint)")
            }
            // What the lab has added is at the root alone.
            #expect(try await client.send("/powerauth-java-server/health", method: .get).status == 404)
        }
    }

    @Test(arguments: ["QUERY", "MADE-UP"])
    func `A method that is new to HTTP is refused like any other`(name: String) async throws {
        try await ServerFixture.run { client in
            let method = try #require(HTTPRequest.Method(name))
            let answer = try await client.send("/rest/v3/status", method: method)
            #expect(answer.status == 405 && answer.allow == "POST")
        }
    }

    @Test func `The description of the metrics says that they are text`() throws {
        let document = OpenAPIDocument(endpoints: try ServerFixture().server.endpoints).json
        let content = document["paths"]?["/metrics"]?["get"]?["responses"]?["200"]?["content"]?.objectValue
        #expect(content.map { Array($0.keys) } == ["text/plain; version=0.0.4; charset=utf-8"])
    }

    @Test func `The request log has one JSON object a line`() throws {
        let lines = Recorder<Data>()
        let log = RequestLog(clock: TestClock()) { lines.add($0) }
        log.record(
            .requestAnswered(method: "POST", path: "/pa/v3/status", status: 200, milliseconds: 1.5), operation: "op-1")
        log.record(.requestReceived(method: "POST", path: "/pa/v3/status"), operation: nil)
        let written = lines.all
        #expect(written.count == 1)
        #expect(written[0].last == UInt8(ascii: "\n"))
        let line = try JSONValue.parse(written[0].dropLast())
        #expect(line["event"]?.stringValue == "request")
        #expect(line["status"]?.integerValue == 200)
        #expect(line["operation"]?.stringValue == "op-1")
        #expect(line["time"]?.stringValue == "2024-10-08T09:33:20.000+00:00")
    }

    @Test func `The request log contains no secret of an answered or refused request`() async throws {
        let (lines, clock) = (Recorder<Data>(), TestClock())
        let fixture = try ServerFixture(clock: clock, log: RequestLog(clock: clock) { lines.add($0) })
        try await fixture.run { client in
            let code = try await client.initiate([
                "activationOtp": "86420975", "activationOtpValidation": "ON_KEY_EXCHANGE",
            ]).code
            var stranger = try TestDevice(client, .v3_3)
            #expect(try await stranger.activate(code: "AAAAA-BBBBB-CCCCC-DDDDD").status == 400)
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code, otp: "86420975").status == 200)
            #expect(try await device.validateSignature(correct: false) == 401)
            #expect(try await device.validateSignature() == 200)
            let token = try await device.createToken()
            let header = try token.header(.v3_3, timestamp: client.timestamp)
            for _ in 0..<2 {
                _ = try await client.backOffice(
                    "token/validate",
                    [
                        "tokenId": header.tokenId, "tokenDigest": StrictBase64.encode(header.tokenDigest),
                        "nonce": StrictBase64.encode(header.nonce), "timestamp": header.timestampText,
                        "protocolVersion": "3.3",
                    ])
            }
            // Wrong in every place where a secret can stand: query, header, and bodies that cannot be read.
            let path = "/rest/v3/activation/init?secret=planted-query"
            _ = try await client.send(
                path, headers: ["Authorization": "Basic cGxhbnRlZDpoZWFkZXI=", "X-Secret": "planted-header"],
                body: Data(#"{"requestObject":{"userId":{"secret":"planted-body"}}}"#.utf8))
            _ = try await client.send(path, body: Data(#"{"requestObject": planted-garbage"#.utf8))
            _ = try await client.send("/pa/v3/signature/validate", headers: [SignatureHeader.name: "planted-signature"])

            let text = lines.all.map { String(decoding: $0, as: UTF8.self) }.joined()
            #expect(text.contains("/rest/v3/activation/init") && text.contains("\"refused\""))
            let keys = try #require(device.keys)
            let secrets =
                [
                    code, "AAAAA-BBBBB-CCCCC-DDDDD", "86420975", token.tokenSecret,
                    StrictBase64.encode(header.tokenDigest), device.configuration.applicationSecretText,
                    "cGxhbnRlZDpoZWFkZXI", "planted-",
                ] + [keys.possession.rawData, keys.knowledge.rawData, keys.transport.rawData].map(StrictBase64.encode)
            for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
        }
    }
}
