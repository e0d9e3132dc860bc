// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// The last value of a window is in it, and the next one is not (server.md, sections 8.4, 18.1 and 20.5).
@Suite("Sizes of windows", .endsInTime)
struct WindowSizeTests {
    /// The windows that the settings allow, with the default.
    static let lookAheads = [1, 2, ServerPolicy().lookAhead, 64]

    @Test(.verifies("size", "ServerPolicy.lookAhead"), arguments: lookAheads)
    func `A signature of the window's last counter is accepted, and the counters stay in step`(window: Int) async throws
    {
        let fixture = try ServerFixture { $0.policy.lookAhead = window }
        try await fixture.run { client in
            var device = try await client.activeDevice(.v3_3, ["maxFailureCount": 1_000])
            var counter: UInt64 = 0
            for lost in Set([0, 1, window - 2, window - 1]).filter({ 0..<window ~= $0 }).sorted() + [window - 1] {
                device.skip(lost)
                #expect(try await device.validateSignature() == 200, "\(lost) were lost")
                counter += UInt64(lost) + 1
                #expect(try counterOfServer(fixture, device) == counter)
                #expect(try await device.status()?.counter?.byte == UInt8(truncatingIfNeeded: counter))
                #expect(try await device.validateSignature() == 200, "the next one")
                counter += 1
            }
            for lost in [window, window + 1] {
                var other = device
                other.skip(lost)
                #expect(try await other.validateSignature() == 401, "\(lost) were lost")
            }
            #expect(try counterOfServer(fixture, device) == counter)
            #expect(try await device.validateSignature() == 200)
        }
    }

    @Test(arguments: lookAheads)
    func `An offline signature of the window's last counter is accepted`(window: Int) async throws {
        let fixture = try ServerFixture { $0.policy.lookAhead = window }
        try await fixture.run { client in
            var device = try await client.activeDevice(.v3_3, ["maxFailureCount": 1_000])
            var counter: UInt64 = 0
            for lost in [window - 1, 0, window - 1] {
                device.skip(lost)
                #expect(try await verifyOffline(&device) == true, "\(lost) were lost")
                counter += UInt64(lost) + 1
                #expect(try counterOfServer(fixture, device) == counter)
            }
            var other = device
            other.skip(window)
            #expect(try await verifyOffline(&other) == false)
            #expect(try await verifyOffline(&device) == true)
        }
    }

    private func counterOfServer(_ fixture: ServerFixture, _ device: TestDevice) throws -> UInt64? {
        try fixture.server.services.context.activation(Identifier(known: device.activationId))?.lifecycle.binding?
            .counter
    }

    private static let data = "POST&L2xvZ2lu&AAECAwQFBgcICQoLDA0ODw==&"

    /// - Parameter code: ends the body.
    private func verifyOffline(
        _ device: inout TestDevice, code: String? = nil, _ extra: Fields = [:]
    ) async throws -> Bool? {
        let signed =
            Self.data
            + (code.map { StrictBase64.encode(Data("body&\($0)".utf8)) } ?? StrictBase64.encode(Data("body".utf8)))
        let signature = try SymmetricSignature.signature(
            form: .decimal(length: 8),
            keys: SignatureKeys(#require(device.keys), factors: [.possession, .knowledge]), counter: device.counter,
            data: SymmetricSignature.appendSecret(SymmetricSignature.offlineSecretText, to: Data(signed.utf8)))
        let data = Self.data + StrictBase64.encode(Data("body".utf8))
        let fields: Fields = ["activationId": device.activationId, "data": data, "signature": signature]
        let isValid = try await device.client.backOffice("signature/offline/verify", fields.merging(extra) { $1 })
            .flag("signatureValid")
        if isValid == true { device.counter = device.counter.next() }
        return isValid
    }

    @Test(
        .verifies("size", "OfflineSignatureService.maximumStepCount"),
        arguments: [0, 1, 2, OfflineSignatureService.maximumStepCount])
    func `A one-time code of the last step that counts is accepted, and one of the step before is not`(count: Int)
        async throws
    {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(.v3_3, ["maxFailureCount": 1_000])
            let seed = Data(repeating: 3, count: 16)
            let check: Fields = ["seed": StrictBase64.encode(seed), "stepLength": 30, "stepCount": count]
            for (back, isGood) in [(0, true), (count, true), (count + 1, false), (-1, false), (count, true)] {
                let time = client.clock.now().seconds - Int64(back) * 30
                let code = try OneTimeCode.generate(seed: seed, time: UInt64(time), step: 30, digits: 8)
                #expect(
                    try await verifyOffline(&device, code: code, ["proximityCheck": check]) == isGood,
                    "\(back) steps back")
            }
        }
    }

    @Test(.verifies("size", "ProximityPolicy.previousSteps"), arguments: [0, 1, 2, 5])
    func `The code of an operation is good for the steps before that the settings allow`(count: Int) async throws {
        let fixture = try ServerFixture.mobileToken { $0.policy.proximity.previousSteps = count }
        try await fixture.run { client in
            for (back, isGood) in [(0, true), (count, true), (count + 1, false)] {
                let id = try await client.operation("login_pac")
                let code = try await client.detail(id).required("proximityOtp")
                client.clock.advance(milliseconds: Int64(back) * 30_000)
                let approved = try await client.approve(
                    id, ["data": "A2", "additionalData": ["proximity_otp": code] as Fields])
                #expect(approved.text("result") == (isGood ? "APPROVED" : "APPROVAL_FAILED"), "\(back) steps back")
            }
        }
    }

    @Test(.verifies("size", "ServerPolicy.offlineComponentLength"), arguments: 3...9)
    func `A digit more or less is no length of an offline signature`(length: Int) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let keys = SignatureKeys(try #require(device.keys), factors: [.possession, .knowledge])
            let signed = SymmetricSignature.appendSecret(SymmetricSignature.offlineSecretText, to: Data(Self.data.utf8))
            let form = SignatureForm.decimal(length: min(max(length, 4), 8))
            let signature = try SymmetricSignature.signature(
                form: form, keys: keys, counter: device.counter, data: signed)
            device.counter = device.counter.next()
            let answer = try await client.backOffice(
                "signature/offline/verify",
                [
                    "activationId": device.activationId, "data": Self.data, "signature": signature,
                    "componentLength": length,
                ])
            #expect(answer.flag("signatureValid") == ((4...8).contains(length) ? true : nil))
        }
    }
}
