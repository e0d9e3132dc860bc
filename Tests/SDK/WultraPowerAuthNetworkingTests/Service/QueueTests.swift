// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import WultraPowerAuthNetworking

@Suite("Turns of requests and their cancel (networking.md, sections 8 and 16)", .endsInTime)
struct QueueTests {
    private func signedPaths(_ app: TestApp) -> Int { app.transport.count(of: Endpoints.signedPath) }

    @Test(.verifies("networking.md", "B-23"))
    func `A second signed request is signed only after the first is answered, also by another service and by the SDK`()
        async throws
    {
        let app = try await TestApp.activated()
        let (first, second) = (try app.service("first"), try app.service("second"))
        app.transport.order(.hold(.response), for: Endpoints.signedPath)
        async let one = first.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        await app.transport.holds(Endpoints.signedPath)
        async let two = second.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        async let validation = app.validate()
        // Others do not wait, so once this one is answered, the signed ones had their chance.
        #expect(await first.send(WPNRequestBase(), Endpoints.basic).error == nil)
        #expect(await second.send(WPNRequest(Message(data: "a")), Endpoints.application).error == nil)
        #expect(signedPaths(app) == 1 && app.transport.count(of: "/pa/v3/signature/validate") == 0)
        app.transport.release(Endpoints.signedPath)
        #expect(await one.error == nil)
        #expect(await two.error == nil)
        #expect(await validation == nil)
        #expect(signedPaths(app) == 2)
    }

    @Test(.verifies("networking.md", "B-23"))
    func `A request of another application that shares the activation waits too`() async throws {
        let app = try await TestApp.activated(.sharing)
        let other = try app.neighbour()
        app.transport.order(.hold(.response), for: Endpoints.signedPath)
        let service = try app.service()
        async let one = service.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        await app.transport.holds(Endpoints.signedPath)
        let others = try other.service()
        async let two = others.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        #expect(await others.send(WPNRequestBase(), Endpoints.basic).error == nil)
        #expect(other.transport.count(of: Endpoints.signedPath) == 0)
        app.transport.release(Endpoints.signedPath)
        #expect(await one.error == nil)
        #expect(await two.error == nil)
    }

    @Test func `A signed request that cannot have the lock of its turn is not sent; the next one is`() async throws {
        let app = try await TestApp.activated(.sharing)
        let service = try app.service()
        try app.device.faults.arm(FaultRule(point: .queueLockTake, process: "main", action: .fail("EIO")))
        let refused = await service.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        #expect(refused.error != nil && signedPaths(app) == 0)
        #expect(await service.send(WPNRequestBase(), .rightPassword, Endpoints.signed).error == nil)
        #expect(signedPaths(app) == 1)
    }

    @Test func `The strategy has two spellings, and is kept`() async throws {
        let service = try await TestApp().service()
        #expect(service.concurrencyStrategy == .serialSigned && service.concurencyStrategy == .serialSigned)
        service.concurrencyStrategy = .serialAll
        #expect(service.concurencyStrategy == .serialAll)
        service.concurencyStrategy = .concurentAll
        #expect(service.concurrencyStrategy == .concurentAll)
        let decoder = JSONDecoder()
        service.jsonDecoder = decoder
        #expect(service.jsonDecoder === decoder)
    }

    @Test(
        arguments: [
            (TestApp.Mode.alone, WPNRequestConcurencyStrategy.serialSigned), (.sharing, .serialSigned),
            (.alone, .serialAll),
        ])
    func `Fifty requests at once, signed and unsigned, are all answered; the signed ones in the order they were made`(
        mode: TestApp.Mode, strategy: WPNRequestConcurencyStrategy
    ) async throws {
        let app = try await TestApp.activated(mode)
        let apps = mode == .sharing ? [app, try app.neighbour()] : [app]
        let services = try apps.map { try $0.service() }
        for service in services { service.concurencyStrategy = strategy }
        let failures = Mutex<[WPNError]>([])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let left = Atomic(50)
            let ended: @Sendable (WPNError?) -> Void = { error in
                if let error { failures.withLock { $0.append(error) } }
                if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { continuation.resume() }
            }
            let completions = DispatchQueue(label: "completions")
            for number in 0..<50 {
                let service = services[number % services.count]
                switch number / 2 % 5 {
                case 0, 1:
                    service.post(
                        data: .init(), signedWith: .rightPassword, to: Endpoints.signed,
                        with: ["X-Number": "\(number)"], completionQueue: completions
                    ) { ended($1) }
                case 2:
                    service.post(data: .init(), to: Endpoints.basic, completionQueue: completions) { ended($1) }
                case 3:
                    service.post(
                        data: .init(), signedWith: .possession(), to: Endpoints.token, completionQueue: completions
                    ) { ended($1) }
                default:
                    service.post(
                        data: .init(Message(data: "a")), to: Endpoints.application, completionQueue: completions
                    ) { ended($1) }
                }
            }
        }
        #expect(failures.withLock { $0.map(\.description) } == [])
        // The signed requests of each app take turns in the order in which they were made.
        for (index, sender) in apps.enumerated() {
            let sent = sender.transport.requests.compactMap { $0["X-Number"] }.compactMap { Int($0) }
            #expect(sent == (0..<50).filter { $0 / 2 % 5 < 2 && $0 % apps.count == index })
        }
        #expect(try await app.status().get().failCount == 0)
    }

    @Test func `Unsigned requests are answered while a signed one is not`() async throws {
        let app = try await TestApp.activated()
        let service = try app.service()
        _ = try await app.sdk.token("test").get()
        app.transport.order(.hold(.request), for: Endpoints.signedPath)
        async let signed = service.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        await app.transport.holds(Endpoints.signedPath)
        for _ in 0..<10 {
            #expect(await service.send(WPNRequestBase(), Endpoints.basic).error == nil)
            #expect(await service.send(WPNRequestBase(), .possession(), Endpoints.token).error == nil)
        }
        app.transport.release(Endpoints.signedPath)
        #expect(await signed.error == nil)
    }

    @Test
    func `With one turn for all, unsigned requests wait for signed ones; a missing token does not stop them`()
        async throws
    {
        let app = try await TestApp.activated()
        let service = try app.service()
        service.concurrencyStrategy = .serialAll
        app.transport.order(.hold(.request), for: Endpoints.signedPath)
        async let signed = service.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        await app.transport.holds(Endpoints.signedPath)
        async let basic = service.send(WPNRequestBase(), Endpoints.basic)
        async let token = service.send(WPNRequestBase(), .possession(), Endpoints.token)
        #expect(try await app.service().send(WPNRequestBase(), Endpoints.basic).error == nil)
        #expect(app.transport.count(of: Endpoints.basicPath) == 1, "only the other service's")
        app.transport.release(Endpoints.signedPath)
        #expect(await signed.error == nil)
        #expect(await basic.error == nil)
        #expect(await token.error == nil)

        let empty = try await TestApp()
        let plain = try empty.service()
        plain.concurencyStrategy = .serialAll
        #expect(await plain.send(WPNRequestBase(), Endpoints.basic).error == nil, "no activation is needed")
    }

    @Test func `With no turns at all signed requests do not wait for each other`() async throws {
        let app = try await TestApp.activated()
        let service = try app.service()
        service.concurencyStrategy = .concurentAll
        app.transport.order(.hold(.response), for: Endpoints.signedPath)
        async let one = service.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        await app.transport.holds(Endpoints.signedPath)
        #expect(await service.send(WPNRequestBase(), .rightPassword, Endpoints.signed).error == nil)
        app.transport.release(Endpoints.signedPath)
        #expect(await one.error == nil)
    }

    /// When a request is cancelled.
    enum Phase: CaseIterable, Sendable {
        case atOnce, requestUnderWay, answerUnderWay
    }

    @Test(
        .verifies("networking.md", "B-22"),
        arguments: TestApp.Mode.allCases, Phase.allCases)
    func `A cancelled request ends with the reason canceled, once, at any phase, and the next signed one has its turn`(
        mode: TestApp.Mode, phase: Phase
    ) async throws {
        let app = try await TestApp.activated(mode)
        let service = try app.service()
        let path = Endpoints.signedPath
        app.transport.order(.hold(phase == .answerUnderWay ? .response : .request), for: path)
        let endings = Atomic(0)
        let (reasons, ended) = AsyncStream<WPNErrorReason?>.makeStream()
        let operation = service.post(
            data: .init(), signedWith: .rightPassword, to: Endpoints.signed, completionQueue: .global()
        ) { _, error in
            endings.add(1, ordering: .relaxed)
            ended.yield(error?.reason)
        }
        if phase != .atOnce { await app.transport.holds(path) }
        operation.cancel()
        #expect(operation.isCancelled && operation.isFinished)
        for await reason in reasons {
            #expect(reason == .canceled)
            break
        }
        // The held request never comes back, and the next one does not meet what was ordered for a cancelled one.
        app.transport.withdraw(path)
        #expect(await service.send(WPNRequestBase(), .rightPassword, Endpoints.signed).error == nil)
        app.transport.release(path)
        #expect(await app.validate() == nil)
        operation.cancel()
        #expect(endings.load(ordering: .relaxed) == 1)
    }

    @Test func `A request cancelled in the queue is never sent, and later ones are`() async throws {
        let app = try await TestApp.activated()
        let service = try app.service()
        app.transport.order(.hold(.request), for: Endpoints.signedPath)
        async let first = service.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        await app.transport.holds(Endpoints.signedPath)
        let outcome: Outcome<WPNResponse<Session>> = await callback { report in
            service.post(
                data: .init(), signedWith: .rightPassword, to: Endpoints.signed, completionQueue: .global()
            ) { report(Outcome(response: $0, error: $1)) }.cancel()
        }
        #expect(outcome.error?.reason == .canceled && outcome.response == nil)
        async let third = service.send(WPNRequestBase(), .rightPassword, Endpoints.signed)
        app.transport.release(Endpoints.signedPath)
        #expect(await first.error == nil)
        #expect(await third.error == nil)
        #expect(signedPaths(app) == 2)
    }

    @Test(arguments: [true, false])
    func `A request cancelled while its token or its key is fetched ends, and a retry succeeds`(isToken: Bool)
        async throws
    {
        let app = try await TestApp.activated()
        let service = try app.service("test", sdk: isToken ? app.sdk : app.restarted())
        let path = isToken ? "/pa/v3/token/create" : "/pa/v3/keystore/create"
        app.transport.order(.hold(.request), for: path)
        let (reasons, ended) = AsyncStream<WPNErrorReason?>.makeStream()
        let operation =
            isToken
            ? service.post(data: .init(), signedWith: .possession(), to: Endpoints.token, completionQueue: .global()) {
                ended.yield($1?.reason)
            }
            : service.post(data: .init(Message(data: "a")), to: Endpoints.application, completionQueue: .global()) {
                ended.yield($1?.reason)
            }
        await app.transport.holds(path)
        operation.cancel()
        for await reason in reasons {
            #expect(reason == .canceled)
            break
        }
        app.transport.release(path)
        if isToken {
            #expect(await service.send(WPNRequestBase(), .possession(), Endpoints.token).error == nil)
        } else {
            #expect(await service.send(WPNRequest(Message(data: "a")), Endpoints.application).error == nil)
        }
    }
}
