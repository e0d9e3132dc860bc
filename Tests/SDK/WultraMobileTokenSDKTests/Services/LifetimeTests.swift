import Foundation
import LabKit
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing
import WultraMobileTokenSDK
import WultraPowerAuthNetworking

@Suite("Lifetime of services (mobile-token.md, section 6.4)", .endsInTime)
struct LifetimeTests {
    /// What is left when services were used and dropped.
    private struct LeakTracker: @unchecked Sendable {
        // Safe: weak references are read atomically, and nothing is written after the initialiser.
        let app: TestApp
        weak var service: AnyObject?
        weak var networking: WPNNetworkingService?

        /// The queues that carried the last answer may hold a service for a moment longer, so it is waited for; what a
        /// cycle holds never goes.
        func areGone() async -> Bool {
            for _ in 0..<60_000 {
                if service == nil && networking == nil { return true }
                // A release is not reported.
                await withCheckedContinuation { continuation in
                    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
                }
            }
            return false
        }
    }

    @Test("A service without references is released after its calls, also cancelled ones, and polls no more")
    func operations() async throws {
        let remains = try await Self.usedOperations()
        #expect(await remains.areGone())
        let sent = remains.app.transport.requests.count
        try remains.app.device.clock.advance(by: .minutes(120))
        await mainQueueIsIdle()
        #expect(remains.app.transport.requests.count == sent)
    }

    private static func usedOperations() async throws -> LeakTracker {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        app.answer(ServiceApp.list, try .operations("1"))
        app.answer(ServiceApp.history, try .operations("1"))
        // So long that no poll takes the answer below before the test asks for it.
        service.startPollingOperations(interval: 3_600, delayStart: true)
        #expect(await service.list().operations.count == 1)
        let history = await result { service.getHistory(authentication: .rightPassword, completion: $0) }
        #expect(history.operations.count == 1)
        app.transport.order(.hold(.request), for: ServiceApp.detail)
        let call = service.getDetail(operationId: "1") { _ in Issue.record("completed") }
        await app.transport.holds(ServiceApp.detail)
        call?.cancel()
        app.transport.release(ServiceApp.detail)
        return LeakTracker(app: app.app, service: service, networking: app.networking)
    }

    @Test("An inbox is released after all messages were loaded, and after that was cancelled")
    func inbox() async throws {
        #expect(try await Self.usedInbox().areGone())
    }

    private static func usedInbox() async throws -> LeakTracker {
        let app = try await ServiceApp.activated()
        let inbox = app.networking.createWMTInbox()
        let list = "/api/inbox/message/list"
        app.answer(list, .ok([]))
        #expect(try await result { inbox.getAllMessages(completion: $0) }.get().isEmpty)
        app.transport.order(.hold(.request), for: list)
        let call = inbox.getAllMessages { _ in Issue.record("completed") }
        await app.transport.holds(list)
        call?.cancel()
        app.transport.release(list)
        return LeakTracker(app: app.app, service: inbox, networking: app.networking)
    }

    @Test("A push service is released after a cancelled registration")
    func push() async throws {
        #expect(try await Self.usedPush().areGone())
    }

    private static func usedPush() async throws -> LeakTracker {
        let app = try await ServiceApp.activated()
        let push = app.networking.createWMTPush()
        app.transport.order(.hold(.request), for: ServiceApp.push)
        let call = push.registerDeviceTokenForPushNotifications(token: Data([1])) { (_: Result<Void, WMTError>) in
            Issue.record("completed")
        }
        await app.transport.holds(ServiceApp.push)
        call?.cancel()
        app.transport.release(ServiceApp.push)
        return LeakTracker(app: app.app, service: push, networking: app.networking)
    }
}
