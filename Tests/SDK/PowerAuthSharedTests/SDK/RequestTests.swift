// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import PowerAuth2
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// sdk.md, sections 5.8, 5.9, 7, 12.3 and 12.7.
@Suite("Requests", .endsInTime)
struct RequestTests {
    @Test func `Passwords are validated and changed`() async throws {
        let fixture = try await SDKFixture.activated()
        #expect(await fixture.validate(SDKFixture.password) == nil)
        let refused = await failure { fixture.sdk.changePassword(from: "0000", to: "5678", callback: $0) }
        #expect(refused?.powerAuthErrorCode == .networkError)
        let short = await failure { fixture.sdk.changePassword(from: SDKFixture.password, to: "1", callback: $0) }
        #expect(short?.powerAuthErrorCode == .invalidActivationState)
        #expect(
            await failure { fixture.sdk.changePassword(from: SDKFixture.password, to: "5678", callback: $0) } == nil)
        #expect(await fixture.validate("5678") == nil)
        #expect(await fixture.validate(SDKFixture.password) != nil)
    }

    @Test func `Signatures are stored before they are returned`() async throws {
        let fixture = try await SDKFixture.activated()
        let header = try fixture.sdk.requestSignature(
            with: .possessionWithPassword(password: SDKFixture.password), method: "POST", uriId: "/a", body: Data())
        #expect(header.key == "X-PowerAuth-Authorization" && header.value.hasPrefix("PowerAuth pa_version=\"3.3\", "))
        let restarted = try fixture.restarted()
        let next = try restarted.requestSignature(
            with: .possessionWithPassword(password: SDKFixture.password), method: "POST", uriId: "/a", body: Data())
        #expect(next.value != header.value)
        #expect(await failure { restarted.validatePassword(password: SDKFixture.password, callback: $0) } == nil)
        #expect(fixture.server.state.withLock { $0.counterNumber } == 3, "no counter value was used twice")
    }

    @Test func `Signature errors have their codes`() async throws {
        let fixture = try await SDKFixture.activated()
        func code(_ call: () throws -> Void) -> PowerAuthErrorCode? {
            thrown(call).map { ($0 as NSError).powerAuthErrorCode }
        }
        let sdk = fixture.sdk
        #expect(
            code { try sdk.requestSignature(with: .possession(), method: "BAD", uriId: "/a", body: nil) }
                == .signatureError)
        #expect(
            code { try sdk.requestSignature(with: .possession(), method: "GET", uriId: "", body: nil) }
                == .signatureError)
        #expect(
            code { try sdk.offlineSignature(with: .possession(), uriId: "/a", body: nil, nonce: nil) }
                == .wrongParameter)
        #expect(
            code { try sdk.offlineSignature(with: .possession(), uriId: "/a", body: nil, nonce: "x") }
                == .signatureError)
        #expect(
            code { try sdk.requestSignature(with: .possessionWithBiometry(), method: "GET", uriId: "/a", body: nil) }
                == .biometryFailed, "there is no key")
        #expect(
            code {
                try sdk.requestSignature(
                    with: .possessionWithBiometry(
                        customBiometryKey: Data(repeating: 1, count: 16), customPossessionKey: nil),
                    method: "GET", uriId: "/a", body: nil)
            } == .signatureError)
        #expect(code { try sdk.requestGetSignature(with: .possession(), uriId: "/a", params: ["a": "1"]) } == nil)
        let offline = try sdk.offlineSignature(
            with: .possession(), uriId: "/a", body: Data("A1".utf8), nonce: "ICEiIyQlJicoKSorLC0uLw==")
        #expect(offline.count == 8)
    }

    @Test func `Signed requests never overlap`() async throws {
        let fixture = try await SDKFixture.activated()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { await fixture.validate(SDKFixture.password) == nil } }
            for await succeeded in group { #expect(succeeded) }
        }
        #expect(fixture.server.state.withLock { $0.mostSignedInFlight } == 1)
    }

    @Test func `A request cancelled in the queue is never signed`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.order(.hold, for: "/pa/v3/signature/validate")
        let first = Task { await fixture.validate(SDKFixture.password) }
        await fixture.server.arrival(of: "/pa/v3/signature/validate")
        let second = fixture.sdk.validatePassword(password: SDKFixture.password) { _ in
            Issue.record("a cancelled task does not report")
        }
        second?.cancel()
        fixture.server.release("/pa/v3/signature/validate")
        #expect(await first.value == nil)
        #expect(await fixture.validate(SDKFixture.password) == nil)
        #expect(fixture.server.state.withLock { $0.counterNumber } == 2)
        #expect(second?.isCancelled == true)
    }

    @Test func `Transport errors keep their domain`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.order(.fail(.cannotConnectToHost), for: "/pa/v3/signature/validate")
        let error = await fixture.validate(SDKFixture.password)
        #expect(error?.domain == NSURLErrorDomain && error?.code == URLError.Code.cannotConnectToHost.rawValue)
        #expect(error?.powerAuthErrorCode == .NA)
    }

    @Test func `Responses of wrong shape have their errors`() async throws {
        let fixture = try await SDKFixture.activated()
        let path = "/pa/v3/signature/validate"
        for (status, body, domain, code) in [
            (200, "not JSON", NSCocoaErrorDomain, nil), (200, "[]", PowerAuthErrorDomain, 1),
            (200, #"{"responseObject":{}}"#, PowerAuthErrorDomain, 1),
            (200, FakeServer.errorBody("ERR"), PowerAuthErrorDomain, 1), (204, "", PowerAuthErrorDomain, 1),
            (500, #"{"status":"ERROR","responseObject":null}"#, PowerAuthErrorDomain, 1),
        ] as [(Int, String, String, Int?)] {
            fixture.server.order(.answer(status: status, body: body), for: path)
            let error = await fixture.validate(SDKFixture.password)
            #expect(error?.domain == domain, "\(status) \(body)")
            if let code { #expect(error?.code == code, "\(status) \(body)") }
        }
        for (body, code) in [
            ("not JSON", PowerAuthErrorCode.networkError), ("[]", .networkError), ("{}", .encryption),
            (FakeServer.errorBody("ERR"), .networkError),
        ] {
            fixture.server.order(.answer(status: 200, body: body), for: "/pa/v3/user/info")
            let result = await outcome { fixture.sdk.fetchUserInfo(callback: $0) }
            #expect(result.code == code, "\(body)")
        }
        #expect(try await outcome { fixture.sdk.fetchUserInfo(callback: $0) }.get().subject == "eva")
    }

    @Test func `Headers are in order and complete`() async throws {
        let fixture = try await SDKFixture.activated()
        #expect(await fixture.validate(SDKFixture.password) == nil)
        let request = try #require(fixture.server.state.withLock { $0.requests.last })
        #expect(request.headers.map(\.name).prefix(3) == ["X-PowerAuth-Authorization", "Content-Type", "Accept"])
        #expect(request.url.absoluteString == FakeServer.baseURL + "/pa/v3/signature/validate")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"requestObject":{"reason":"VALIDATE_PASSWORD"}}"#)
        _ = await outcome { fixture.sdk.fetchUserInfo(callback: $0) }
        let encrypted = try #require(fixture.server.state.withLock { $0.requests.last })
        #expect(encrypted.headers.first?.name == "X-PowerAuth-Encryption")
        #expect(encrypted.header("X-PowerAuth-Authorization") == nil)
    }

    @Test func `A request of a lab operation says which one and which app it is of; another one does not`() async throws
    {
        let fixture = try await SDKFixture.activated()
        func sent() throws -> [String?] {
            let request = try #require(fixture.server.state.withLock { $0.requests.last })
            return ["X-Lab-Operation", "X-Lab-App"].map(request.header)
        }
        #expect(await fixture.validate(SDKFixture.password) == nil)
        #expect(try sent() == [nil, nil])
        let refused = await Sandbox.$operation.withValue("step-1") { await fixture.validate(SDKFixture.password) }
        #expect(refused == nil)
        #expect(try sent() == ["step-1", fixture.sandbox.identity.name])
    }

    @Test func `Interceptors see finished requests`() async throws {
        let fixture = try SDKFixture()
        let client = PowerAuthClientConfiguration.patient
        client.requestInterceptors = [
            PowerAuthBasicHttpAuthenticationRequestInterceptor(username: "Aladdin", password: "OpenSesame")
        ]
        let sdk = try PowerAuthSDK(
            configuration: try fixture.server.configuration, clientConfiguration: client, sandbox: fixture.sandbox,
            transport: fixture.server)
        #expect(try await outcome { sdk.fetchServerStatus(callback: $0) }.get().serverTime.timeIntervalSinceNow < 10)
        let request = try #require(fixture.server.state.withLock { $0.requests.last })
        #expect(request.header("Authorization") == "Basic QWxhZGRpbjpPcGVuU2VzYW1l")
        #expect(request.header("Content-Type") == "application/json")
    }

    @Test(.verifies("size", "TemporaryKeyStore.safetyMargin"))
    func `Several requests share one temporary key, and an expired one is replaced`() async throws {
        let fixture = try await SDKFixture.activated()
        let path = "/pa/v3/keystore/create"
        fixture.server.state.withLock { $0.keyLifetime = 5_000 }
        fixture.server.order(.hold, for: path)
        let codes: [PowerAuthErrorCode?] = await callback { report in
            let collected = Mutex<[PowerAuthErrorCode?]>([])
            for _ in 0..<3 {
                fixture.sdk.fetchUserInfo { _, error in
                    let all = collected.withLock { collected in
                        collected.append(error?.powerAuthErrorCode)
                        return collected
                    }
                    if all.count == 3 { report(all) }
                }
            }
            fixture.server.release(path)
        }
        #expect(codes == [nil, nil, nil])
        #expect(fixture.server.paths.count { $0 == path } == 2, "one for the application, one shared by the three")
        #expect(await outcome { fixture.sdk.fetchUserInfo(callback: $0) }.code == nil)
        #expect(fixture.server.paths.count { $0 == path } == 3, "a key in its last seconds is not used")
    }

    @Test func `Time is synchronised once and forgotten in the foreground`() async throws {
        let fixture = try await SDKFixture.activated()
        let time = fixture.sdk.timeSynchronizationService
        #expect(time.isTimeSynchronized)
        _ = await fixture.status()
        #expect(!fixture.server.paths.contains("/pa/v3/status"))
        fixture.sandbox.lifecycle.enterForeground()
        #expect(!time.isTimeSynchronized)
        #expect(try await fixture.status().get().state == .active)
        #expect(fixture.server.paths.suffix(2) == ["/pa/v3/status", "/pa/v3/activation/status"])
        #expect(time.isTimeSynchronized)
        fixture.server.order(.answer(status: 200, body: #"{"status":"OK","responseObject":{}}"#), for: "/pa/v3/status")
        let error = await failure { time.synchronizeTime(callback: $0, callbackQueue: .global()) }
        #expect(error?.powerAuthErrorCode == .timeSynchronization, "a missing time is not 1970")
    }

    @Test func `Encryptors come from the server once and then at once`() async throws {
        let fixture = try SDKFixture()
        _ = try await outcome { fixture.sdk.eciesEncryptorForApplicationScope(callback: $0) }.get()
        var immediate: PowerAuthCoreEciesEncryptor?
        #expect(fixture.sdk.eciesEncryptorForApplicationScope { encryptor, _ in immediate = encryptor } == nil)
        #expect(immediate?.encryptRequest(Data("{}".utf8)) != nil)
        #expect(await outcome { fixture.sdk.eciesEncryptorForActivationScope(callback: $0) }.code == .missingActivation)
    }

    @Test
    func `A temporary key that is malformed, or signed with another key than the server's, is not used`() async throws {
        let fixture = try SDKFixture()
        let forged = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30." + String(repeating: "A", count: 86)
        let rows: [(String, PowerAuthErrorCode)] = [("no token", .networkError), (forged, .encryption)]
        for (jwt, code) in rows {
            let body = #"{"status":"OK","responseObject":{"jwt":"\#(jwt)"}}"#
            fixture.server.order(.answer(status: 200, body: body), for: "/pa/v3/keystore/create")
            let result = await outcome { fixture.sdk.eciesEncryptorForApplicationScope(callback: $0) }
            #expect(result.code == code, "\(jwt)")
        }
        #expect(await outcome { fixture.sdk.eciesEncryptorForApplicationScope(callback: $0) }.code == nil)
    }
}
