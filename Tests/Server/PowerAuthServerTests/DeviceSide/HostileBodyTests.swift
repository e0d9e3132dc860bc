// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Hostile bodies", .ends(withinSeconds: 600))
struct HostileBodyTests {
    @Test func `A body that cannot be read is refused, however well it is signed`() async throws {
        try await ServerFixture.forEach(DeviceCall.allCases.filter { !$0.takesAnyBody }, .v3_3) { rig in
            let call = rig.call
            let before = try await rig.trace()
            for (what, body) in HostileBodies.malformed {
                try await rig.send(Twist(body: body)).expect(call.closedFailure, what)
            }
            let after = try await rig.trace()
            #expect(after?.status == before?.status)
            // Only a signature over the plaintext is wrong if there is no plaintext.
            let counted = call.form == .signedThenSealed ? HostileBodies.malformed.count : 0
            #expect(after?.failedAttempts == before?.failedAttempts.map { $0 + counted })
            try await rig.expectAccepted()
        }
    }

    @Test func `A body that is not read does no harm, but is covered by a signature`() async throws {
        try await ServerFixture.forEach(DeviceCall.allCases.filter { $0.takesAnyBody }, .v3_3) { rig in
            let call = rig.call
            for (what, body) in HostileBodies.malformed {
                var request = try await rig.request()
                guard request.body != body else { continue }
                request.body = body
                let answer = try await request.send(rig.client)
                if call.form == .signed {
                    answer.expect(.authentication, what)
                } else {
                    #expect(answer.status == 200, "\(what) answered \(answer.code ?? "nothing")")
                }
            }
        }
    }

    @Test(.verifies("rest-api.md", "B-7")) func `Any signed bytes will do`() async throws {
        try await ServerFixture.forEach([DeviceCall.validateSignature, .login, .account], .v3_1) { rig in
            for (what, body) in HostileBodies.malformed {
                let answer = try await rig.send(Twist(body: body))
                #expect(answer.status == 200, "\(what)")
            }
        }
    }

    @Test(
        arguments: [
            (DeviceCall.activationStatus, "activationId"), (.activationStatus, "challenge"),
            (.removeToken, "tokenId"), (.createTemporaryKey, "jwt"),
        ])
    func `A field of the wrong type is refused`(call: DeviceCall, field: String) async throws {
        try await ServerFixture.run(call, .v3_3, isStrict: true) { rig in
            for (what, value) in HostileBodies.noText where !(value is String) || field == "challenge" || field == "jwt"
            {
                let answer = try await rig.send(
                    Twist(content: { object in
                        var query = object["requestObject"] as? [String: Any] ?? [:]
                        query[field] = value
                        object["requestObject"] = query
                    }))
                answer.expect(call.closedFailure, "\(field) with \(what)")
            }
        }
    }

    @Test(
        arguments: [
            (DeviceCall.renameActivation, "activationName", ErrorResponse.activation),
            (.unlockVault, "reason", .vault), (.confirmRecovery, "recoveryCode", .authentication),
            (.exchangeActivation, "data", .encryption), (.exchangeSigned, "data", .encryption),
            (.exchangeToken, "data", .encryption),
        ])
    func `An encrypted field of the wrong type is refused`(
        call: DeviceCall, field: String, failure: ErrorResponse
    ) async throws {
        try await ServerFixture.run(call, .v3_3) { rig in
            for (what, value) in HostileBodies.noText where !(value is String) {
                try await rig.send(Twist(content: { $0[field] = value })).expect(failure, "\(field) with \(what)")
            }
            for (what, body) in HostileBodies.malformed where !body.isEmpty {
                let answer = try await rig.send(Twist(plaintext: body))
                #expect(answer.status < 500, "\(what) answered \(answer.status)")
                // An object without the field, or with others, is an object.
                guard answer.status != 200 else { continue }
                answer.expect(failure, "\(what) encrypted")
            }
        }
    }

    @Test func `Any field of an activation may be of the wrong type`() async throws {
        try await ServerFixture.run(.createActivation, .v3_3) { rig in
            for (what, value) in HostileBodies.noText where !(value is String) {
                for field in ["type", "identityAttributes", "activationData"] {
                    try await rig.send(Twist(content: { $0[field] = value })).expect(
                        .activation, "\(field) with \(what)")
                }
                for field in ["devicePublicKey", "activationName", "extras", "platform", "deviceInfo", "activationOtp"]
                {
                    try await rig.send(Twist(inner: { $0[field] = value })).expect(.activation, "\(field) with \(what)")
                }
            }
            for depth in [100, 510, 600] {
                let answer = try await rig.send(
                    Twist(content: {
                        $0["customAttributes"] = (0..<depth).reduce([:] as [String: Any]) { inner, _ in ["a": inner] }
                        $0["type"] = "NONE"
                    }))
                answer.expect(.activation, "custom attributes \(depth) levels deep")
            }
            try await rig.expectAccepted()
        }
    }
}
