// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Callbacks", .endsInTime)
struct CallbackTests {
    private static func callback(_ extra: [String: any Sendable] = [:]) -> [String: any Sendable] {
        [
            "applicationId": "lab", "name": "hook", "type": "ACTIVATION_STATUS_CHANGE",
            "callbackUrl": "http://127.0.0.1:1/hook", "attributes": ["userId", "activationStatus", "nothing"],
        ].merging(extra) { $1 }
    }

    @Test func `Every change of status is reported once, with the configured attributes`() async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([200, 204, 200, 200])
        try await fixture.run { client in
            let created = try await client.backOffice("application/callback/create", Self.callback())
            created.expectOK()
            let device = try await client.activeDevice()
            let block = ["activationId": device.activationId]
            try await client.backOffice("activation/block", block).expectOK()
            try await client.backOffice("activation/block", block).expectOK()
            try await client.backOffice(
                "activation/flags/create", ["activationId": device.activationId, "activationFlags": ["x"]]
            ).expectOK()
            _ = try await target.runJobs(fixture)
            _ = try await target.runJobs(fixture)
            let statuses = try target.bodies.map { $0["activationStatus"]?.stringValue }
            #expect(statuses == ["CREATED", "PENDING_COMMIT", "ACTIVE", "BLOCKED"])
            #expect(
                try target.bodies.first
                    == [
                        "type": "ACTIVATION", "activationId": .string(device.activationId), "userId": "alice",
                        "activationStatus": "CREATED",
                    ])
            let log = try await client.backOffice("application/callback/deliveries", ["id": created.required("id")])
            #expect(log.number("attempts.0.httpStatus") == 200)
            #expect(log.text("attempts.0.status") == "COMPLETED")
        }
    }

    @Test func `A callback shows how it is delivered, also where the defaults decide`() async throws {
        let fixture = try ServerFixture { $0.policy.callbacks.maxAttempts = 7 }
        try await fixture.run { client in
            func expectDelivery(_ answer: Answer, at place: String = "", _ expected: (String, String, Int)) {
                #expect(answer.text(place + "retentionPeriod") == expected.0)
                #expect(answer.text(place + "initialBackoff") == expected.1)
                #expect(answer.number(place + "maxAttempts") == expected.2)
            }
            let created = try await client.backOffice("application/callback/create", Self.callback([:]))
            expectDelivery(created, ("PT720H", "PT2S", 7))
            func list() async throws -> Answer {
                try await client.backOffice("application/callback/list", ["applicationId": "lab"])
            }
            expectDelivery(try await list(), at: "callbackUrlList.0.", ("PT720H", "PT2S", 7))
            let id = try created.required("id")
            let own: [String: any Sendable] = [
                "id": id, "retentionPeriod": "PT1H", "initialBackoff": "PT1.5S", "maxAttempts": 3,
            ]
            let changed = try await client.backOffice("application/callback/update", Self.callback(own))
            expectDelivery(changed, ("PT1H", "PT1.5S", 3))
            expectDelivery(try await list(), at: "callbackUrlList.0.", ("PT1H", "PT1.5S", 3))
            let cleared = try await client.backOffice("application/callback/update", Self.callback(["id": id]))
            expectDelivery(cleared, ("PT720H", "PT2S", 7))
        }
    }

    @Test func `A failed call is repeated with growing pauses, under one key`() async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([500, 302])
        try await fixture.run { client in
            let created = try await client.backOffice(
                "application/callback/create", Self.callback(["maxAttempts": 3, "initialBackoff": "PT4S"]))
            #expect(created.text("initialBackoff") == "PT4S")
            _ = try await client.initiate()
            let start = client.clock.now()
            #expect(try await target.runJobs(fixture) == start.advanced(by: 4_000))
            client.clock.advance(milliseconds: 3_999)
            _ = try await target.runJobs(fixture)
            #expect(target.requests.count == 1)
            client.clock.advance(milliseconds: 1)
            #expect(try await target.runJobs(fixture) == start.advanced(by: 10_000))
            client.clock.advance(milliseconds: 6_000)
            _ = try await target.runJobs(fixture)
            client.clock.advance(milliseconds: 60_000)
            _ = try await target.runJobs(fixture)
            #expect(target.requests.count == 3)
            #expect(Set(target.requests.map { $0.header("Idempotency-Key") }).count == 1)
            let log = try await client.backOffice("application/callback/deliveries", ["id": created.required("id")])
            #expect(log.text("attempts.0.status") == "FAILED")
            #expect(log.number("attempts.0.attempt") == 3)
            #expect(log.isNull("attempts.0.httpStatus") && !log.isNull("attempts.0.failure"))
        }
    }

    @Test(.verifies("server.md", "B-61"))
    func `Secrets stay unseen, and stay when an update does not name them`() async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([200])
        try await fixture.run { client in
            let basic: [String: any Sendable] = ["enabled": true, "username": "u", "password": "top-secret"]
            let created = try await client.backOffice(
                "application/callback/create", Self.callback(["authentication": ["httpBasic": basic]]))
            let id = try created.required("id")
            let kept: [String: any Sendable] = ["enabled": true, "username": "u"]
            let later: [String: any Sendable] = ["id": id, "name": "renamed", "authentication": ["httpBasic": kept]]
            try await client.backOffice("application/callback/update", Self.callback(later)).expectOK()
            let list = try await client.backOffice("application/callback/list", ["applicationId": "lab"])
            #expect(list.text("callbackUrlList.0.name") == "renamed")
            #expect(list.flag("callbackUrlList.0.authentication.httpBasic.passwordSet") == true)
            #expect(!String(decoding: list.body, as: UTF8.self).contains("top-secret"))
            _ = try await client.initiate()
            _ = try await target.runJobs(fixture)
            let header = target.requests.first?.header("Authorization")
            #expect(header == "Basic " + Data("u:top-secret".utf8).base64EncodedString())
        }
    }

    @Test(.verifies("server.md", "B-62")) func `A removed callback is neither called nor listed`() async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([200])
        try await fixture.run { client in
            let id = try await client.backOffice("application/callback/create", Self.callback()).required("id")
            _ = try await client.initiate()
            let removed = try await client.backOffice("application/callback/remove", ["id": id])
            #expect(removed.flag("removed") == true)
            _ = try await client.initiate()
            _ = try await target.runJobs(fixture)
            #expect(target.requests.isEmpty)
            let list = try await client.backOffice("application/callback/list", ["applicationId": "lab"])
            #expect((list.value("callbackUrlList") as? [Any])?.isEmpty == true)
            #expect(
                try await client.backOffice("application/callback/update", Self.callback(["id": id])).code == "ERR0024")
        }
    }

    @Test func `An invalid callback URL is refused`() async throws {
        try await ServerFixture.run { (client: ServerClient) async throws in
            for (change, code) in [
                (["callbackUrl": "nowhere"], "ERR0014"), (["callbackUrl": ""], "ERR0024"),
                (["applicationId": "none"], "ERR0015"), (["type": "OTHER"], "ERROR_HTTP_REQUEST"),
                (["maxAttempts": 0], "ERR0024"), (["initialBackoff": "2 s"], "ERROR_HTTP_REQUEST"),
            ] as [([String: any Sendable], String)] {
                let refused = try await client.backOffice("application/callback/create", Self.callback(change))
                #expect(refused.code == code, "\(change)")
            }
        }
    }

    @Test func `Operations notify their own callbacks, also when they expire`() async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([200, 200, 200])
        try await fixture.run { client in
            let hook: [String: any Sendable] = ["type": "OPERATION_STATUS_CHANGE", "attributes": ["status", "data"]]
            try await client.backOffice("application/callback/create", Self.callback(hook)).expectOK()
            try await client.createTemplate()
            let id = try await client.createOperation().required("id")
            #expect(try await target.runJobs(fixture) == client.clock.now().advanced(by: 300_001))
            let firstDeletion = client.clock.now().advanced(by: 30 * 86_400_000 + 1)
            client.clock.advance(milliseconds: 300_001)
            #expect(try await target.runJobs(fixture) == firstDeletion)
            let bodies = try target.bodies
            #expect(bodies.map { $0["status"] } == ["PENDING", "EXPIRED"])
            #expect(bodies.first?["operationId"]?.stringValue == id)
            #expect(bodies.first?["data"] == "A1")
        }
    }

    @Test func `An unfinished activation is removed when its time is over`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let (id, _) = try await client.initiate()
            #expect(try await CallbackTarget([]).runJobs(fixture) == client.clock.now().advanced(by: 300_001))
            client.clock.advance(milliseconds: 300_001)
            #expect(try await CallbackTarget([]).runJobs(fixture) == nil)
            let history = try await client.backOffice(
                "activation/history", ["activationId": id, "timestampFrom": 0, "timestampTo": 4_000_000_000_000])
            #expect(history.text("items.0.activationStatus") == "REMOVED")
        }
    }

    @Test(arguments: [("P30D", "PT720H"), ("PT2S", "PT2S"), ("PT1.5S", "PT1.5S"), ("PT90M", "PT1H30M")])
    func `Durations come back in hours, minutes and seconds`(given: String, shown: String) throws {
        let duration = try JSONDecoder().decode(ISODuration.self, from: Data("\"\(given)\"".utf8))
        #expect(try JSONEncoder().encode(duration) == Data("\"\(shown)\"".utf8))
    }
}

/// The target of callbacks: answers with the given statuses in turn, then not at all, and records the calls.
final class CallbackTarget: Sendable {
    private let statuses: Mutex<[Int]>
    private let received = Mutex<[OutgoingRequest]>([])

    init(_ statuses: [Int]) { self.statuses = Mutex(statuses) }

    var requests: [OutgoingRequest] { received.withLock { $0 } }

    var bodies: [JSONValue] { get throws { try requests.map { try JSONValue.parse($0.body) } } }

    private func answer(_ request: OutgoingRequest) throws -> Int {
        received.withLock { $0.append(request) }
        return try statuses.withLock { statuses in
            guard let status = statuses.first else { throw OutgoingRequest.Failure(description: "unreachable") }
            statuses.removeFirst()
            return status
        }
    }

    /// Does what is due. - Returns: when the next thing is due.
    func runJobs(_ fixture: ServerFixture) async throws -> ServerTime? {
        let context = fixture.server.services.context
        let delivery = CallbackDelivery(context: context, call: answer)
        let jobs = ScheduledJobs(context: context, delivery: delivery)
        var isDelivering = false
        let next = try jobs.runDue { isDelivering = true }
        guard isDelivering else { return next }
        while (try? await delivery.deliverNext()) == true {}
        return try jobs.runDue {}
    }
}

extension OutgoingRequest {
    /// The value of a header that the request carries.
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}
