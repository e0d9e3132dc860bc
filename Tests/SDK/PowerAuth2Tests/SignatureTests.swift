// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuth2
import PowerAuthProtocol
import SDKTestSupport
import TestSupport
import Testing

@Suite("Signatures and passwords (sdk.md, section 12.3)", .endsInTime)
struct SignatureTests {
    @Test(
        .verifies("sdk.md", "B-17"),
        arguments: TestApp.Mode.allCases)
    func `A wrong password is refused, and while the activation is blocked the right one too`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        #expect(await app.validate() == nil)
        #expect(await app.validate(TestApp.wrongPassword)?.powerAuthErrorCode == .networkError)
        try await app.backOffice.block(app.activationId)
        for password in [TestApp.password, TestApp.wrongPassword] {
            #expect(await app.validate(password)?.powerAuthErrorCode == .networkError)
        }
        try await app.backOffice.unblock(app.activationId)
        #expect(await app.validate() == nil)
    }

    @Test func `A refused signature has the status 401 in the error's response`() async throws {
        let app = try await TestApp.activated()
        let error = try #require(await app.validate(TestApp.wrongPassword))
        let response = try #require(error.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse)
        #expect(response.httpStatusCode == 401)
        #expect(response.responseObject.code == "ERR_AUTHENTICATION")
    }

    @Test(
        .verifies("sharing.md", "S-0"), .verifies("sdk.md", "B-18"),
        arguments: TestApp.Mode.allCases)
    func `Each new password validates after a change, with password objects and with texts`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        let (old, new) = (PowerAuthCorePassword(string: TestApp.password), PowerAuthCorePassword(string: "nbusr123"))
        #expect(await failure { app.sdk.changePassword(from: old, to: new, callback: $0) } == nil)
        #expect(await app.validate("nbusr123") == nil)
        #expect(await app.validate() != nil)
        #expect(await failure { app.sdk.changePassword(from: "nbusr123", to: TestApp.password, callback: $0) } == nil)
        #expect(await app.validate() == nil)
        #expect(try app.restarted().unsafeChangePassword(from: TestApp.password, to: "other"))
        #expect(await (try app.restarted()).validate("other") == nil)
    }

    @Test(
        .verifies("sdk.md", "B-19"),
        arguments: TestApp.Mode.allCases)
    func `Signatures of one and of two factors verify for POST and for GET`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let body = Data(#"{"amount":"100"}"#.utf8)
        for authentication in [PowerAuthAuthentication.possession(), .rightPassword] {
            let post = try app.sdk.requestSignature(with: authentication, method: "POST", uriId: "/pay", body: body)
            #expect(try await app.backOffice.accepts(AuthorizationHeader(post), uriId: "/pay", body: body))
            let get = try app.sdk.requestGetSignature(
                with: authentication, uriId: "/list", params: ["b": "2 č", "a": "1"])
            let query = Data("a=1&b=2+%C4%8D".utf8)
            #expect(
                try await app.backOffice.accepts(AuthorizationHeader(get), method: "GET", uriId: "/list", body: query))
        }
    }

    /// What is changed between device and server.
    enum Change: CaseIterable, Sendable {
        case nothing, factors, data, method, uriId
    }

    @Test(
        .verifies("sdk.md", "B-19"),
        arguments: TestApp.Mode.allCases,
        Change.allCases)
    func `A signature over other factors, data, method or identifier does not verify`(
        mode: TestApp.Mode, change: Change
    ) async throws {
        let app = try await TestApp.activated(mode)
        let body = Data("body".utf8)
        let header = try AuthorizationHeader(
            app.sdk.requestSignature(with: .rightPassword, method: "POST", uriId: "/pay", body: body))
        let isAccepted = try await app.backOffice.accepts(
            header, method: change == .method ? "GET" : "POST", uriId: change == .uriId ? "/pray" : "/pay",
            body: change == .data ? Data("bodY".utf8) : body, factors: change == .factors ? "POSSESSION" : nil)
        #expect(isAccepted == (change == .nothing))
    }

    @Test(
        .verifies("sdk.md", "B-19"),
        arguments: TestApp.Mode.allCases,
        [Change.nothing, .data, .uriId])
    func `Offline signatures verify, and changed ones do not`(mode: TestApp.Mode, change: Change) async throws {
        let app = try await TestApp.activated(mode)
        let payload = try await app.backOffice.call(
            "signature/offline/personalized/create",
            ["activationId": .string(try app.activationId), "data": "A1*A100CZK"])
        let nonce = try #require(payload["nonce"]?.stringValue)
        let signature = try app.sdk.offlineSignature(
            with: .rightPassword, uriId: "/offline", body: Data("A1*A100CZK".utf8), nonce: nonce)
        #expect(signature.wholeMatch(of: #/[0-9]{8}-[0-9]{8}/#) != nil)
        let data = [
            "POST", Data((change == .uriId ? "/online" : "/offline").utf8).base64EncodedString(), nonce,
            Data((change == .data ? "A1*A999CZK" : "A1*A100CZK").utf8).base64EncodedString(),
        ].joined(separator: "&")
        let verdict = try await app.backOffice.call(
            "signature/offline/verify",
            [
                "activationId": .string(try app.activationId), "data": .string(data),
                "signature": .string(signature), "allowBiometry": false,
            ])
        #expect(verdict["signatureValid"]?.boolValue == (change == .nothing))
    }

    @Test(
        .verifies("sdk.md", "B-20"),
        arguments: TestApp.Mode.allCases)
    func `With a component length of 4, possession alone signs with four digits`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode) { $0.offlineSignatureComponentLength = 4 }
        let nonce = Data(1...16).base64EncodedString()
        let signature = try app.sdk.offlineSignature(with: .possession(), uriId: "/a", body: Data(), nonce: nonce)
        #expect(signature.wholeMatch(of: #/[0-9]{4}/#) != nil)
        let two = try app.sdk.offlineSignature(with: .rightPassword, uriId: "/a", body: Data(), nonce: nonce)
        #expect(two.wholeMatch(of: #/[0-9]{4}-[0-9]{4}/#) != nil)
    }

    @Test(
        .verifies("sdk.md", "B-21"),
        arguments: TestApp.Mode.allCases)
    func `Offline payloads verify with the key that their last line names, and with no other`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        let forEveryone = try await app.backOffice.call(
            "signature/offline/non-personalized/create",
            ["applicationId": .string(app.backOffice.applicationId), "data": "A1*A100CZK"])
        let forUs = try await app.backOffice.call(
            "signature/offline/personalized/create",
            ["activationId": .string(try app.activationId), "data": "A1*A100CZK"])
        for (answer, key) in [(forEveryone, "0" as Character), (forUs, "1")] {
            let text = try #require(answer["offlineData"]?.stringValue)
            let lastLine = try #require(text.split(separator: "\n", omittingEmptySubsequences: false).last)
            #expect(lastLine.first == key)
            let signature = String(lastLine.dropFirst())
            let signed = Data(text.dropLast(signature.count).utf8)
            let usesMasterKey = key == "0"
            #expect(app.sdk.verifyServerSignedData(signed, signature: signature, masterKey: usesMasterKey))
            #expect(!app.sdk.verifyServerSignedData(signed, signature: signature, masterKey: !usesMasterKey))
            #expect(!app.sdk.verifyServerSignedData(signed + [1], signature: signature, masterKey: usesMasterKey))
        }
    }

    @Test(
        .verifies("sdk.md", "B-22"),
        arguments: TestApp.Mode.allCases)
    func `Data signed with the device's private key verify on the server`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let data = Data("This is a very sensitive information".utf8)
        let signature = try await outcome {
            app.sdk.signData(withDevicePrivateKey: .rightPassword, data: data, callback: $0)
        }.get()
        for (signed, isValid) in [(data, true), (data + [0], false)] {
            let verdict = try await app.backOffice.call(
                "signature/ecdsa/verify",
                [
                    "activationId": .string(try app.activationId), "data": .string(signed.base64EncodedString()),
                    "signature": .string(signature.base64EncodedString()),
                ])
            #expect(verdict["signatureValid"]?.boolValue == isValid)
        }
    }

    @Test(
        .verifies("sdk.md", "B-22"),
        arguments: TestApp.Mode.allCases)
    func `A signed JWT keeps its claims and verifies on the server over the text of its first two parts`(
        mode: TestApp.Mode
    ) async throws {
        let app = try await TestApp.activated(mode)
        let claims: JSONValue = [
            "sub": "1234567890", "name": "Žofie", "admin": true, "off": false, "iat": 1_516_239_022,
        ]
        let token = try await outcome {
            app.sdk.signJwt(
                withDevicePrivateKey: .rightPassword,
                claims: ["sub": "1234567890", "name": "Žofie", "admin": true, "off": false, "iat": 1_516_239_022],
                callback: $0)
        }.get()
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        let header = try JSONValue.parse(#require(Base64URL.decode(parts[0])))
        #expect(header == ["alg": "ES256", "typ": "JWT"])
        #expect(try JSONValue.parse(#require(Base64URL.decode(parts[1]))) == claims)
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(signature.count == 64)
        let verdict = try await app.backOffice.call(
            "signature/ecdsa/verify",
            [
                "activationId": .string(try app.activationId),
                "data": .string(Data((parts[0] + "." + parts[1]).utf8).base64EncodedString()),
                "signature": .string(signature.base64EncodedString()), "signatureFormat": "JOSE",
            ])
        #expect(verdict["signatureValid"]?.boolValue == true)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A certificate request has the given names, and the signature of the key that the server knows`(
        mode: TestApp.Mode
    ) async throws {
        let app = try await TestApp.activated(mode)
        func request(
            _ authentication: PowerAuthAuthentication, _ names: [String: String], _ others: [String]? = nil
        ) async -> Result<String, NSError> {
            await outcome {
                app.sdk.createSignedCSR(
                    with: authentication, distinguishedNames: names, subjectAltNames: others, callback: $0)
            }
        }
        let text = try await request(.rightPassword, ["CN": "Žofie"], ["DNS:example.com"]).get()
        let lines = text.split(separator: "\n")
        #expect(lines.first == "-----BEGIN CERTIFICATE REQUEST-----")
        let parts = try Self.elements(of: #require(Data(base64Encoded: lines.dropFirst().dropLast().joined())))
        try #require(parts.count == 3)
        #expect(parts[0].range(of: Data("Žofie".utf8)) != nil && parts[0].range(of: Data("example.com".utf8)) != nil)
        // Behind the header of the last part there is a byte that counts unused bits.
        let signature = parts[2].dropFirst(3)
        let verdict = try await app.backOffice.call(
            "signature/ecdsa/verify",
            [
                "activationId": .string(try app.activationId), "data": .string(parts[0].base64EncodedString()),
                "signature": .string(Data(signature).base64EncodedString()),
            ])
        #expect(verdict["signatureValid"]?.boolValue == true)

        let failures = try await app.backOffice.detail(app.activationId)["failedAttempts"]
        #expect(await request(.rightPassword, [:]).code == .wrongParameter)
        #expect(await request(.rightPassword, ["CN": ""]).code == .wrongParameter)
        #expect(try await app.backOffice.detail(app.activationId)["failedAttempts"] == failures, "nothing was sent")
        #expect(await request(.wrongPassword, ["CN": "Žofie"]).code == .networkError)
        #expect(try await request(.rightPassword, [:], ["IP:192.0.2.1"]).get().hasPrefix("-----BEGIN"))
        app.sdk.removeActivationLocal()
        #expect(await request(.rightPassword, ["CN": "Žofie"]).code == .missingActivation)
    }

    /// The elements within a DER element, each with its header.
    private static func elements(of outer: Data) throws -> [Data] {
        func size(_ rest: Data) throws -> (header: Int, content: Int) {
            let bytes = Array(rest.prefix(5))
            try #require(bytes.count >= 2)
            guard bytes[1] >= 0x80 else { return (2, Int(bytes[1])) }
            let digits = Int(bytes[1] & 0x7F)
            try #require(bytes.count >= 2 + digits)
            return (2 + digits, bytes[2..<2 + digits].reduce(0) { $0 << 8 | Int($1) })
        }
        var rest = Data(outer.dropFirst(try size(outer).header))
        var elements: [Data] = []
        while !rest.isEmpty {
            let (header, content) = try size(rest)
            try #require(header + content <= rest.count)
            elements.append(Data(rest.prefix(header + content)))
            rest = Data(rest.dropFirst(header + content))
        }
        return elements
    }

    @Test(.verifies("sdk.md", "B-23"))
    func `The header of a signature has its scheme and quoted fields, and names the current protocol`() async throws {
        let app = try await TestApp.activated()
        let header = try app.sdk.requestSignature(with: .rightPassword, method: "POST", uriId: "/a", body: nil)
        #expect(header.key == "X-PowerAuth-Authorization")
        let parsed = try AuthorizationHeader(header)
        #expect(parsed.scheme == "PowerAuth")
        #expect(
            parsed.fields.map(\.name) == [
                "pa_version", "pa_activation_id", "pa_application_key", "pa_nonce", "pa_signature_type", "pa_signature",
            ])
        #expect(parsed["pa_version"] == "3.3" && parsed["pa_signature_type"] == "possession_knowledge")
        #expect(parsed["pa_activation_id"] == app.sdk.activationIdentifier)
    }
}
