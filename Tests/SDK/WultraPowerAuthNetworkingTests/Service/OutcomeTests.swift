// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthServer
import SDKTestSupport
import TestSupport
import Testing

@testable import WultraPowerAuthNetworking

@Suite("Outcome of a request (networking.md, sections 6.4, 10.4 and 16)", .endsInTime)
struct OutcomeTests {
    /// Sends a plain request that is answered by the test.
    private func answered(
        _ order: TappedTransport.Order, quirks: [String] = []
    ) async throws -> Outcome<WPNResponse<Message>> {
        let app = try await TestApp(quirks: quirks)
        app.transport.order(order, for: "/any")
        let endpoint = Endpoints.Basic(endpointURLPath: "/any")
        return try await app.service().send(WPNRequest(Message(data: "hello")), endpoint)
    }

    @Test(
        .verifies("networking.md", "B-13"),
        arguments: [200, 201, 400, 500])
    func `A successful envelope is a success with any HTTP status, and an error envelope is an error`(status: Int)
        async throws
    {
        let success = try await answered(
            .answer(status: status, body: #"{"status":"OK","responseObject":{"data":"a"}}"#))
        #expect(success.response?.responseObject?.data == "a" && success.error == nil)
        let refusal = try await answered(
            .answer(
                status: status, body: #"{"status":"ERROR","responseObject":{"code":"OPERATION_EXPIRED","message":"m"}}"#
            ))
        let error = try #require(refusal.error)
        #expect(refusal.response == nil && error.reason == .network_generic && error.nestedError == nil)
        #expect(
            error.restApiError?.errorCode == .operationExpired && error.powerAuthRestApiErrorCode == "OPERATION_EXPIRED"
        )
        #expect(error.httpStatusCode == status && error.httpUrlResponse?.statusCode == status)
    }

    @Test(
        .verifies("networking.md", "B-13"),
        arguments: ["", "<html>", "{}"])
    func `A body without an envelope is an error with its reason, of the status or of the answer`(body: String)
        async throws
    {
        for (status, reason) in [
            (200, WPNErrorReason.network_invalidResponseObject), (201, .network_errorStatusCode),
            (502, .network_errorStatusCode),
        ] {
            let error = try #require(try await answered(.answer(status: status, body: body)).error)
            #expect(error.reason == reason && error.httpStatusCode == status && error.restApiError == nil)
            #expect(error.nestedError is DecodingError)
        }
        let original = try await answered(.answer(status: 200, body: body), quirks: ["networking.4"])
        #expect(original.error?.reason == .network_invalidResponseObject && original.error?.nestedError == nil)
    }

    @Test(
        arguments: [
            (URLError.Code.timedOut, WPNErrorReason.network_timeOut),
            (.notConnectedToInternet, .network_noInternetConnection), (.badServerResponse, .network_badServerResponse),
            (.secureConnectionFailed, .network_sslError), (.serverCertificateUntrusted, .network_sslError),
            (.clientCertificateRequired, .network_sslError), (.cannotConnectToHost, .network_generic),
            (.networkConnectionLost, .network_generic), (.cancelled, .network_generic),
        ])
    func `An exchange without an answer ends with the reason of its error`(code: URLError.Code, reason: WPNErrorReason)
        async throws
    {
        let error = try #require(try await answered(.fail(code)).error)
        #expect(error.reason == reason && (error.nestedError as? URLError)?.code == code)
        #expect(error.code == code.rawValue && error.domain == NSURLErrorDomain)
        #expect(error.httpStatusCode == nil && error.restApiError == nil)
    }

    @Test func `A server that cannot be reached is a general failure, and a retry succeeds`() async throws {
        let app = try await TestApp()
        let error = try await app.service(baseURL: "http://127.0.0.1:1").send(WPNRequestBase(), Endpoints.basic).error
        #expect(error?.reason == .network_generic && error?.code == URLError.Code.cannotConnectToHost.rawValue)
        #expect(try await app.service().send(WPNRequestBase(), Endpoints.basic).error == nil)
    }

    private static let encryptionError = #"{"status":"ERROR","responseObject":{"code":"ERR_ENCRYPTION","message":"m"}}"#

    @Test func `Only an error is accepted unencrypted where an encrypted answer is expected`() async throws {
        let app = try await TestApp.activated()
        let service = try app.service()
        func outcome(_ status: Int, _ body: String) async -> Outcome<WPNResponse<Message>> {
            app.transport.order(.answer(status: status, body: body), for: Endpoints.applicationPath)
            return await service.send(WPNRequest(Message(data: "hello")), Endpoints.application)
        }
        // The first one brings another key and a second try.
        app.transport.order(.answer(status: 400, body: Self.encryptionError), for: Endpoints.applicationPath)
        let refusal = await outcome(400, Self.encryptionError)
        #expect(refusal.error?.reason == .network_generic && refusal.error?.restApiError?.errorCode == .encryptionError)
        let forged = await outcome(200, #"{"status":"OK","responseObject":{"data":"forged"}}"#)
        #expect(forged.response == nil && forged.error?.reason == .network_invalidResponseObject)
        #expect(forged.error?.nestedError?.localizedDescription == "failed to decrypt response")
        let garbled = await outcome(200, #"{"encryptedData":"AAAA","mac":"AAAA","nonce":"AAAA","timestamp":1}"#)
        #expect(garbled.error?.reason == .network_invalidResponseObject)

        let original = try await TestApp.activated(quirks: ["networking.3"])
        original.transport.order(.answer(status: 400, body: Self.encryptionError), for: Endpoints.applicationPath)
        let lost = try await original.service().send(WPNRequest(Message(data: "hello")), Endpoints.application)
        #expect(lost.error?.reason == .network_errorStatusCode && lost.error?.restApiError == nil)
    }

    @Test(arguments: [[], ["networking.9"]])
    func `A request whose temporary key the server does not know is repeated with another one`(
        quirks: [String]
    ) async throws {
        let server = try await RealServer.start { $0.policy.temporaryKeysPerActivation = 1 }
        let app = try await TestApp.activated(server: server, quirks: quirks)
        let service = try app.service()
        let message = WPNRequest(Message(data: "hello"))
        func keys() -> Int { app.transport.count(of: "/pa/v3/keystore/create") }
        for isSigned in [false, true] {
            // The application has a key, which gives way to that of another SDK object.
            for sdk in [app.sdk, try app.restarted()] {
                _ = try await outcome { sdk.eciesEncryptorForActivationScope(callback: $0) }.get()
            }
            let before = keys()
            let answer =
                isSigned
                ? await service.send(message, .rightPassword, Endpoints.signedAndEncrypted)
                : await service.send(message, Endpoints.activation)
            if quirks.isEmpty {
                #expect(answer.response?.responseObject?.data == "hello" && keys() == before + 1)
            } else {
                let code = answer.error?.restApiError?.errorCode
                #expect(code == (isSigned ? .authenticationError : .encryptionError) && keys() == before)
            }
        }
        guard quirks.isEmpty else { return }
        // The server has counted the signature over what it could not decrypt, until the right one came.
        #expect(try await app.status().get().failCount == 0)
        let refused = await service.send(message, .wrongPassword, Endpoints.signedAndEncrypted)
        #expect(refused.error?.restApiError?.errorCode == .authenticationError)
        #expect(try await app.status().get().failCount == 1)
    }

    @Test func `A key that a server calls unknown is fetched again, once`() async throws {
        let body = #"{"status":"ERROR","responseObject":{"code":"ERR_TEMPORARY_KEY","message":"m"}}"#
        let app = try await TestApp.activated()
        let service = try app.service()
        let message = WPNRequest(Message(data: "hello"))
        func keys() -> Int { app.transport.count(of: "/pa/v3/keystore/create") }
        #expect(await service.send(message, Endpoints.application).error == nil)
        let before = keys()
        app.transport.order(.answer(status: 400, body: body), for: Endpoints.applicationPath)
        #expect(await service.send(message, Endpoints.application).response?.responseObject?.data == "hello")
        #expect(keys() == before + 1)
        app.transport.order(
            .answer(status: 400, body: body), .answer(status: 400, body: body), for: Endpoints.applicationPath)
        let error = await service.send(message, Endpoints.application).error
        #expect(error?.restApiError?.errorCode == .temporaryKeyError && keys() == before + 2)

        let original = try await TestApp.activated(quirks: ["networking.9"])
        original.transport.order(.answer(status: 400, body: body), for: Endpoints.applicationPath)
        let refused = try await original.service().send(message, Endpoints.application)
        #expect(refused.error?.restApiError?.errorCode == .temporaryKeyError)
    }

    @Test func `A request that learns late of a forgotten key takes the new one of another request`() async throws {
        let body = #"{"status":"ERROR","responseObject":{"code":"ERR_TEMPORARY_KEY","message":"m"}}"#
        let app = try await TestApp.activated()
        func keys() -> Int { app.transport.count(of: "/pa/v3/keystore/create") }
        @Sendable func send() async throws -> WPNError? {
            try await app.service().send(WPNRequest(Message(data: "hello")), Endpoints.application).error
        }
        #expect(try await send() == nil)
        let before = keys()
        app.transport.order(
            .holdAnswer(status: 400, body: body), .answer(status: 400, body: body), for: Endpoints.applicationPath)
        async let late = send()
        await app.transport.holds(Endpoints.applicationPath)
        #expect(try await send() == nil)
        app.transport.release(Endpoints.applicationPath)
        #expect(try await late == nil)
        #expect(keys() == before + 1)
    }

    @Test(.verifies("networking.md", "B-24", "B-25", "B-31"))
    func `A response delegate sees every answer once, on the main queue, before the completion; it is held weakly`()
        async throws
    {
        let app = try await TestApp.activated()
        let service = try app.service()
        var delegate: RecordingDelegate? = RecordingDelegate()
        service.responseDelegate = delegate
        app.transport.order(.answer(status: 201, body: "thanks"), for: Endpoints.basicPath)
        let created = await service.send(WPNRequestBase(), Endpoints.basic)
        #expect(created.error?.reason == .network_errorStatusCode)
        let first = try #require(delegate?.answers)
        #expect(first.count == 1 && first[0].status == 201 && first[0].body == Data("thanks".utf8))
        #expect(first[0].decrypted == nil && first[0].isOnMainQueue)
        #expect(first[0].url == service.config.buildURL(Endpoints.basicPath))

        let encrypted = await service.send(WPNRequest(Message(data: "hello")), Endpoints.application)
        #expect(encrypted.response?.status == .Ok)
        let second = try #require(delegate?.answers.last)
        #expect(delegate?.answers.count == 2 && second.status == 200 && second.isOnMainQueue)
        let decrypted = try #require(second.decrypted)
        #expect(try JSONSerialization.jsonObject(with: decrypted) is [String: Any])
        #expect(String(decoding: decrypted, as: UTF8.self).contains("hello"))
        #expect(!String(decoding: second.body, as: UTF8.self).contains("hello"))

        delegate = nil
        #expect(service.responseDelegate == nil)
        #expect(await service.send(WPNRequestBase(), Endpoints.basic).error == nil)
    }

    @Test(.verifies("networking.md", "B-30"))
    func `The completion is called on the queue that the caller names, on the main queue by default`() async throws {
        let app = try await TestApp()
        let service = try app.service()
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "completions")
        queue.setSpecific(key: key, value: true)
        let isThere: Bool = await callback { report in
            service.post(data: .init(), to: Endpoints.basic, completionQueue: queue) { _, _ in
                report(DispatchQueue.getSpecific(key: key) == true)
            }
        }
        let isMain: Bool = await callback { report in
            service.post(data: .init(), to: Endpoints.basic) { _, _ in report(MainQueue.isCurrent) }
        }
        #expect(isThere && isMain)
    }
}
