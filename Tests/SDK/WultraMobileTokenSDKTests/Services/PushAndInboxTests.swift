import Foundation
import LabKit
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing
import WultraMobileTokenSDK

@Suite("Registration for pushes (mobile-token.md, section 12.1)", .endsInTime)
struct PushServiceTests {
    private let token = Data([0xDE, 0xAD, 0xBE, 0xEF])

    @Test("A registration is known as done until the next one fails")
    func registration() async throws {
        let app = try await ServiceApp.activated()
        let push = app.networking.createWMTPush()
        #expect(!push.pushNotificationsRegisteredOnServer)
        app.answer(ServiceApp.push, .ok(), .error("PUSH_REGISTRATION_FAILED"))
        try await register(push).get()
        #expect(push.pushNotificationsRegisteredOnServer)
        #expect(try app.bodies(ServiceApp.push) == [["requestObject": ["platform": "ios", "token": "DEADBEEF"]]])
        let failed = await register(push)
        #expect(failed.failure?.restApiError?.errorCode == .pushRegistrationFailed)
        #expect(!push.pushNotificationsRegisteredOnServer)
    }

    private func register(_ push: any WMTPush) async -> Result<Void, WMTError> {
        await result { push.registerDeviceTokenForPushNotifications(token: token, completion: $0) }
    }

    @Test("A second registration does not wait: it is refused while the first one is in progress")
    func alreadyRegistering() async throws {
        let app = try await ServiceApp.activated()
        let push = app.networking.createWMTPush()
        app.transport.order(.hold(.request), for: ServiceApp.push)
        push.registerDeviceTokenForPushNotifications(token: token) { (_: Result<Void, WMTError>) in }
        await app.transport.holds(ServiceApp.push)
        #expect(await register(push).reason == .push_alreadyRegistering)
        app.transport.release(ServiceApp.push)
    }

    @Test("A registration that ends when another activation is there does not count for that one (sharing.md, D30)")
    func lateRegistration() async throws {
        let app = try await ServiceApp.activated()
        let push = Transferred(app.networking.createWMTPush())
        app.transport.order(.holdAnswer(status: 200, body: Answer.ok().body), for: ServiceApp.push)
        let registration = Task { await register(push.value).reason }
        await app.transport.holds(ServiceApp.push)
        app.app.sdk.removeActivationLocal()
        try await app.app.activate()
        app.transport.release(ServiceApp.push)
        #expect(await registration.value == .missingActivation)
        #expect(!push.value.pushNotificationsRegisteredOnServer)
    }

    /// Registers, cancels while the request is under way, and registers again.
    private func registerAfterCancel(_ app: ServiceApp) async throws -> Result<Void, WMTError> {
        let push = app.networking.createWMTPush()
        app.transport.order(.hold(.request), for: ServiceApp.push)
        let call = push.registerDeviceTokenForPushNotifications(token: token) { (_: Result<Void, WMTError>) in
            Issue.record("completed")
        }
        await app.transport.holds(ServiceApp.push)
        call?.cancel()
        app.answer(ServiceApp.push, .ok())
        return await register(push)
    }

    @Test("A cancelled registration does not block the next one")
    func cancelled() async throws {
        let app = try await ServiceApp.activated()
        try await registerAfterCancel(app).get()
        app.transport.release(ServiceApp.push)
    }

    @Test("With the original's defect a cancelled registration refuses all others (quirk mobile-token.7)")
    func cancelledInTheOriginal() async throws {
        let app = try await ServiceApp.activated(quirks: ["mobile-token.7"])
        #expect(try await registerAfterCancel(app).reason == .push_alreadyRegistering)
        app.transport.release(ServiceApp.push)
    }
}

@Suite("The inbox (mobile-token.md, section 13)", .endsInTime)
struct InboxServiceTests {
    private static let list = "/api/inbox/message/list"

    private static func message(_ id: Int) -> JSONValue {
        [
            "id": .string("\(id)"), "type": "text", "subject": "s", "summary": "m", "read": false,
            "timestampCreated": "2026-03-01T08:00:00+0000",
        ]
    }

    private static func page(_ ids: ClosedRange<Int>) -> Answer { .ok(.array(ids.map(message))) }

    @Test("Count, list, detail and marks ask their endpoints")
    func calls() async throws {
        let app = try await ServiceApp.activated()
        let inbox = app.networking.createWMTInbox()
        app.answer("/api/inbox/count", .ok(["countUnread": 5]))
        app.answer(Self.list, Self.page(1...2))
        app.answer("/api/inbox/message/detail", .ok(Self.message(1).with("body", "b")))
        app.answer("/api/inbox/message/read", .ok())
        app.answer("/api/inbox/message/read-all", .error("INBOX_FAILED"))
        #expect(try await result { inbox.getUnreadCount(completion: $0) }.get().countUnread == 5)
        let messages = try await result {
            inbox.getMessageList(pageNumber: 0, pageSize: 50, onlyUnread: true, completion: $0)
        }.get()
        #expect(messages.map(\.id) == ["1", "2"])
        app.answer(Self.list, Self.page(3...3))
        let others = try await result { inbox.getMessageList(pageNumber: 1, pageSize: 2, completion: $0) }.get()
        #expect(others.map(\.id) == ["3"])
        #expect(
            try app.bodies(Self.list) == [
                ["requestObject": ["page": 0, "size": 50, "onlyUnread": true]],
                ["requestObject": ["page": 1, "size": 2, "onlyUnread": false]],
            ])
        #expect(try await result { inbox.getMessageDetail(messageId: "1", completion: $0) }.get().body == "b")
        try await result { inbox.markRead(messageId: "1", completion: $0) }.get()
        let failed = await result { inbox.markAllRead(completion: $0) }
        #expect(failed.reason == .network_generic && failed.failure?.restApiError?.code == "INBOX_FAILED")
        #expect(failed.failure?.restApiError?.errorCode == nil)
    }

    @Test("All messages are those of all pages, each once, up to the limit")
    func allMessages() async throws {
        let app = try await ServiceApp.activated()
        let inbox = app.networking.createWMTInbox()
        func all(limit: Int) async throws -> [String] {
            try await result { inbox.getAllMessages(pageSize: 5, messageLimit: limit, completion: $0) }.get().map(\.id)
        }
        app.answer(Self.list, Self.page(1...5), Self.page(6...10), Self.page(11...11))
        #expect(try await all(limit: 0) == (1...11).map { "\($0)" })
        // Two new messages have moved the second page.
        app.answer(Self.list, Self.page(1...5), Self.page(4...8), Self.page(9...9))
        #expect(try await all(limit: 0) == (1...9).map { "\($0)" })
        app.answer(Self.list, Self.page(1...5), Self.page(6...10))
        #expect(try await all(limit: 7) == (1...7).map { "\($0)" })
        app.answer(Self.list, .ok([]))
        #expect(try await all(limit: 7).isEmpty)
        app.answer(Self.list, Self.page(1...5), .error("INBOX_FAILED"))
        let failed = await result { inbox.getAllMessages(pageSize: 5, completion: $0) }
        #expect(failed.reason == .network_generic)
    }

    @Test("Cancelled, all messages are not completed, and the page under way is given up")
    func cancelledMessages() async throws {
        let app = try await ServiceApp.activated()
        let inbox = app.networking.createWMTInbox()
        app.answer(Self.list, Self.page(1...5))
        app.transport.order(.hold(.request), for: Self.list)
        let call = try #require(inbox.getAllMessages(pageSize: 5) { _ in Issue.record("completed") })
        await app.transport.holds(Self.list)
        call.cancel()
        #expect(call.isCanceled)
        app.transport.release(Self.list)
        app.answer(Self.list, Self.page(1...1))
        #expect(try await result { inbox.getAllMessages(completion: $0) }.get().count == 1)
    }
}
