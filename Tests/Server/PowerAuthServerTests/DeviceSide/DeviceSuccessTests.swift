// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Successes of device endpoints", .endsInTime)
struct DeviceSuccessTests {
    @Test(.verifies("rest-api.md", "B-1"), arguments: ProtocolVersion.allCases)
    func `A right request is answered`(version: ProtocolVersion) async throws {
        try await ServerFixture.forEach(DeviceCall.allCases.filter { $0.versions.contains(version) }, version) { rig in
            let call = rig.call
            let request = try await rig.request()
            let answer = try await request.send(rig.client)
            try #require(answer.status == 200, "\(call) answered \(answer.code ?? "nothing")")
            let opened = try request.open(answer)
            let content = opened["responseObject"] ?? opened
            #expect(Set(content.objectValue.map { Array($0.keys) } ?? []) == call.answerKeys(version), "\(call)")
            if DeviceCall.sealed.contains(call) {
                let envelope = try JSONValue.parse(answer.body).objectValue ?? [:]
                let fields =
                    version.usesTimestamp ? ["encryptedData", "mac", "nonce", "timestamp"] : ["encryptedData", "mac"]
                #expect(Set(envelope.keys) == Set(fields))
            }
        }
    }

    @Test(
        .verifies("rest-api.md", "B-12"),
        arguments: ProtocolVersion.allCases)
    func `A signature is validated with other methods`(version: ProtocolVersion) async throws {
        try await ServerFixture.run(.validateSignature, version) { rig in
            for method in ["GET", "PUT", "DELETE"] {
                let body = method == "GET" ? Data() : Data("any bytes".utf8)
                let header = try rig.device.signature(method: method, uriId: rig.call.uriId, body: body)
                let answer = try await rig.client.send(
                    rig.call.uri, method: try #require(HTTPRequest.Method(method)),
                    fields: [(SignatureHeader.name, header.value)], body: body)
                #expect(answer.status == 200 && answer.envelopeStatus == "OK", "\(method)")
            }
        }
    }

    @Test func `The other mount point answers alike`() async throws {
        try await ServerFixture.forEach(DeviceCall.allCases, .v3_3) { rig in
            var request = try await rig.request()
            request.uri = "/enrollment-server" + request.uri
            try await request.expectAccepted(rig.client)
        }
    }

    @Test(.verifies("server.md", "B-43"), .verifies("rest-api.md", "B-6"))
    func `A point is taken as transmitted`() async throws {
        try await ServerFixture.forEach(DeviceCall.sealed, .v3_1) { rig in
            let call = rig.call
            let request = try await rig.request(
                Twist(envelope: { envelope in
                    let text = envelope["ephemeralPublicKey"] as? String ?? ""
                    let point = StrictBase64.decode(text).flatMap { try? PublicKey(encoded: $0) }
                    envelope["ephemeralPublicKey"] = point.map { StrictBase64.encode($0.uncompressed) }
                }))
            // Keys and code cover the bytes as transmitted, so the same point in another encoding is another message.
            try await request.send(rig.client).expect(call.closedFailure, "a re-encoded point")
        }
    }
}

/// The tables of this directory know every device endpoint, and every failure of each.
@Suite("Coverage of device endpoints", .endsInTime)
struct DeviceCoverageTests {
    /// Those of protocol 4 have a table of their own, `DeviceCallV4`.
    private static func routed() throws -> [Endpoint] {
        try ServerFixture.deviceSide().server.endpoints.filter {
            $0.face == .device && !$0.path.hasPrefix("/pa/v4/")
        }
    }

    @Test func `Every device route has its tests`() throws {
        let routed = try Self.routed()
        #expect(Set(routed.map(\.path)) == Set(DeviceCall.allCases.map(\.rawValue)))
        #expect(routed.count == DeviceCall.allCases.count)
        for endpoint in routed {
            let call = try #require(DeviceCall(rawValue: endpoint.path))
            #expect(endpoint.methods == call.methods, "\(call.rawValue)")
            #expect((endpoint.bodyType == .json) == call.readsJSON, "\(call.rawValue)")
            #expect(!call.versions.isEmpty)
        }
    }

    @Test func `The server declares the failures that are documented`() throws {
        for endpoint in try Self.routed() {
            let call = try #require(DeviceCall(rawValue: endpoint.path))
            let declared = ([endpoint.fallback] + endpoint.otherFailures).filter { $0 != .unexpected }
            #expect(Set(declared.map { $0.code(on: .device) }) == Set(call.documented.map { $0.code(on: .device) }))
        }
    }

    @Test(arguments: DeviceCall.allCases) func `Every documented failure has a row`(call: DeviceCall) {
        let failures =
            DeviceErrorRow.all.filter { $0.call == call }.map(\.failure)
            + DeviceErrorRow.elsewhere.filter { $0.call == call }.map(\.failure)
        #expect(Set(failures.map { $0.code(on: .device) }) == Set(call.documented.map { $0.code(on: .device) }))
    }
}
