// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Hostile transport", .endsInTime)
struct HostileTransportTests {
    @Test func `Other methods are refused`() async throws {
        try await ServerFixture.forEach(DeviceCall.allCases, .v3_3) { rig in
            let call = rig.call
            let request = try await rig.request()
            for name in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"]
            where !call.methods.contains(name) {
                var other = request
                other.method = try #require(HTTPRequest.Method(name))
                try await other.send(rig.client).expect(.methodNotAllowed, name)
            }
            try await request.expectAccepted(rig.client)
        }
    }

    @Test func `Another content type is refused where JSON is read`() async throws {
        try await ServerFixture.forEach(DeviceCall.allCases, .v3_3) { rig in
            let call = rig.call
            for type in [
                "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/json-patch+json",
                "multipart/form-data; boundary=x", "*/*", "json", "application/json, text/plain", ";",
                String(repeating: "x", count: 100_000),
            ] where call.readsJSON {
                var request = try await rig.request()
                request.headers.append(("Content-Type", type))
                try await request.send(rig.client).expect(.unsupportedMediaType(.json), type.prefix(40) + "")
            }
            for type in ["application/json;charset=UTF-8", "Application/JSON ; q=1"]
                + (call.readsJSON ? [] : ["text/plain"])
            {
                guard ![.removeActivation, .commitUpgrade, .createActivation].contains(call) || type.hasSuffix("UTF-8")
                else { continue }
                var request = try await rig.request()
                request.headers.append(("Content-Type", type))
                try await request.expectAccepted(rig.client)
            }
        }
    }

    @Test(
        .verifies("security.md", "body-size"),
        .verifies("size", "ServerLimits.bodyBytes"))
    func `A body beyond the limit is refused before it is read`() async throws {
        try await ServerFixture.forEach(DeviceCall.allCases, .v3_3) { rig in
            var request = try await rig.request()
            let right = request.body
            request.body = Data(count: ServerLimits.bodyBytes + 1)
            try await request.send(rig.client).expect(.bodyTooLarge, "one byte too many")
            request.body = right
            try await request.expectAccepted(rig.client)
        }
    }

    @Test(
        arguments: [
            "/pa/v3/", "/pa/v3/activation", "/pa/v3/../v3/nothing", "/pa/v3/activation/create/more", "/pa/v2/status",
            "/pa/v5/status", "/PA/V3/STATUS", "/pa/v3/status%00", "/pa/v3/%2e%2e/v3/status", "/pa/v3/..%2fstatus",
            "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/pa/v3/status.json", "/secured/account/", "/exchange/v3",
            "/enrollment-server", "/%ff%fe", "/pa/v3/status/%",
        ])
    func `A path that leads nowhere has the enveloped 404`(path: String) async throws {
        try await ServerFixture.run { client in
            try await client.send(path, body: Data("{}".utf8)).expect(.notFound, path)
        }
    }

    @Test func `Empty components of a path mean nothing, whether it has a placeholder or none`() async throws {
        try await ServerFixture.run(.account, .v3_3) { rig in
            let client = rig.client
            for path in ["/pa/v3/status", "/pa//v3/status", "/pa/v3/status/", "/enrollment-server//pa/v3/status//"] {
                #expect(try await client.send(path, body: Data("{}".utf8)).status == 200, "\(path)")
            }
            for uri in ["/secured/account/42", "/secured//account/42", "/secured/account/42//"] {
                var request = try await rig.request()
                request.uri = "\(uri)?filter=\(uri)"
                try await request.send(client).expect(.authentication, uri)
            }
        }
    }

    @Test(arguments: ["%", "%zz", "%00", "..%2f..%2fetc", "%ff", "a%20b", "'", String(repeating: "a", count: 8_000)])
    func `The value of a placeholder is only a label`(text: String) async throws {
        try await ServerFixture.run(.account, .v3_3) { rig in
            var request = try await rig.request()
            request.uri = "/secured/account/\(text)?filter=all"
            try await request.send(rig.client).expect(.authentication, text)
            request.uri = "/secured/account/42?filter=\(text)"
            try await request.send(rig.client).expect(.authentication, "filter \(text)")
        }
    }

    @Test(arguments: [100_000, 1_000_000])
    func `A header of absurd length is refused, and ends its connection and nothing else`(length: Int) async throws {
        let fixture = try ServerFixture.deviceSide()
        try await fixture.listening { port in
            func request(_ headers: String) -> String {
                "POST /pa/v3/status HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(headers)\r\n{}"
            }
            let bystander = try RawConnection(port: port)
            let hostile = try RawConnection(port: port)
            let isWhole = try hostile.send(
                request("Content-Length: 2\r\n\(SignatureHeader.name): \(String(repeating: "A", count: length))\r\n"))
            let answer = try hostile.readToEnd()
            // An answer may be lost only when the server closed the connection while the header was still being sent.
            #expect(answer.hasPrefix("HTTP/1.1 4") || (answer.isEmpty && !isWhole), "\(answer.prefix(200))")
            try bystander.send(request("Content-Length: 2\r\nConnection: close\r\n"))
            #expect(try bystander.readToEnd().hasPrefix("HTTP/1.1 200 "))
        }
    }
}
