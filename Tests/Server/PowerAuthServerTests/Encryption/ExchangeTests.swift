// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Exchanges of an application's own", .endsInTime)
struct ExchangeTests {
    /// Encrypts raw bytes, sends them with the header that fits, and decrypts the answer.
    private func exchange(
        _ device: inout TestDevice, _ path: String, _ plaintext: Data, scope: EciesScope = .activation,
        type: SignatureType? = nil, uriId: String? = nil, correct: Bool = true
    ) async throws -> (answer: Answer, plaintext: Data?) {
        let keys = try await scope == .application ? device.applicationScope() : device.activationScope()
        let (request, decryptor) = try device.seal(
            plaintext, keys, scope == .application ? .applicationGeneric : .activationGeneric)
        var headers = [EncryptionHeader.name: device.encryptionHeader(keys).value]
        if let type {
            let header = try device.signature(uriId: uriId ?? path, body: plaintext, type: type, correct: correct)
            headers = [SignatureHeader.name: header.value]
        }
        let answer = try await device.client.send(path, headers: headers, body: JSONEncoder().encode(request))
        guard answer.status == 200 else { return (answer, nil) }
        return (answer, try decryptor.decrypt(JSONDecoder().decode(EciesResponse.self, from: answer.body)))
    }

    private let hello = Data("{\"data\":\"hello\"}".utf8)

    private func text(_ plaintext: Data?) throws -> String? {
        let object = try JSONSerialization.jsonObject(with: #require(plaintext)) as? [String: Any]
        return object?["data"] as? String
    }

    @Test(
        .verifies("rest-api.md", "B-7", "B-8"),
        arguments: ProtocolVersion.allCases)
    func `Encrypted requests of both scopes are answered encrypted`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(version)
            let application = try await exchange(&device, "/exchange/v3/application", hello, scope: .application)
            #expect(
                try text(application.plaintext)
                    == "Server successfully decrypted signed data: hello, scope: APPLICATION_SCOPE")
            let activation = try await exchange(&device, "/exchange/v3/activation", Data())
            #expect(
                try text(activation.plaintext)
                    == "Server successfully decrypted signed data: , scope: ACTIVATION_SCOPE")
        }
    }

    @Test(arguments: ProtocolVersion.allCases)
    func `Signed and encrypted requests are verified over the plaintext`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(version)
            let signed = try await exchange(&device, "/exchange/v3/signed", hello, type: .possessionKnowledge)
            #expect(
                try text(signed.plaintext)
                    == "Server successfully decrypted data and verified signature, request data: hello, user ID: alice")
            let bytes = Data(
                (0...0x270F).compactMap(Unicode.Scalar.init).map(Character.init).map(String.init).joined().utf8)
            let raw = try await exchange(&device, "/exchange/v3/signed/raw", bytes, type: .possessionBiometry)
            #expect(raw.plaintext == bytes)
            let string = try await exchange(
                &device, "/exchange/v3/signed/string", Data("\"abc\"".utf8), type: .possessionKnowledge)
            #expect(String(decoding: string.plaintext ?? Data(), as: UTF8.self).contains("request data: abc"))
            let generics = try await exchange(
                &device, "/exchange/v3/signed/generics", Data("{\"requestObject\":{\"data\":\"test-data\"}}".utf8),
                type: .possessionKnowledge)
            #expect(generics.plaintext == Data("{\"status\":\"OK\",\"responseObject\":{\"data\":\"test-data\"}}".utf8))
        }
    }

    @Test(.verifies("rest-api.md", "B-13"))
    func `Weak, wrong and misdirected signatures are refused alike`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let path = "/exchange/v3/signed"
            for refused in [
                try await exchange(&device, path, hello, type: .possession),
                try await exchange(&device, path, hello, type: .possessionKnowledge, correct: false),
                try await exchange(&device, path, hello, type: .possessionKnowledge, uriId: "/other"),
                try await exchange(&device, path, hello),
            ] {
                #expect(refused.answer.status == 401)
                #expect(refused.answer.code == "ERR_AUTHENTICATION")
            }
        }
    }

    @Test(.verifies("rest-api.md", "B-5")) func `The wrong scope does not open`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let toActivation = try await exchange(&device, "/exchange/v3/activation", hello, scope: .application)
            let toApplication = try await exchange(&device, "/exchange/v3/application", hello, scope: .activation)
            for refused in [toActivation, toApplication] {
                #expect(refused.answer.status == 400)
                #expect(refused.answer.code == "ERR_ENCRYPTION")
            }
            try await client.backOffice("activation/block", ["activationId": device.activationId]).expectOK()
            let blocked = try await exchange(&device, "/exchange/v3/activation", hello)
            #expect(blocked.answer.code == "ERR_ENCRYPTION")
        }
    }

    @Test func `A token of two factors opens what a token of one does not`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            for (type, status) in [(SignatureType.possessionKnowledge, 200), (.possession, 401)] {
                let token = try await device.createToken(type: type)
                let keys = try await device.activationScope()
                let (request, _) = try device.seal(hello, keys, .activationGeneric)
                let headers = [
                    EncryptionHeader.name: device.encryptionHeader(keys).value,
                    TokenHeader.name: try token.header(.v3_3, timestamp: client.timestamp).value,
                ]
                let answer = try await client.send(
                    "/exchange/v3/token", headers: headers, body: JSONEncoder().encode(request))
                #expect(answer.status == status)
            }
        }
    }

    @Test(.verifies("rest-api.md", "B-27")) func `User info names the user`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let info = try await exchange(&device, "/pa/v3/user/info", Data("{}".utf8))
            let claims = try JSONSerialization.jsonObject(with: #require(info.plaintext)) as? [String: Any]
            #expect(claims?["sub"] as? String == "alice")
            #expect((claims?["iat"] as? NSNumber)?.int64Value == client.clock.now().seconds)
        }
    }
}

/// What is remembered of requests, so that none comes twice (server.md, section 22).
@Suite("Values that must not come twice", .endsInTime)
struct ReplayKindTests {
    /// How many are stored of a token, of a request in application scope, and of one in activation scope.
    private func stored(_ fixture: ServerFixture) throws -> [Int] {
        try (0...2).map { try fixture.rows("unique_value", "type = \($0)") }
    }

    private func isValid(_ header: TokenHeader, _ client: ServerClient) async throws -> Bool? {
        try await client.validate(header).flag("tokenValid")
    }

    @Test func `A value is stored with the kind of its request`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            // The key exchange has two layers of application scope.
            var device = try await client.activeDevice()
            #expect(try stored(fixture) == [0, 2, 0])
            let token = try await device.createToken()
            #expect(try stored(fixture) == [0, 2, 1])
            let header = try token.header(.v3_3, timestamp: client.timestamp)
            #expect(try await isValid(header, client) == true)
            #expect(try stored(fixture) == [1, 2, 1])
        }
    }

    @Test func `Where the settings allow replays, nothing is stored and a header is taken again`() async throws {
        let fixture = try ServerFixture { $0.policy.isReplayVerified = false }
        try await fixture.run { client in
            var device = try await client.activeDevice()
            let header = try await device.createToken().header(.v3_3, timestamp: client.timestamp)
            for _ in 1...2 { #expect(try await isValid(header, client) == true) }
            #expect(try stored(fixture) == [0, 0, 0])
        }
    }
}
