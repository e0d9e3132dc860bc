// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
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
    private struct Parts: LeakTracker, @unchecked Sendable {
        // Safe: weak references are read atomically, and nothing is written after the initialiser.
        let app: TestApp
        weak var service: AnyObject?
        weak var networking: WPNNetworkingService?

        var left: [String] { [("service", service != nil), ("networking", networking != nil)].filter(\.1).map(\.0) }
    }

    @Test
    func `A service without references is released after its calls, also cancelled ones, and polls no more`()
        async throws
    {
        let parts = try await Self.usedOperations()
        let left = try await onThread { parts.leftAfterWaiting() }
        #expect(left == [])
        let sent = parts.app.transport.requests.count
        try parts.app.device.clock.advance(by: .minutes(120))
        await mainQueueIsIdle()
        #expect(parts.app.transport.requests.count == sent)
    }

    private static func usedOperations() async throws -> Parts {
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
        return Parts(app: app.app, service: service, networking: app.networking)
    }

    @Test func `An inbox is released after all messages were loaded, and after that was cancelled`() async throws {
        let parts = try await Self.usedInbox()
        let left = try await onThread { parts.leftAfterWaiting() }
        #expect(left == [])
    }

    private static func usedInbox() async throws -> Parts {
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
        return Parts(app: app.app, service: inbox, networking: app.networking)
    }

    @Test func `A push service is released after a cancelled registration`() async throws {
        let parts = try await Self.usedPush()
        let left = try await onThread { parts.leftAfterWaiting() }
        #expect(left == [])
    }

    private static func usedPush() async throws -> Parts {
        let app = try await ServiceApp.activated()
        let push = app.networking.createWMTPush()
        app.transport.order(.hold(.request), for: ServiceApp.push)
        let call = push.registerDeviceTokenForPushNotifications(token: Data([1])) { (_: Result<Void, WMTError>) in
            Issue.record("completed")
        }
        await app.transport.holds(ServiceApp.push)
        call?.cancel()
        app.transport.release(ServiceApp.push)
        return Parts(app: app.app, service: push, networking: app.networking)
    }
}
