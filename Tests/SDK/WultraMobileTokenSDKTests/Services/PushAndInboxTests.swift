// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthShared
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("Registration for pushes (mobile-token.md, section 12.1)", .endsInTime)
struct PushServiceTests {
    private let token = Data([0xDE, 0xAD, 0xBE, 0xEF])

    @Test func `A registration is known as done until the next one fails`() async throws {
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

    @Test func `A second registration does not wait: it is refused while the first one is in progress`() async throws {
        let app = try await ServiceApp.activated()
        let push = app.networking.createWMTPush()
        app.transport.order(.hold(.request), for: ServiceApp.push)
        push.registerDeviceTokenForPushNotifications(token: token) { (_: Result<Void, WMTError>) in }
        await app.transport.holds(ServiceApp.push)
        #expect(await register(push).reason == .push_alreadyRegistering)
        app.transport.release(ServiceApp.push)
    }

    @Test
    func `A registration that ends when another activation is there does not count for that one (sharing.md, D30)`()
        async throws
    {
        let app = try await ServiceApp.activated()
        let push = UncheckedTransfer(app.networking.createWMTPush())
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

    @Test func `A cancelled registration does not block the next one`() async throws {
        let app = try await ServiceApp.activated()
        try await registerAfterCancel(app).get()
        app.transport.release(ServiceApp.push)
    }

    @Test
    func `With the original's defect a cancelled registration refuses all others (quirk mobile-token.7)`() async throws
    {
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

    @Test func `Count, list, detail and marks ask their endpoints`() async throws {
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

    @Test(.verifies("mobile-token.md", "B-52"))
    func `All messages are those of all pages, each once, up to the limit`() async throws {
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

    @Test func `Cancelled, all messages are not completed, and the page under way is given up`() async throws {
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

/// However many pages an inbox has, all of it is loaded, each message once (mobile-token.md, section 8.2).
@Suite("Sizes of an inbox", .endsInTime)
struct InboxSizeTests {
    private static let list = "/api/inbox/message/list"
    private static let pageSize = 3

    private static func page(_ ids: some Sequence<Int>) -> Answer {
        .ok(
            .array(
                ids.map { id in
                    [
                        "id": .string("\(id)"), "type": "text", "subject": "s", "summary": "s", "read": false,
                        "timestampCreated": "2026-03-01T08:00:00Z",
                    ]
                }))
    }

    @Test(arguments: [0, 2, 3, 4, 6, 7])
    func `Every page is asked for, and one more when the last one is full`(count: Int) async throws {
        let app = try await ServiceApp.activated()
        let inbox = app.networking.createWMTInbox()
        for _ in 1...2 {
            let before = try app.bodies(Self.list).count
            let starts = Array(stride(from: 0, through: count, by: Self.pageSize))
            for start in starts { app.answer(Self.list, Self.page(start..<min(start + Self.pageSize, count))) }
            let found = try await result { inbox.getAllMessages(pageSize: Self.pageSize, completion: $0) }.get()
            #expect(found.map(\.id) == (0..<count).map { "\($0)" })
            #expect(try app.bodies(Self.list).count - before == starts.count)
        }
    }

    @Test(arguments: 1...8) func `No more pages are asked for than messages are wanted`(limit: Int) async throws {
        let app = try await ServiceApp.activated()
        let inbox = app.networking.createWMTInbox()
        app.answer(Self.list, Self.page(0..<3), Self.page(3..<6), Self.page(6..<7))
        let found = try await result {
            inbox.getAllMessages(pageSize: Self.pageSize, messageLimit: limit, completion: $0)
        }.get()
        #expect(found.map(\.id) == (0..<min(limit, 7)).map { "\($0)" })
        #expect(try app.bodies(Self.list).count == (limit + 2) / 3)
    }

    @Test(arguments: 1...4) func `A message that is repeated much later counts once`(distance: Int) async throws {
        let app = try await ServiceApp.activated()
        let inbox = app.networking.createWMTInbox()
        // As many pages lie between the two.
        for start in stride(from: 0, to: distance * 3, by: 3) { app.answer(Self.list, Self.page(start..<start + 3)) }
        app.answer(Self.list, Self.page([0, 100]))
        let found = try await result { inbox.getAllMessages(pageSize: Self.pageSize, completion: $0) }.get()
        #expect(found.map(\.id) == (0..<distance * 3).map { "\($0)" } + ["100"])
    }
}

@Suite("The register of operations (mobile-token.md, section 6.3)", .endsInTime)
struct RegisterTests {
    private func operations(_ ids: String..., name: String = "payment") throws -> [WMTUserOperation] {
        try ids.map {
            try JSON.read(WMTUserOperation.self, Example.operation.with("id", .string($0)).with("name", .string(name)))
        }
    }

    private func ids(_ change: OperationRegister.Change?) -> [[String]]? {
        change.map { [$0.operations, $0.removed, $0.added].map { $0.map(\.id) } }
    }

    @Test
    func `A new list replaces instances and order, reports added and removed ones, and has no duplicates`() throws {
        var register = OperationRegister(keepsOldOperations: false)
        #expect(ids(register.replace(with: try operations("1", "2"))) == [["1", "2"], [], ["1", "2"]])
        let change = register.replace(with: try operations("3", "2", "3", name: "login"))
        #expect(ids(change) == [["3", "2"], ["1"], ["3"]])
        #expect(change.operations.allSatisfy { $0.name == "login" })
        #expect(ids(register.replace(with: change.operations)) == [["3", "2"], [], []])
    }

    @Test
    func `With the original's defect, known operations stay as and where they were (quirk mobile-token.2)`() throws {
        var register = OperationRegister(keepsOldOperations: true)
        _ = register.replace(with: try operations("1", "2"))
        let change = register.replace(with: try operations("3", "2", name: "login"))
        #expect(ids(change) == [["2", "3"], ["1"], ["3"]])
        #expect(change.operations.map(\.name) == ["payment", "login"])
    }

    @Test func `A claimed operation is added once, and one that is done is removed once`() throws {
        var register = OperationRegister(keepsOldOperations: false)
        let operation = try operations("1")[0]
        #expect(ids(register.add(operation)) == [["1"], [], ["1"]])
        #expect(register.add(operation) == nil)
        #expect(ids(register.remove(id: "1")) == [[], ["1"], []])
        #expect(register.remove(id: "1") == nil)
    }
}
