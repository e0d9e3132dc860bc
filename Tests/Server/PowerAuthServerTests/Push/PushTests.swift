// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

/// Receives notifications, and returns the outcome set by a test.
final class TestGateway: PushGateway {
    private typealias Sent = (notification: PushNotification, token: String, environment: PushEnvironment)
    private let state = Mutex<(sent: [Sent], outcomes: [String: PushOutcome])>(([], [:]))

    /// The delivered notifications, with their tokens and push services.
    var sent: [(notification: PushNotification, token: String, environment: PushEnvironment)] {
        state.withLock { $0.sent }
    }

    func answer(_ outcome: PushOutcome, to token: String) { state.withLock { $0.outcomes[token] = outcome } }

    func send(_ notification: PushNotification, to token: String, in environment: PushEnvironment) -> PushOutcome {
        state.withLock { state in
            state.sent.append((notification, token, environment))
            return state.outcomes[token] ?? .accepted
        }
    }
}

extension MobileApp {
    func registerForPush(_ token: String, platform: String = "ios", _ extra: [String: JSONValue] = [:]) async throws
        -> Answer
    {
        try await ask(
            "/api/push/device/register/token",
            .object(["platform": .string(platform), "token": .string(token)].merging(extra) { $1 }))
    }
}

@Suite("Push", .endsInTime)
struct PushTests {
    private func rows(_ fixture: ServerFixture) throws -> [PushRegistration] {
        try fixture.server.services.context.read { database in
            try PushRegistrationStore.list(
                database, .init(userId: "alice", applications: ApplicationStore.all(database).map(\.row)))
        }
    }

    @Test(.verifies("mobile-token.md", "B-60"))
    func `An activation has one row, which follows its token; a token moves with the app that shows it`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            let (first, second) = (try await client.mobileApp(), try await client.mobileApp())
            #expect(try await first.registerForPush("AA").json == ["status": "OK"])
            #expect(
                try await first.registerForPush("BB", platform: "apns", ["environment": "development"]).status == 200)
            var found = try rows(fixture)
            #expect(found.map(\.token) == ["BB"] && found[0].platform == .apns && found[0].environment == .development)
            #expect(found[0].activationId.text == first.device.activationId && found[0].isActive)
            #expect(try await second.registerForPush("BB").status == 200)
            found = try rows(fixture)
            #expect(found.map(\.activationId.text) == [second.device.activationId])
            #expect(try await first.registerForPush("CC").status == 200)
            #expect(try await second.registerForPush("CC").status == 200)
            let third = try await client.mobileApp()
            #expect(
                try await third.registerForPush("CC").refusal
                    == "400 PUSH_REGISTRATION_FAILED: Push registration failed in Mobile Token API component.")
        }
    }

    @Test(.verifies("mobile-token.md", "B-60")) func `Five registrations at once end in one row`() async throws {
        let fixture = try ServerFixture.mobileToken { $0.workerThreads = 8 }
        try await fixture.run { client in
            let app = try await client.mobileApp()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<5 { group.addTask { try await app.registerForPush("T\(number)").status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [200, 200, 200, 200, 200])
            #expect(try rows(fixture).count == 1)
        }
    }

    @Test(.verifies("mobile-token.md", "B-60"))
    func `A registration that says nothing usable is refused`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            let app = try await client.mobileApp()
            let invalid = "400 INVALID_REQUEST: Invalid request object."
            let path = "/api/push/device/register/token"
            #expect(try await app.ask(path).refusal == invalid)
            #expect(try await app.ask(path, ["token": "AA"]).refusal == invalid)
            #expect(try await app.ask(path, ["platform": "ios"]).refusal == invalid)
            #expect(try await app.registerForPush("  ").refusal == invalid)
            #expect(try await app.registerForPush("AA", platform: "palm").code == "ERROR_GENERIC")
            #expect(try await app.registerForPush("AA", platform: "palm").status == 500)
            for platform in ["apns", "fcm", "hms", "ios", "android", "huawei"] {
                #expect(try await app.registerForPush("AA", platform: platform).status == 200)
            }
            var signed = app
            let answer = try await signed.sign(
                "/api/push/device/register/signature", uriId: "/device/register/signature",
                ["platform": "ios", "token": "DD"], type: .possession)
            #expect(answer.status == 200)
            #expect(try rows(fixture).map(\.token) == ["DD"])
        }
    }

    @Test func `The user's devices are notified of a new operation and of its end`() async throws {
        let gateway = TestGateway()
        let fixture = try ServerFixture.mobileToken(pushGateway: gateway)
        try await fixture.run { client in
            var app = try await client.mobileApp()
            _ = try await app.registerForPush("AA")
            let bob = try await client.mobileApp(["userId": "bob"])
            _ = try await bob.registerForPush("BB")
            let id = try #require(try await client.payment()["id"]?.stringValue)
            fixture.server.services.context.pushes.settle()
            #expect(gateway.sent.map(\.token) == ["AA"])
            let created = try #require(gateway.sent.first?.notification)
            #expect(created.kind == .alert && created.priority.headerValue == 10)
            #expect(
                created.payload == [
                    "aps": [
                        "alert": ["title": "Payment approval", "body": "Pay 250.50 EUR to CZ6508000000192000145399?"],
                        "sound": "default", "category": "payment",
                    ],
                    "messageType": "mtoken.operationInit", "operationId": .string(id), "operationName": "payment",
                ])
            _ = try await app.authorize(id, "wrong")
            _ = try await app.cancel(id)
            fixture.server.services.context.pushes.settle()
            #expect(gateway.sent.count == 2)
            #expect(gateway.sent[1].notification.kind == .background)
            #expect(
                gateway.sent[1].notification.payload == [
                    "aps": ["content-available": 1], "messageType": "mtoken.operationFinished",
                    "mtokenOperationResult": "operation.canceled", "operationId": .string(id),
                    "operationName": "payment",
                ])
        }
    }

    @Test func `Each end of an operation has its result`() async throws {
        let gateway = TestGateway()
        let fixture = try ServerFixture.mobileToken(pushGateway: gateway)
        try await fixture.run { client in
            var app = try await client.mobileApp()
            _ = try await app.registerForPush("AA")
            _ = try await app.authorize(client.operation("login"), "A2")
            let failed = try await client.operation("login")
            for _ in 1...5 { _ = try await app.authorize(failed, "wrong") }
            _ = try await client.backOffice("operation/cancel", ["operationId": client.operation("login")])
            _ = try await client.operation("login")
            client.clock.advance(milliseconds: 300_001)
            // No app and no tool asks: the server's own job finds it.
            try OperationService(context: fixture.server.services.context).expireOverdue()
            fixture.server.services.context.pushes.settle()
            #expect(
                gateway.sent.compactMap { $0.notification.payload["mtokenOperationResult"]?.stringValue } == [
                    "authentication.success", "authentication.fail", "operation.canceled", "operation.timeout",
                ])
        }
    }

    @Test(.verifies("mobile-token.md", "B-60"))
    func `Personal messages are not for a blocked activation, and nothing is for a removed token`() async throws {
        let gateway = TestGateway()
        let fixture = try ServerFixture.mobileToken(pushGateway: gateway)
        try await fixture.run { client in
            let app = try await client.mobileApp()
            _ = try await app.registerForPush("AA")
            let activation: [String: any Sendable] = ["activationId": app.device.activationId]
            _ = try await client.backOffice("activation/block", activation)
            #expect(try rows(fixture).map(\.isActive) == [false])
            _ = try await client.operation("login")
            let notice = try await client.plain(
                "/lab/pushes", ["title": "Hello", "body": "World", "userInfo": ["k": nil, "n": 1]])
            #expect(gateway.sent.count == 1)
            #expect(gateway.sent[0].notification.payload["k"] == nil && gateway.sent[0].notification.payload["n"] == 1)
            #expect(notice.json["pushes"]?[0]?["outcome"] == "accepted")
            _ = try await client.backOffice("activation/unblock", activation)
            #expect(try rows(fixture).map(\.isActive) == [true])
            gateway.answer(.unavailable, to: "AA")
            _ = try await client.plain("/lab/pushes", [:])
            gateway.answer(.payloadTooLarge, to: "AA")
            let long = try await client.plain("/lab/pushes", [:])
            #expect(long.json["pushes"]?[0]?["outcome"] == "payloadTooLarge")
            #expect(try rows(fixture).count == 1)
            gateway.answer(.invalidToken, to: "AA")
            _ = try await client.plain("/lab/pushes", ["silent": true])
            #expect(try rows(fixture).isEmpty)
        }
    }

    @Test func `A push goes to the service of its registration, else to the server's, and the other refuses its token`()
        async throws
    {
        for configured in [PushEnvironment.production, .development] {
            let gateway = TestGateway()
            let fixture = try ServerFixture.mobileToken(pushGateway: gateway) {
                $0.policy.pushEnvironment = configured
            }
            try await fixture.run { client in
                let app = try await client.mobileApp()
                for named in [nil, PushEnvironment.production, .development] {
                    let extra = named.map { ["environment": JSONValue.string($0.rawValue)] } ?? [:]
                    #expect(try await app.registerForPush("AA", extra).status == 200)
                    _ = try await client.plain("/lab/pushes", [:])
                    #expect(gateway.sent.last?.environment == named ?? configured)
                }
                #expect(gateway.sent.count == 3)
                gateway.answer(.badDeviceToken, to: "AA")
                let refused = try await client.plain("/lab/pushes", [:])
                #expect(refused.json["pushes"]?[0]?["outcome"] == "BadDeviceToken")
                #expect(try rows(fixture).isEmpty)
            }
        }
    }

    @Test func `A device of several activations gets a push for each, and a personal one for those that are active`()
        async throws
    {
        let gateway = TestGateway()
        let fixture = try ServerFixture.mobileToken(pushGateway: gateway)
        try await fixture.run { client in
            let apps = [
                try await client.mobileApp(), try await client.mobileApp(), try await client.mobileApp(),
                try await client.mobileApp(["userId": "bob"]),
            ]
            let ids = apps.map { Identifier(known: $0.device.activationId) }
            let service = PushRegistrationService(context: fixture.server.services.context)
            func register(_ ids: [Identifier], _ token: String = "AA") throws {
                try service.register(token: token, platform: .apns, environment: nil, for: ids)
            }
            func send(_ wanted: JSONValue = [:]) async throws -> [JSONValue?] {
                try await client.plain("/lab/pushes", wanted).json["pushes"]?.arrayValue?.map { $0["activationId"] }
                    ?? []
            }
            let names = ids.map { JSONValue.string($0.text) }
            #expect(try await apps[2].registerForPush("AA").status == 200)
            try register([ids[0], ids[1], ids[0], ids[3]])
            // The third has lost it, and the fourth is of another user.
            #expect(try await send() == [names[0], names[1]])
            #expect(gateway.sent.map(\.token) == ["AA", "AA"])
            #expect(try await send(["activationId": names[1]]) == [names[1]])
            #expect(try await send(["activationId": names[3]]) == [])

            _ = try await client.backOffice("activation/block", ["activationId": ids[0].text])
            #expect(try await send(["personal": true]) == [names[1]])
            #expect(try await send(["personal": true, "activationId": names[0]]) == [])
            #expect(try await send().count == 2)
            try register([ids[0]], "BB")
            #expect(try rows(fixture).map(\.token).sorted() == ["AA", "BB"])

            let before = try rows(fixture)
            _ = try await client.backOffice("activation/remove", ["activationId": ids[2].text])
            for wrong in [[], [ids[1], "unknown"], [ids[1], ids[2]]] as [[Identifier]] {
                #expect(throws: ServiceError.self) { try register(wrong, "CC") }
                #expect(try rows(fixture) == before, "nothing is changed")
            }
        }
    }

    @Test func `An operation for one activation is announced to its device only`() async throws {
        let gateway = TestGateway()
        let fixture = try ServerFixture.mobileToken(pushGateway: gateway)
        try await fixture.run { client in
            let (first, second) = (try await client.mobileApp(), try await client.mobileApp())
            _ = try await first.registerForPush("AA")
            _ = try await second.registerForPush("BB")
            _ = try await client.operation("login", ["activationId": second.device.activationId])
            fixture.server.services.context.pushes.settle()
            #expect(gateway.sent.map(\.token) == ["BB"])
        }
    }

    @Test func `A device that does not answer holds up neither the operation nor a request`() async throws {
        let gateway = StuckGateway()
        let fixture = try ServerFixture.mobileToken(pushGateway: gateway) { $0.workerThreads = 1 }
        try await fixture.run { client in
            var app = try await client.mobileApp()
            _ = try await app.registerForPush("AA")
            let id = try await client.operation("login")
            #expect(try await app.authorize(id, "A2").status == 200)
            gateway.release()
        }
    }

    @Test func `Without a gateway notifications are recorded for requests`() async throws {
        try await ServerFixture.mobileToken().run { client in
            let app = try await client.mobileApp()
            _ = try await app.registerForPush("AA")
            _ = try await client.payment()
            let kept = try await client.send("/lab/pushes", method: .get).json["pushes"]
            #expect(kept?.arrayValue?.count == 1)
            #expect(kept?[0]?["token"] == "AA" && kept?[0]?["outcome"] == .null && kept?[0]?["number"] == 1)
            #expect(kept?[0]?["payload"]?["messageType"] == "mtoken.operationInit")
            #expect(try await client.send("/lab/pushes?after=1", method: .get).json["pushes"] == [])
            #expect(try await client.send("/lab/pushes", method: .delete).json["pushes"] == [])
        }
    }

    @Test(.verifies("mobile-token.md", "B-60")) func `An app's key without a value is left out of the payload`() {
        let message = PushMessage(title: "Hello", extras: ["campaign": .null, "number": 1, "nested": ["kept": .null]])
        #expect(
            message.notification(id: "1").payload == [
                "aps": ["alert": ["title": "Hello"]], "number": 1, "nested": ["kept": .null],
            ])
    }

    @Test func `A silent message shows nothing, and carries badge and group all the same`() {
        let message = PushMessage(
            title: "Hello", sound: "default", category: "payment", badge: 3, collapseKey: "payments", isSilent: true,
            priority: .normal)
        let notification = message.notification(id: "1")
        #expect(notification.payload == ["aps": ["content-available": 1, "badge": 3, "thread-id": "payments"]])
        #expect(notification.kind == .background && notification.priority.headerValue == 5)
    }
}

/// Takes a notification and does not come back until it is released.
private final class StuckGateway: PushGateway {
    private let isReleased = DispatchSemaphore(value: 0)

    func release() { isReleased.signal() }

    func send(_ notification: PushNotification, to token: String, in environment: PushEnvironment) -> PushOutcome {
        isReleased.wait()
        // The next notification is not delayed.
        isReleased.signal()
        return .accepted
    }
}
