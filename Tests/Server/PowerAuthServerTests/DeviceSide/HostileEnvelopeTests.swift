// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Hostile envelopes", .ends(withinSeconds: 600))
struct HostileEnvelopeTests {
    private static let fields = ["ephemeralPublicKey", "encryptedData", "mac", "nonce", "timestamp", "temporaryKeyId"]
    /// Fields that older versions do not have; the vault and the upgrade have a failure for their absence.
    private static let newer: Set = ["nonce", "timestamp", "temporaryKeyId"]

    @Test func `A field that is missing or of the wrong type is refused`() async throws {
        try await ServerFixture.forEach(DeviceCall.sealed, .v3_3) { rig in
            let call = rig.call
            let before = try await rig.trace()
            for field in Self.fields {
                let absent = Self.newer.contains(field) ? call.missingFieldFailure : call.closedFailure
                try await rig.send(Twist(envelope: { $0[field] = nil })).expect(absent, "no \(field)")
                try await rig.send(Twist(envelope: { $0[field] = NSNull() })).expect(absent, "null for \(field)")
                for (what, value) in HostileBodies.noText where field != "timestamp" || !(value is Int) {
                    try await rig.send(Twist(envelope: { $0[field] = value })).expect(
                        call.closedFailure, "\(field) with \(what)")
                }
            }
            #expect(try await rig.trace()?.status == before?.status)
            try await rig.expectAccepted()
        }
    }

    @Test func `A timestamp outside the window is refused`() async throws {
        try await ServerFixture.forEach(DeviceCall.sealed, .v3_3) { rig in
            let call = rig.call
            let now = rig.client.timestamp
            let outside: [any Sendable] = [
                0, -1, 1, now - 60_001, now + 60_001, UInt64.max, Int64.max, 1e300, 0.5, "\(now)", Double(now) + 0.5,
            ]
            for timestamp in outside {
                try await rig.send(Twist(envelope: { $0["timestamp"] = timestamp })).expect(
                    call.closedFailure, "timestamp \(timestamp)")
            }
            // Inside the window the code covers it.
            try await rig.send(Twist(envelope: { $0["timestamp"] = now + 1 })).expect(
                call.closedFailure, "another timestamp")
        }
    }

    @Test(.verifies("rest-api.md", "B-6")) func `An invalid point is refused`() async throws {
        try await ServerFixture.forEach(DeviceCall.sealed, .v3_3) { rig in
            let call = rig.call
            for (what, point) in try HostileBodies.noPoints() {
                let text = StrictBase64.encode(point)
                try await rig.send(Twist(envelope: { $0["ephemeralPublicKey"] = text })).expect(
                    call.closedFailure, what)
            }
        }
    }

    @Test(arguments: [ProtocolVersion.v3_0, .v3_1, .v3_2, .v3_3])
    func `A cryptogram that is cut or changed is refused`(version: ProtocolVersion) async throws {
        let changes: [(what: String, field: String, change: @Sendable (Data) -> Data)] = [
            ("no cipher text", "encryptedData", { _ in Data() }),
            ("a byte less", "encryptedData", { $0.dropLast() }),
            ("a block less", "encryptedData", { $0.dropLast(16) }),
            ("a block more", "encryptedData", { $0 + Data(count: 16) }),
            ("its first bit", "encryptedData", { Data([$0[0] ^ 0x80]) + $0.dropFirst() }),
            ("no code", "mac", { _ in Data() }), ("half a code", "mac", { $0.prefix(16) }),
            ("a longer code", "mac", { $0 + [0] }), ("a code of zeros", "mac", { Data(count: $0.count) }),
            ("its last bit", "mac", { $0.dropLast() + [($0.last ?? 0) ^ 1] }),
            ("a short nonce", "nonce", { $0.dropLast() }), ("a long nonce", "nonce", { $0 + [0] }),
        ]
        try await ServerFixture.forEach(DeviceCall.sealed, version) { rig in
            let call = rig.call
            for (what, field, change) in changes where version.usesRequestNonce || field != "nonce" {
                let answer = try await rig.send(
                    Twist(envelope: { envelope in
                        let bytes = (envelope[field] as? String).flatMap { StrictBase64.decode($0) } ?? Data()
                        envelope[field] = StrictBase64.encode(Data(change(bytes)))
                    }))
                answer.expect(call.closedFailure, "\(field): \(what)")
            }
            try await rig.expectAccepted()
        }
    }

    @Test(arguments: [ProtocolVersion.v3_2, .v3_3])
    func `An envelope is accepted once, however often it is signed`(version: ProtocolVersion) async throws {
        try await ServerFixture.forEach(DeviceCall.sealed, version) { rig in
            let call = rig.call
            let first = try await rig.request()
            #expect(try await first.send(rig.client).status == 200)
            // A token header is used up as well, and refused before the envelope.
            let again: ErrorResponse = call.form == .tokenAndSealed ? .authentication : call.closedFailure
            try await first.send(rig.client).expect(again, "the same request")
            if call.form == .sealedThenSigned {
                try await rig.send(Twist(body: first.body)).expect(
                    call.closedFailure, "the same envelope, signed again")
            }
        }
    }

    @Test(.verifies("rest-api.md", "B-4"))
    func `A temporary key serves its scope, its activation and its time`() async throws {
        try await ServerFixture.forEach(DeviceCall.sealed, .v3_3) { rig in
            let call = rig.call
            for id in [
                UUID().uuidString.lowercased(), "x", "../1", "' OR 1=1 --", String(repeating: "a", count: 100_000),
            ] {
                try await rig.send(Twist(envelope: { $0["temporaryKeyId"] = id })).expect(
                    call.closedFailure, "a key \(id.prefix(40))")
            }
            let scope: EciesScope = call.form == .sealed(.application) ? .application : .activation
            let own = try await rig.keys(of: scope)
            if scope == .activation {
                let stranger = try await rig.client.activeDevice()
                let strange = try await stranger.activationScope()
                let application = try await rig.device.applicationScope()
                for (what, key) in [("another activation", strange), ("the application", application)] {
                    rig.scopes[scope] = TestDevice.Scope(
                        publicKey: key.publicKey, temporaryKeyId: key.temporaryKeyId, activationId: own.activationId,
                        sharedInfo2: own.sharedInfo2)
                    try await rig.send().expect(call.closedFailure, "the key of \(what)")
                }
            }
            rig.scopes[scope] = own
            rig.client.clock.advance(milliseconds: 300_001)
            // The code of an activation is over as well; either refusal is the same.
            try await rig.send().expect(call.closedFailure, "an expired key")
        }
    }

    /// Whether keys that the protocol does not know are ignored around the envelope (rest-api.md, section 2.3).
    @Test func `Unknown keys are ignored where the PowerAuth server reads`() async throws {
        try await ServerFixture.forEach(DeviceCall.sealed, .v3_3) { rig in
            let call = rig.call
            let answer = try await rig.send(Twist(envelope: { $0["surprise"] = 1 }))
            if [.sealedThenSigned].contains(call.form) || call == .startUpgrade {
                #expect(answer.status == 200, "answered \(answer.code ?? "nothing")")
            } else {
                answer.expect(call.closedFailure, "an unknown key")
            }
        }
    }

    /// A field of a newer version is unexpected in an older one, a missing one of its own likewise.
    @Test(
        .verifies("rest-api.md", "B-2"),
        arguments: [ProtocolVersion.v3_0, .v3_1, .v3_2])
    func `A field of a newer version is refused`(version: ProtocolVersion) async throws {
        try await ServerFixture.forEach(DeviceCall.sealed, version) { rig in
            let call = rig.call
            var foreign: [(field: String, value: any Sendable)] = [("temporaryKeyId", UUID().uuidString.lowercased())]
            if !version.usesRequestNonce { foreign.append(("nonce", StrictBase64.encode(Random.bytes(16)))) }
            if !version.usesTimestamp { foreign.append(("timestamp", rig.client.timestamp)) }
            for (field, value) in foreign {
                try await rig.send(Twist(envelope: { $0[field] = value })).expect(
                    call.closedFailure, "\(field) in \(version.rawValue)")
            }
        }
    }
}
