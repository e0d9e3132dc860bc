import Foundation
import HTTPTypes
import LabKit
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Successes of device endpoints", .endsInTime)
struct DeviceSuccessTests {
    @Test("A right request is answered", arguments: ProtocolVersion.allCases)
    func aRightRequestIsAnswered(version: ProtocolVersion) async throws {
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

    @Test("A signature is validated with other methods", arguments: ProtocolVersion.allCases)
    func aSignatureIsValidatedWithOther(version: ProtocolVersion) async throws {
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

    @Test("The other mount point answers alike")
    func theOtherMountPointAnswers() async throws {
        try await ServerFixture.forEach(DeviceCall.allCases, .v3_3) { rig in
            var request = try await rig.request()
            request.uri = "/enrollment-server" + request.uri
            try await request.expectAccepted(rig.client)
        }
    }

    @Test("A point is taken as transmitted")
    func aPointIsTakenAsTransmitted() async throws {
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
