// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Encrypted envelopes", .endsInTime)
struct EnvelopeTests {
    /// Sends an outer layer that decrypts to an invalid request: 400 in both cases, so only the journal shows whether
    /// the envelope was opened.
    private func cause(
        of answer: Answer, in fixture: ServerFixture
    ) -> String {
        guard
            case .requestRefused(_, _, let cause)? = fixture.journal.events.map(\.event).last(where: {
                if case .requestRefused = $0 { true } else { false }
            })
        else { return "" }
        return cause
    }

    private func send(
        _ request: EciesRequest, _ device: TestDevice, _ scope: TestDevice.Scope, extra: [String: Any] = [:]
    ) async throws -> Answer {
        var object = try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(request)) as? [String: Any])
        object.merge(extra) { $1 }
        return try await device.client.send(
            "/pa/v3/activation/create", headers: [EncryptionHeader.name: device.encryptionHeader(scope).value],
            body: JSONSerialization.data(withJSONObject: object))
    }

    @Test(
        .verifies("server.md", "B-44"), .verifies("rest-api.md", "B-3"),
        arguments: [ProtocolVersion.v3_2, .v3_3])
    func `An envelope is accepted once`(version: ProtocolVersion) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try TestDevice(client, version)
            let scope = try await device.applicationScope()
            let (request, _) = try device.seal(["type": "NONE"], scope, .applicationGeneric)
            let first = try await send(request, device, scope)
            #expect(cause(of: first, in: fixture).contains("activation type NONE"))
            let second = try await send(request, device, scope)
            #expect(cause(of: second, in: fixture).contains("replay"))
            #expect(first.body == second.body)
            client.clock.advance(milliseconds: 60_001)
            let late = try await send(request, device, scope)
            #expect(cause(of: late, in: fixture).contains("timestamp"))
        }
    }

    @Test func `A refused request that is encrypted and signed has the reason of the decryption in its cause`()
        async throws
    {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            var rig = try await DeviceRig(client, .exchangeSigned, .v3_3)
            let early = rig.client.timestamp - 60_001
            let answer = try await rig.send(Twist(envelope: { $0["timestamp"] = early }))
            answer.expect(.authentication, "a timestamp outside of the window")
            let found = cause(of: answer, in: fixture)
            #expect(found.hasPrefix("the envelope does not open: ERR0024 "), "\(found)")
            #expect(found.contains("timestamp \(early) is more than"), "\(found)")
            #expect(found.hasSuffix("; without it, signature does not match; 1 of 100000 failures"), "\(found)")
        }
    }

    // Every envelope brings a purge, which must spare what is still inside its window.
    @Test func `An envelope stays used to the last moment of its window, despite other requests`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try TestDevice(client, .v3_2)
            let scope = try await device.applicationScope()
            let (request, _) = try device.seal(["type": "NONE"], scope, .applicationGeneric)
            _ = try await send(request, device, scope)
            client.clock.advance(milliseconds: 60_000)
            let (other, _) = try device.seal(["type": "NONE"], scope, .applicationGeneric)
            _ = try await send(other, device, scope)
            #expect(cause(of: try await send(request, device, scope), in: fixture).contains("replay"))
        }
    }

    @Test(.verifies("size", "ServerPolicy.requestWindow"))
    func `An envelope from the future is refused, one within the window is not`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try TestDevice(client, .v3_2)
            let scope = try await device.applicationScope()
            client.clock.advance(milliseconds: 60_001)
            let (future, _) = try device.seal([:], scope, .applicationGeneric)
            client.clock.advance(milliseconds: -60_001)
            #expect(cause(of: try await send(future, device, scope), in: fixture).contains("timestamp"))
            client.clock.advance(milliseconds: 60_000)
            let (ahead, _) = try device.seal(["type": "NONE"], scope, .applicationGeneric)
            client.clock.advance(milliseconds: -60_000)
            #expect(cause(of: try await send(ahead, device, scope), in: fixture).contains("activation type"))
        }
    }

    @Test(arguments: ProtocolVersion.allCases)
    func `A changed bit is noticed before anything is decrypted`(version: ProtocolVersion) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try TestDevice(client, version)
            let scope = try await device.applicationScope()
            for part in [\EciesRequest.mac, \.encryptedData] {
                var (request, _) = try device.seal(["type": "NONE"], scope, .applicationGeneric)
                request[keyPath: part][0] ^= 1
                let answer = try await send(request, device, scope)
                #expect(answer.status == 400)
                #expect(answer.code == "ERR_ACTIVATION")
                #expect(cause(of: answer, in: fixture).contains("authentication code"))
            }
            var (request, _) = try device.seal([:], scope, .applicationGeneric)
            request.ephemeralPublicKey[5] ^= 1
            #expect(try await send(request, device, scope).status == 400)
        }
    }

    @Test(.verifies("rest-api.md", "B-2"), arguments: ProtocolVersion.allCases)
    func `Fields of another version are refused`(version: ProtocolVersion) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try TestDevice(client, version)
            let scope = try await device.applicationScope()
            var (request, _) = try device.seal([:], scope, .applicationGeneric)
            request.nonce = version.usesRequestNonce ? nil : Random.bytes(16)
            #expect(cause(of: try await send(request, device, scope), in: fixture).contains("nonce"))
            (request, _) = try device.seal([:], scope, .applicationGeneric)
            request.timestamp = version.usesTimestamp ? nil : client.timestamp
            #expect(cause(of: try await send(request, device, scope), in: fixture).contains("timestamp"))
            (request, _) = try device.seal([:], scope, .applicationGeneric)
            request.temporaryKeyId = version.usesTemporaryKey ? nil : UUID().uuidString.lowercased()
            #expect(cause(of: try await send(request, device, scope), in: fixture).contains("temporaryKeyId"))
        }
    }

    @Test func `Unknown keys are refused around and inside the outer layer`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try TestDevice(client, .v3_3)
            let scope = try await device.applicationScope()
            let (request, _) = try device.seal(["type": "NONE"], scope, .applicationGeneric)
            let around = try await send(request, device, scope, extra: ["more": 1])
            #expect(cause(of: around, in: fixture).contains("more"))
            let (inside, _) = try device.seal(["type": "NONE", "surprise": 1], scope, .applicationGeneric)
            let answer = try await send(inside, device, scope)
            #expect(answer.code == "ERR_ACTIVATION")
            #expect(cause(of: answer, in: fixture).contains("surprise"))
        }
    }

    @Test func `An activation id has no place in the header of an application request`() async throws {
        try await ServerFixture.run { client in
            let device = try TestDevice(client, .v3_3)
            let scope = try await device.applicationScope()
            let (request, _) = try device.seal([:], scope, .applicationGeneric)
            let header = EncryptionHeader(
                version: .v3_3, applicationKey: device.configuration.applicationKeyText,
                activationId: UUID().uuidString.lowercased())
            let answer = try await client.send(
                "/pa/v3/activation/create", headers: [EncryptionHeader.name: header.value],
                body: JSONEncoder().encode(request))
            #expect(answer.status == 400 && answer.code == "ERR_ACTIVATION")
        }
    }

    @Test(
        .verifies("server.md", "B-45"),
        .verifies("rest-api.md", "B-4"))
    func `A temporary key expires and serves its own scope only`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            var device = try await client.activeDevice()
            let scope = try await device.applicationScope()
            client.clock.advance(milliseconds: 300_001)
            let (late, _) = try device.seal([:], scope, .applicationGeneric)
            #expect(cause(of: try await send(late, device, scope), in: fixture).contains("expired"))

            let application = try await device.applicationScope()
            let activation = try await device.activationScope()
            let foreign = TestDevice.Scope(
                publicKey: application.publicKey, temporaryKeyId: application.temporaryKeyId,
                activationId: device.activationId, sharedInfo2: activation.sharedInfo2)
            let (request, _) = try device.seal([:], foreign, .createToken)
            let answer = try await device.sendSigned(
                "/pa/v3/token/create", uriId: "/pa/token/create", body: JSONEncoder().encode(request))
            #expect(answer.status == 401)
            #expect(cause(of: answer, in: fixture).contains("another scope"))
        }
    }

    @Test(.verifies("size", "ServerPolicy.temporaryKeyValidity"))
    func `A temporary key decrypts to the last moment of its time`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try TestDevice(client, .v3_3)
            let scope = try await device.applicationScope()
            client.clock.advance(milliseconds: 300_000)
            let (last, _) = try device.seal(["type": "NONE"], scope, .applicationGeneric)
            #expect(cause(of: try await send(last, device, scope), in: fixture).contains("activation type NONE"))
        }
    }

    @Test(.verifies("rest-api.md", "B-4"))
    func `A temporary key of one activation decrypts nothing for another`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            var device = try await client.activeDevice()
            let own = try await device.activationScope()
            let other = try await client.activeDevice().activationScope()
            let mixed = TestDevice.Scope(
                publicKey: other.publicKey, temporaryKeyId: other.temporaryKeyId, activationId: own.activationId,
                sharedInfo2: own.sharedInfo2)
            let (request, _) = try device.seal([:], mixed, .createToken)
            let answer = try await device.sendSigned(
                "/pa/v3/token/create", uriId: "/pa/token/create", body: JSONEncoder().encode(request))
            #expect(answer.status == 401)
            #expect(cause(of: answer, in: fixture).contains("another scope"))
        }
    }

    @Test(.verifies("server.md", "B-46"))
    func `Temporary keys are given to active and blocked activations that prove themselves`() async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate()
            var device = try TestDevice(client, .v3_3)
            try await device.activate(code: code)
            func request(_ jwt: String) async throws -> Answer {
                try await client.send(
                    "/pa/v3/keystore/create", body: JSONEncoder().encode(["requestObject": ["jwt": jwt]]))
            }
            let pending = try await request(device.temporaryKeyRequest(activation: true).jwt)
            #expect(pending.status == 400)
            #expect(pending.code == "ERR_TEMPORARY_KEY")
            #expect(pending.text("message") == "POWER_AUTH_TEMPORARY_KEY_FAILURE")
            try await client.backOffice("activation/commit", ["activationId": id]).expectOK()
            #expect(try await request(device.temporaryKeyRequest(activation: true).jwt).status == 200)
            try await client.backOffice("activation/block", ["activationId": id]).expectOK()
            #expect(try await request(device.temporaryKeyRequest(activation: true).jwt).status == 200)
            try await client.backOffice("activation/remove", ["activationId": id]).expectOK()
            #expect(try await request(device.temporaryKeyRequest(activation: true).jwt).status == 400)

            let secret = try ApplicationSecretKey(Random.bytes(16))
            let forged = try TemporaryKeyRequest(applicationKey: device.configuration.applicationKeyText)
                .jwt(key: TemporaryKeyRequest.signingKey(secret))
            #expect(try await request(forged).code == "ERR_TEMPORARY_KEY")
            #expect(try await request("a.b.c").code == "ERR_TEMPORARY_KEY")
            #expect(try await request("").code == "ERR_TEMPORARY_KEY")
        }
    }

    @Test(.verifies("size", "TemporaryKeyService.expiryTolerance"))
    func `A temporary-key request that says it is over is refused`() async throws {
        try await ServerFixture.run { client in
            let configuration = try #require(client.configuration)
            func answer(expires: any Sendable) async throws -> Int {
                let claims: [String: Any] = [
                    "applicationKey": configuration.applicationKeyText, "challenge": "Y2hhbGxlbmdl", "exp": expires,
                ]
                let jwt = JWT.signed(
                    claims: try JSONSerialization.data(withJSONObject: claims),
                    key: TemporaryKeyRequest.signingKey(try ApplicationSecretKey(configuration.applicationSecret)))
                return try await client.send(
                    "/pa/v3/keystore/create", body: JSONEncoder().encode(["requestObject": ["jwt": jwt]])
                ).status
            }
            let now = client.clock.now().seconds
            #expect(try await answer(expires: now + 300) == 200)
            #expect(try await answer(expires: now - 59) == 200)
            #expect(try await answer(expires: now - 60) == 200)
            #expect(try await answer(expires: now - 61) == 400)
            // A value that is not a number is refused.
            let texts: [any Sendable] = ["\(now - 1_000)", "never", [now], ["exp": now], true, 1e300]
            for wrong in texts { #expect(try await answer(expires: wrong) == 400, "\(wrong)") }
        }
    }

    @Test func `The header of a temporary-key request may leave out its type, and no type but JWT is accepted`()
        async throws
    {
        try await ServerFixture.run { client in
            let configuration = try #require(client.configuration)
            let key = TemporaryKeyRequest.signingKey(try ApplicationSecretKey(configuration.applicationSecret))
            let claims = #"{"applicationKey":"\#(configuration.applicationKeyText)","challenge":"Y2hhbGxlbmdl"}"#
            func isAccepted(_ header: String) async throws -> [Bool] {
                let input = [header, claims].map { Base64URL.encode(Data($0.utf8)) }.joined(separator: ".")
                let signature = Base64URL.encode(Digest.hmacSHA256(key: key, data: Data(input.utf8)))
                let jwt = "\(input).\(signature)"
                let device = try await client.send(
                    "/pa/v3/keystore/create", body: JSONEncoder().encode(["requestObject": ["jwt": jwt]]))
                let tool = try await client.backOffice("keystore/create", ["jwt": jwt])
                return [device.status == 200, tool.status == 200]
            }
            for header in [#"{"alg":"HS256"}"#, #"{"alg":"HS256","typ":"jwt"}"#, #"{"typ":"JWT","alg":"HS256"}"#] {
                #expect(try await isAccepted(header) == [true, true], "\(header)")
            }
            for header in [
                #"{"alg":"HS512"}"#, #"{"alg":"none"}"#, #"{"alg":"ES256"}"#, #"{"typ":"JWT"}"#, "{}",
                #"{"alg":"HS256","typ":"JOSE"}"#, #"{"alg":"HS256","typ":""}"#, #"{"alg":"HS256","typ":1}"#,
            ] { #expect(try await isAccepted(header) == [false, false], "\(header)") }
        }
    }
}
