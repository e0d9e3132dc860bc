// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Hostile headers", .ends(withinSeconds: 600))
struct HostileHeaderTests {
    @Test func `A header that cannot be read is refused and counts nothing`() async throws {
        try await ServerFixture.forEach(DeviceCall.withHeader, .v3_3) { rig in
            let call = rig.call
            let before = try await rig.trace()
            let counter = rig.device.counter
            let names = try await rig.request().headers.map(\.name)
            for (index, name) in names.enumerated() {
                let right = try await rig.request()
                for (what, value) in HostileHeaders.malformed(right.headers[index].value) {
                    // A token header that was read once is used up.
                    var request = names.count > 1 ? try await rig.request() : right
                    request.headers[index].value = value
                    try await request.send(rig.client).expect(call.failure(ofHeader: name), "\(name) with \(what)")
                }
                var missing = try await rig.request()
                missing.headers.remove(at: index)
                try await missing.send(rig.client).expect(call.failure(ofHeader: name), "no \(name)")
                var doubled = try await rig.request()
                doubled.headers.append(doubled.headers[index])
                try await doubled.send(rig.client).expect(call.failure(ofHeader: name), "two \(name)")
                var renamed = try await rig.request()
                renamed.headers[index].name = "Authorization"
                try await renamed.send(rig.client).expect(call.failure(ofHeader: name), "another name for \(name)")
            }
            #expect(try await rig.trace() == before)
            rig.device.counter = counter
            try await rig.expectAccepted()
        }
    }

    @Test(.verifies("rest-api.md", "B-5")) func `A header of the wrong scope is refused`() async throws {
        try await ServerFixture.forEach(
            DeviceCall.sealed.filter { [.sealed(.application), .sealed(.activation)].contains($0.form) }, .v3_3
        ) { rig in
            let call = rig.call
            let other = try await rig.request()
            var request = other
            let id = rig.device.activationId.isEmpty ? UUID().uuidString.lowercased() : rig.device.activationId
            let value = request.headers[0].value
            request.headers[0].value =
                value.contains("activation_id")
                ? value.replacing(/, activation_id="[^"]*"/, with: "") : "\(value), activation_id=\"\(id)\""
            try await request.send(rig.client).expect(call.failure(ofHeader: EncryptionHeader.name), "the other scope")
        }
    }

    @Test(.verifies("rest-api.md", "B-16", "B-19")) func `Unknown keys and identifiers are refused`() async throws {
        try await ServerFixture.forEach(
            DeviceCall.withHeader.filter { ![.token, .tokenAndSealed].contains($0.form) }, .v3_3
        ) { rig in
            let call = rig.call
            for name in ["application_key", "activation_id"] {
                var request = try await rig.request()
                let value = request.headers[0].value
                let stranger =
                    name == "activation_id" ? UUID().uuidString.lowercased() : StrictBase64.encode(Random.bytes(16))
                request.headers[0].value = value.replacing(
                    try Regex("\(name)=\"[^\"]*\""), with: "\(name)=\"\(stranger)\"")
                guard request.headers[0].value != value else { continue }
                try await request.send(rig.client).expect(call.refusal, "a strange \(name)")
            }
        }
    }

    /// Endpoints of one encrypted message whose header may be of either kind (rest-api.md, section 4.3).
    private static let annotated = [DeviceCall.createActivation, .userInfo, .exchangeActivation]

    @Test func `An authorization header stands before an encryption header`() async throws {
        try await ServerFixture.forEach(Self.annotated, .v3_3) { rig in
            let call = rig.call
            var request = try await rig.request()
            request.headers.append((SignatureHeader.name, "PowerAuth nonsense=\"1\""))
            try await request.send(rig.client).expect(
                call.closedFailure, "an unreadable authorization header beside it")
        }
    }
    @Test func `Beside a readable authorization header the encryption header does not matter`() async throws {
        try await ServerFixture.forEach(Self.annotated, .v3_3) { rig in
            var request = try await rig.request()
            let id = rig.device.activationId.isEmpty ? UUID().uuidString.lowercased() : rig.device.activationId
            let header = SignatureHeader(
                version: rig.version, activationId: id, applicationKey: rig.device.configuration.applicationKeyText,
                nonce: StrictBase64.encode(Random.nonZeroBytes(16)), signatureType: .possessionKnowledge,
                signature: StrictBase64.encode(Random.bytes(32)))
            request.headers[0].value = "PowerAuth nonsense=\"1\""
            request.headers.append((SignatureHeader.name, header.value))
            try await request.expectAccepted(rig.client)
        }
    }
}
