// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabHTTP
import PowerAuth2
import SDKTestSupport
import TestSupport
import Testing

@testable import WultraPowerAuthNetworking

@Suite("Signatures, tokens and encryption against the real server (networking.md, sections 5, 6 and 16)", .endsInTime)
struct SigningTests {
    @Test(
        .verifies("networking.md", "B-26"),
        arguments: TestApp.Mode.allCases)
    func `A request is signed with the right password and answered`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let outcome = try await app.service().send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        #expect(outcome.response?.status == .Ok && outcome.error == nil)
        #expect(try outcome.response?.responseObject?.activationId == app.activationId)
    }

    @Test(.verifies("networking.md", "B-26"))
    func
        `A wrong password is a general failure with the server's code and the status 401; the right one works afterwards`()
        async throws
    {
        let app = try await TestApp.activated()
        let service = try app.service()
        let error = await service.send(WPNRequestBase(), .wrongPassword, Endpoints.signed).error
        #expect(error?.reason == .network_generic && error?.httpStatusCode == 401)
        #expect(error?.restApiError?.errorCode == .authenticationError)
        #expect(try await app.status().get().failCount == 1)
        // The enrolment API has a code of its own for the same refusal.
        app.transport.order(
            .change { response in
                let text = String(decoding: response.body, as: UTF8.self)
                    .replacing("ERR_AUTHENTICATION", with: "POWERAUTH_AUTH_FAIL")
                return HTTPResponse(status: response.status, headers: response.headers, body: Data(text.utf8))
            }, for: Endpoints.signedPath)
        let renamed = await service.send(WPNRequestBase(), .wrongPassword, Endpoints.signed).error
        #expect(renamed?.restApiError?.errorCode == .authenticationFailure && renamed?.httpStatusCode == 401)
        #expect(renamed?.httpUrlResponse?.value(forHTTPHeaderField: "content-type")?.contains("json") == true)
        #expect(await service.send(WPNRequestBase(), .rightPassword, Endpoints.signed).error == nil)
        #expect(try await app.status().get().failCount == 0)
    }

    @Test(.verifies("networking.md", "B-29"))
    func `Without an activation a signed request has ended when post returns, and fails later on its queue, unsent`()
        async throws
    {
        let app = try await TestApp()
        let service = try app.service()
        let outcome: Outcome<WPNResponse<Session>> = await callback { report in
            let operation = service.post(
                data: .init(), signedWith: .rightPassword, to: Endpoints.signed
            ) { response, error in
                #expect(MainQueue.isCurrent)
                report(Outcome(response: response, error: error))
            }
            #expect(operation.isFinished)
        }
        #expect(outcome.error?.reason == .network_signError)
        #expect(
            outcome.error?.nestedError?.localizedDescription
                == "Failed to execute signed operation - PowerAuth instance without activation.")
        #expect(app.transport.requests.isEmpty)
    }

    @Test(.verifies("networking.md", "B-28"))
    func `Without an activation its encryption and its tokens fail too, without a request for the endpoint`()
        async throws
    {
        let app = try await TestApp()
        let service = try app.service()
        let encrypted = await service.send(WPNRequest(Message(data: "a")), Endpoints.activation)
        #expect(
            encrypted.error?.reason == .network_generic && encrypted.error?.powerAuthErrorCode == .missingActivation)
        let token = await service.send(WPNRequestBase(), .possession(), Endpoints.token)
        #expect(token.error?.reason == .network_generic && token.error?.powerAuthErrorCode == .missingActivation)
        #expect(app.transport.requests.isEmpty)
        let application = await service.send(WPNRequest(Message(data: "a")), Endpoints.application)
        #expect(application.response?.responseObject?.data == "a", "the application's key needs no activation")
    }

    @Test func `No counter is spent for a request whose key cannot be fetched`() async throws {
        let app = try await TestApp.activated()
        let sdk = try app.restarted()
        let before = try await app.backOffice.detail(app.activationId)
        app.transport.order(.fail(.networkConnectionLost), for: "/pa/v3/keystore/create")
        let service = try app.service(sdk: sdk)
        let failed = await service.send(WPNRequest(Message(data: "a")), .rightPassword, Endpoints.signedAndEncrypted)
        #expect(failed.error?.reason == .network_generic && failed.error?.code == -1005)
        let retried = await service.send(WPNRequest(Message(data: "a")), .rightPassword, Endpoints.signedAndEncrypted)
        #expect(retried.error == nil)
        #expect(app.transport.count(of: "/exchange/v3/signed/generics") == 1)
        #expect(try await app.backOffice.detail(app.activationId)["failedAttempts"] == before["failedAttempts"])
    }

    @Test(.verifies("networking.md", "B-27"))
    func `A token is created for the first request and used for the next; the server's time is known before`()
        async throws
    {
        let app = try await TestApp.activated()
        let service = try app.service()
        for _ in 0..<2 {
            #expect(await service.send(WPNRequestBase(), .possession(), Endpoints.token).response?.status == .Ok)
        }
        #expect(app.transport.count(of: "/pa/v3/token/create") == 1)

        // An object that does not know the server's time asks for it first.
        let sdk = try app.restarted()
        #expect(!sdk.timeSynchronizationService.isTimeSynchronized)
        let later = try app.service(sdk: sdk)
        #expect(await later.send(WPNRequestBase(), .possession(), Endpoints.token).error == nil)
        #expect(sdk.timeSynchronizationService.isTimeSynchronized)
        #expect(app.transport.count(of: "/pa/v3/token/create") == 1)
    }

    @Test(arguments: [[], ["networking.8"]])
    func `The main queue sends no request, with any authorization: sending may take a while`(quirks: [String])
        async throws
    {
        let app = try await TestApp.activated(quirks: quirks)
        let service = try app.service()
        _ = await service.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        _ = await service.send(WPNRequestBase(), .possession(), Endpoints.token)
        _ = await service.send(WPNRequest(Message()), .possession(), Endpoints.tokenAndEncrypted)
        #expect(app.transport.pathsSentOnMainQueue == [])
    }

    @Test func `With the original's behaviour a token is sent with the device's own time`() async throws {
        let app = try await TestApp.activated(quirks: ["networking.8"])
        #expect(try await app.service().send(WPNRequestBase(), .possession(), Endpoints.token).error == nil)
        let sdk = try app.restarted()
        #expect(try await app.service(sdk: sdk).send(WPNRequestBase(), .possession(), Endpoints.token).error == nil)
        #expect(!sdk.timeSynchronizationService.isTimeSynchronized)
    }

    @Test func `A failed token request is reported with the server's error`() async throws {
        let app = try await TestApp.activated()
        let refused = try await app.service().send(WPNRequest(Message()), .wrongPassword, Endpoints.tokenAndEncrypted)
        #expect(refused.error?.reason == .network_generic && refused.error?.powerAuthErrorCode == .networkError)
        #expect(refused.error?.restApiError?.errorCode == .authenticationError && refused.error?.httpStatusCode == 401)
        #expect(refused.error?.powerAuthErrorResponse?.httpStatusCode == 401)
        app.transport.order(.fail(.notConnectedToInternet), for: "/pa/v3/token/create")
        let offline = try await app.service().send(WPNRequestBase(), .possession(), Endpoints.token)
        #expect(offline.error?.reason == .network_generic && offline.error?.networkIsNotReachable == true)
    }

    @Test
    func `A caller's encryptor encrypts what the endpoint does not, for several requests at a time`() async throws {
        let app = try await TestApp()
        let encryptor = try await outcome { app.sdk.eciesEncryptorForApplicationScope(callback: $0) }.get()
        let endpoint = Endpoints.Basic(endpointURLPath: Endpoints.applicationPath)
        let service = try app.service()
        await withTaskGroup { tasks in
            for number in 0..<5 {
                tasks.addTask {
                    let message = Message(data: "\(number)")
                    let outcome = await service.send(WPNRequest(message), endpoint, encryptor: encryptor)
                    #expect(outcome.response?.responseObject == message)
                }
            }
        }
    }

    @Test func `Data that cannot be encrypted are not sent`() async throws {
        let app = try await TestApp()
        let encryptor = try await outcome { app.sdk.eciesEncryptorForApplicationScope(callback: $0) }.get()
        encryptor.associatedMetaData = nil
        let sent = app.transport.requests.count
        let outcome = try await app.service().send(
            WPNRequest(Message(data: "secret")), Endpoints.application, encryptor: encryptor)
        #expect(outcome.error?.reason == .network_generic && outcome.error?.powerAuthErrorCode == .encryption)
        #expect(app.transport.requests.count == sent)
    }
}
