// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabHTTP
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing
import WultraMobileTokenSDK

@Suite("The list of operations (mobile-token.md, sections 6.1 and 6.2)", .endsInTime)
struct OperationsListTests {
    @Test func `Calls during a load of the list share one request, and get it in the server's order`() async throws {
        let app = try await ServiceApp.activated()
        let service = UncheckedTransfer(app.networking.createWMTOperations())
        let log = DelegateLog()
        service.value.delegate = log
        app.answer(ServiceApp.list, try .operations("2", "1"))
        let lists = await callback { (done: @escaping @Sendable ([[String]]) -> Void) in
            // On the main queue, so that the list does not come between two calls.
            DispatchQueue.main.async {
                var lists: [[String]] = []
                for _ in 1...3 {
                    service.value.getOperations { result in
                        lists.append(result.operations.map(\.id))
                        if lists.count == 3 { done(lists) }
                    }
                }
            }
        }
        #expect(lists == [["2", "1"], ["2", "1"], ["2", "1"]])
        await log.wait(for: .loading(false))
        #expect(app.transport.count(of: ServiceApp.list) == 1)
        #expect(
            log.events == [.loading(true), .changed(["2", "1"], removed: [], added: ["2", "1"]), .loading(false)])
        #expect(service.value.lastFetchResult?.operations.map(\.id) == ["2", "1"])
        #expect(!service.value.isLoadingOperations)
        #expect(try app.bodies(ServiceApp.list) == [[:]])
    }

    @Test
    func `A call in a completion makes a new request; until all completions were called the list is being loaded`()
        async throws
    {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        app.answer(ServiceApp.list, try .operations("1"), try .operations("2"))
        let again = await result { done in
            service.getOperations { first in
                #expect(first.operations.map(\.id) == ["1"] && service.isLoadingOperations)
                service.getOperations(completion: done)
            }
        }
        #expect(again.operations.map(\.id) == ["2"])
        #expect(app.transport.count(of: ServiceApp.list) == 2)
    }

    @Test func `A list that arrives after a new activation is not taken for its list (sharing.md, D30)`() async throws {
        let app = try await ServiceApp.activated()
        let service = UncheckedTransfer(app.networking.createWMTOperations())
        let answer = try Answer.operations("1")
        app.transport.order(.holdAnswer(status: answer.status, body: answer.body), for: ServiceApp.list)
        let list = Task { await service.value.list().reason }
        await app.transport.holds(ServiceApp.list)
        app.app.sdk.removeActivationLocal()
        try await app.app.activate()
        app.transport.release(ServiceApp.list)
        #expect(await list.value == .missingActivation)
        #expect(service.value.lastFetchResult == nil)
    }

    @Test(.verifies("mobile-token.md", "B-42"))
    func `A cancelled list is not completed, reports that it is cancelled, and changes nothing`() async throws {
        let app = try await ServiceApp.activated()
        let service = UncheckedTransfer(app.networking.createWMTOperations())
        let log = DelegateLog()
        service.value.delegate = log
        app.answer(ServiceApp.list, try .operations("1"))
        // On the main queue, so that the list does not come between two calls.
        let isCanceled = await callback { (done: @escaping @Sendable (Bool) -> Void) in
            DispatchQueue.main.async {
                let task = service.value.getOperations { _ in Issue.record("completed") }
                task.cancel()
                done(task.isCanceled)
            }
        }
        #expect(isCanceled)
        await log.wait(for: .loading(false))
        #expect(log.events == [.loading(true), .loading(false)] && service.value.lastFetchResult == nil)
        app.answer(ServiceApp.list, try .operations("1"))
        let wanted = await callback { (done: @escaping @Sendable (Int) -> Void) in
            DispatchQueue.main.async {
                let other = service.value.getOperations { _ in Issue.record("completed") }
                service.value.getOperations { done($0.operations.count) }
                other.cancel()
            }
        }
        #expect(wanted == 1)
    }

    @Test func `Without an activation only the caller gets a reason, and nothing is sent`() async throws {
        let app = try await ServiceApp()
        let service = app.networking.createWMTOperations()
        let log = DelegateLog()
        service.delegate = log
        #expect(await service.list().reason == .missingActivation)
        await log.wait(for: .loading(false))
        #expect(log.events == [.loading(true), .loading(false)] && service.lastFetchResult == nil)
        let inbox = app.networking.createWMTInbox()
        let push = app.networking.createWMTPush()
        let operation = WMTLocalOperation(id: "1", data: "A1")
        let reasons = [
            await refusal { service.getDetail(operationId: "1", completion: $0) },
            await refusal { service.claim(operationId: "1", completion: $0) },
            await refusal { service.getHistory(authentication: .rightPassword, completion: $0) },
            await refusal { service.authorize(operation: operation, with: .rightPassword, completion: $0) },
            await refusal { service.reject(operation: operation, with: .unknown, completion: $0) },
            await refusal { inbox.getUnreadCount(completion: $0) },
            await refusal { inbox.getAllMessages(completion: $0) },
            await refusal { push.registerDeviceTokenForPushNotifications(token: Data([1]), completion: $0) },
        ]
        #expect(reasons.allSatisfy { $0 == .missingActivation })
        #expect(app.transport.requests.isEmpty)
    }

    /// Why a call was refused that returned nothing to wait for.
    private func refusal<Value>(
        _ call: (@escaping (Result<Value, WMTError>) -> Void) -> AnyObject?
    ) async -> WMTErrorReason? {
        await result { done in
            let handle = call(done)
            #expect(handle == nil)
        }.reason
    }

    @Test(
        arguments: [
            (Answer.error("ERROR_GENERIC", status: 500), "network_generic"),
            (Answer(status: 200, body: "<html>"), "network_invalidResponseObject"),
            (Answer(status: 502, body: "<html>"), "network_errorStatusCode"),
            (.ok([:]), "network_invalidResponseObject"),
        ])
    func `A list that fails has the documented reason, the delegate is notified, and the next one works`(
        answer: Answer, reason: String
    ) async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        let log = DelegateLog()
        service.delegate = log
        app.answer(ServiceApp.list, try .operations("1"), answer, try .operations("1"))
        _ = await service.list()
        #expect(await service.list().reason?.rawValue == reason)
        #expect(service.lastFetchResult?.reason?.rawValue == reason)
        #expect(await service.list().operations.map(\.id) == ["1"])
        // The register has kept its content meanwhile.
        #expect(log.events.contains(.failed(reason)) && log.events.contains(.changed(["1"], removed: [], added: [])))
    }

    @Test(
        arguments: [
            (URLError.Code.timedOut, "network_timeOut"), (.notConnectedToInternet, "network_noInternetConnection"),
            (.badServerResponse, "network_badServerResponse"), (.serverCertificateUntrusted, "network_sslError"),
            (.cannotConnectToHost, "network_generic"),
        ])
    func `Troubles of the network have a reason each`(code: URLError.Code, reason: String) async throws {
        let app = try await ServiceApp.activated()
        app.transport.order(.fail(code), for: ServiceApp.list)
        let result = await app.networking.createWMTOperations().list()
        #expect(result.reason?.rawValue == reason)
        #expect(result.failure?.networkIsNotReachable == (code == .notConnectedToInternet))
    }

    @Test func `One operation that cannot be read does not hide the others`() async throws {
        let app = try await ServiceApp.activated()
        let bad = try Answer.operation("2").with("allowedSignatureType.type", "ECDSA")
        app.answer(ServiceApp.list, .list([bad, try Answer.operation("1")]))
        #expect(await app.networking.createWMTOperations().list().operations.map(\.id) == ["1"])
    }

    @Test func `With the original's defect one bad operation hides all (quirk mobile-token.1)`() async throws {
        let app = try await ServiceApp.activated(quirks: ["mobile-token.1"])
        let bad = try Answer.operation("2").with("status", "DELAYED")
        app.answer(ServiceApp.list, .list([bad, try Answer.operation("1")]))
        let result = await app.networking.createWMTOperations().list()
        #expect(result.reason == .network_invalidResponseObject && result.failure?.nestedError is DecodingError)
    }

    @Test func `A token unknown to the server is created again, once`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        let refusal = Answer.error("POWERAUTH_AUTH_FAIL", status: 401)
        app.answer(ServiceApp.list, refusal, try .operations("1"), refusal, refusal)
        #expect(await service.list().operations.map(\.id) == ["1"])
        #expect(app.transport.count(of: "/pa/v3/token/create") == 2)
        let refused = await service.list()
        #expect(refused.failure?.restApiError?.errorCode == .authenticationFailure)
        #expect(refused.failure?.httpStatusCode == 401 && app.transport.count(of: ServiceApp.list) == 4)
    }

    @Test func `When no new token can be made, the server's refusal of the old one is reported`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        app.answer(ServiceApp.list, try .operations("1"), .error("POWERAUTH_AUTH_FAIL", status: 401))
        _ = await service.list()
        app.transport.order(.fail(.timedOut), for: "/pa/v3/token/create")
        #expect(await service.list().failure?.restApiError?.errorCode == .authenticationFailure)
    }

    @Test func `With the original's defect a token unknown to the server stays (quirk mobile-token.19)`() async throws {
        let app = try await ServiceApp.activated(quirks: ["mobile-token.19"])
        let service = app.networking.createWMTOperations()
        app.answer(ServiceApp.list, .error("POWERAUTH_AUTH_FAIL", status: 401))
        #expect(await service.list().failure?.httpStatusCode == 401)
        #expect(app.transport.count(of: ServiceApp.list) == 1)
        #expect(app.app.sdk.tokenStore.hasLocalToken(withName: "possession_universal"))
    }

    @Test(.verifies("mobile-token.md", "B-47"))
    func `Polling loads repeatedly, notifies the delegate, and ends on request`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        let log = DelegateLog()
        service.delegate = log
        app.answer(ServiceApp.list, try .operations(), try .operations(), try .operations())
        #expect(!service.isPollingOperations)
        service.startPollingOperations()
        for count in 1...3 {
            #expect(service.isPollingOperations)
            await log.wait(for: .loading(false), count: count)
            if count < 3 { try app.app.device.clock.advance(by: .seconds(7)) }
        }
        service.stopPollingOperations()
        #expect(!service.isPollingOperations)
    }

    @Test(.verifies("mobile-token.md", "B-48"))
    func `A service that pauses polls nothing until the app is active again, then at once`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations(pollingOptions: .pauseWhenOnBackground)
        #expect(service.pollingOptions == .pauseWhenOnBackground)
        let log = DelegateLog()
        service.delegate = log
        app.answer(ServiceApp.list, try .operations(), try .operations())
        // So long that the next poll does not come by itself before the test has paused.
        service.startPollingOperations(interval: 3_600, delayStart: false)
        await log.wait(for: .loading(false))
        NotificationCenter.default.post(name: AppLife.willResignActive, object: nil)
        #expect(service.isPollingOperations)
        try app.app.device.clock.advance(by: .minutes(120))
        await mainQueueIsIdle()
        #expect(app.transport.count(of: ServiceApp.list) == 1)
        NotificationCenter.default.post(name: AppLife.didBecomeActive, object: nil)
        await log.wait(for: .loading(false), count: 2)
        NotificationCenter.default.post(name: AppLife.willResignActive, object: nil)
        service.stopPollingOperations()
        NotificationCenter.default.post(name: AppLife.didBecomeActive, object: nil)
        await mainQueueIsIdle()
        #expect(!service.isPollingOperations && app.transport.count(of: ServiceApp.list) == 2)
    }

    @Test func `The language is that of the networking service, and belongs to all services on it`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        #expect(service.acceptLanguage == "en")
        service.acceptLanguage = "cs"
        #expect(app.networking.createWMTInbox().acceptLanguage == "cs")
        #expect(app.networking.createWMTPush().acceptLanguage == "cs")
        app.answer(ServiceApp.list, try .operations())
        _ = await service.list()
        let sent = app.transport.requests.last { $0.url.path.hasSuffix(ServiceApp.list) }
        #expect(sent?.headers.first { $0.name.lowercased() == "accept-language" }?.value == "cs")
    }

    @Test(.verifies("mobile-token.md", "B-51")) func `After the first call the server's time is known`() async throws {
        let app = try await ServiceApp.activated()
        app.app.sdk.timeSynchronizationService.resetTimeSynchronization()
        app.answer(ServiceApp.list, try .operations())
        _ = await app.networking.createWMTOperations().list()
        #expect(app.app.sdk.timeSynchronizationService.isTimeSynchronized)
    }
}
