import Foundation
import HTTPTypes
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Hostile transport", .endsInTime)
struct HostileTransportTests {
    @Test("Other methods are refused")
    func otherMethodsAreRefused() async throws {
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

    @Test("Another content type is refused where JSON is read")
    func anotherContentTypeIsRefused() async throws {
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

    @Test("A body beyond the limit is refused before it is read")
    func aBodyBeyondTheLimitIsRefused() async throws {
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
        "A path that leads nowhere has the enveloped 404",
        arguments: [
            "/pa/v3/", "/pa/v3/activation", "/pa/v3/../v3/nothing", "/pa/v3/activation/create/more", "/pa/v2/status",
            "/pa/v4/status", "/PA/V3/STATUS", "/pa/v3/status%00", "/pa/v3/%2e%2e/v3/status", "/pa/v3/..%2fstatus",
            "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/pa/v3/status.json", "/secured/account/", "/exchange/v3",
            "/enrollment-server", "/%ff%fe", "/pa/v3/status/%",
        ])
    func aPathThatLeadsNowhereHas(path: String) async throws {
        try await ServerFixture.run { client in
            try await client.send(path, body: Data("{}".utf8)).expect(.notFound, path)
        }
    }

    @Test(
        "The value of a placeholder is only a label",
        arguments: ["%", "%zz", "%00", "..%2f..%2fetc", "%ff", "a%20b", "'", String(repeating: "a", count: 8_000)])
    func whatStandsForAPlaceholder(text: String) async throws {
        try await ServerFixture.run(.account, .v3_3) { rig in
            var request = try await rig.request()
            request.uri = "/secured/account/\(text)?filter=all"
            try await request.send(rig.client).expect(.authentication, text)
            request.uri = "/secured/account/42?filter=\(text)"
            try await request.send(rig.client).expect(.authentication, "filter \(text)")
        }
    }
}
