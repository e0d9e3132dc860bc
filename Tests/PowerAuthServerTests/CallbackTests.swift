import Foundation
import FoundationNetworking
import LabKit
import PowerAuthProtocol
import Synchronization
import Testing

@testable import PowerAuthServer

@Suite struct CallbackTests {
    /// Answers calls with the given statuses in turn, and remembers them.
    private final class Target: Sendable {
        private let statuses: Mutex<[Int]>
        private let received = Mutex<[URLRequest]>([])

        init(_ statuses: [Int]) { self.statuses = Mutex(statuses) }

        var requests: [URLRequest] { received.withLock { $0 } }
        var bodies: [JSONValue] {
            get throws { try requests.map { try JSONDecoder().decode(JSONValue.self, from: $0.httpBody ?? Data()) } }
        }

        func answer(_ request: URLRequest) throws -> Int {
            received.withLock { $0.append(request) }
            return try statuses.withLock { statuses in
                guard let status = statuses.first else { throw URLError(.cannotConnectToHost) }
                statuses.removeFirst()
                return status
            }
        }
    }

    /// Does what is due, on this thread. - Returns: when the next thing is due.
    private func runJobs(_ fixture: ServerFixture, _ target: Target) throws -> ServerTime? {
        let context = fixture.server.services.context
        let delivery = CallbackDelivery(context: context, call: target.answer)
        return try ScheduledJobs(context: context).runDue { try? delivery.deliver($0) }
    }

    private static func callback(_ extra: [String: any Sendable] = [:]) -> [String: any Sendable] {
        [
            "applicationId": "lab", "name": "hook", "type": "ACTIVATION_STATUS_CHANGE",
            "callbackUrl": "http://127.0.0.1:1/hook", "attributes": ["userId", "activationStatus", "nothing"],
        ].merging(extra) { $1 }
    }

    @Test func `every change of status is told once, with the wanted attributes`() async throws {
        let fixture = try ServerFixture()
        let target = Target([200, 204, 200, 200])
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
            _ = try runJobs(fixture, target)
            _ = try runJobs(fixture, target)
            let statuses = try target.bodies.map { $0["activationStatus"]?.stringValue }
            #expect(statuses == ["CREATED", "PENDING_COMMIT", "ACTIVE", "BLOCKED"])
            #expect(
                try target.bodies.first
                    == [
                        "type": "ACTIVATION", "activationId": .string(device.activationId), "userId": "alice",
                        "activationStatus": "CREATED",
                    ])
            let log = try await client.backOffice(
                "application/callback/deliveries", ["id": created.required("id")])
            #expect(log.number("attempts.0.httpStatus") == 200)
            #expect(log.text("attempts.0.status") == "COMPLETED")
        }
    }

    @Test func `a failed call is repeated with growing pauses, under one key`() async throws {
        let fixture = try ServerFixture()
        let target = Target([500, 302])
        try await fixture.run { client in
            let created = try await client.backOffice(
                "application/callback/create", Self.callback(["maxAttempts": 3, "initialBackoff": "PT4S"]))
            #expect(created.text("initialBackoff") == "PT4S")
            _ = try await client.initiate()
            let start = client.clock.now()
            #expect(try runJobs(fixture, target) == start.advanced(by: 4_000))
            client.clock.advance(milliseconds: 3_999)
            _ = try runJobs(fixture, target)
            #expect(target.requests.count == 1)
            client.clock.advance(milliseconds: 1)
            #expect(try runJobs(fixture, target) == start.advanced(by: 10_000))
            client.clock.advance(milliseconds: 6_000)
            _ = try runJobs(fixture, target)
            client.clock.advance(milliseconds: 60_000)
            _ = try runJobs(fixture, target)
            #expect(target.requests.count == 3)
            #expect(Set(target.requests.map { $0.value(forHTTPHeaderField: "Idempotency-Key") }).count == 1)
            let log = try await client.backOffice(
                "application/callback/deliveries", ["id": created.required("id")])
            #expect(log.text("attempts.0.status") == "FAILED")
            #expect(log.number("attempts.0.attempt") == 3)
            #expect(log.isNull("attempts.0.httpStatus") && !log.isNull("attempts.0.failure"))
        }
    }

    @Test func `secrets stay unseen, and stay when an update does not name them`() async throws {
        let fixture = try ServerFixture()
        let target = Target([200])
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
            _ = try runJobs(fixture, target)
            let header = target.requests.first?.value(forHTTPHeaderField: "Authorization")
            #expect(header == "Basic " + Data("u:top-secret".utf8).base64EncodedString())
        }
    }

    @Test func `a removed callback is silent and gone`() async throws {
        let fixture = try ServerFixture()
        let target = Target([200])
        try await fixture.run { client in
            let id = try await client.backOffice("application/callback/create", Self.callback()).required("id")
            _ = try await client.initiate()
            let removed = try await client.backOffice("application/callback/remove", ["id": id])
            #expect(removed.flag("removed") == true)
            _ = try await client.initiate()
            _ = try runJobs(fixture, target)
            #expect(target.requests.isEmpty)
            let list = try await client.backOffice("application/callback/list", ["applicationId": "lab"])
            #expect((list.value("callbackUrlList") as? [Any])?.isEmpty == true)
            #expect(
                try await client.backOffice("application/callback/update", Self.callback(["id": id])).code == "ERR0024")
        }
    }

    @Test func `what cannot be called is refused`() async throws {
        try await ServerFixture.run { (client: ServerClient) async throws in
            for (change, code) in [
                (["callbackUrl": "nowhere"], "ERR0014"), (["callbackUrl": ""], "ERR0024"),
                (["applicationId": "none"], "ERR0015"), (["type": "OTHER"], "ERROR_HTTP_REQUEST"),
                (["maxAttempts": 0], "ERR0024"), (["initialBackoff": "2 s"], "ERROR_HTTP_REQUEST"),
                (["authentication": ["oauth2": ["enabled": true]]], "ERR0024"),
            ] as [([String: any Sendable], String)] {
                let refused = try await client.backOffice("application/callback/create", Self.callback(change))
                #expect(refused.code == code, "\(change)")
            }
        }
    }

    @Test func `operations tell their own callbacks, also when they expire`() async throws {
        let fixture = try ServerFixture()
        let target = Target([200, 200, 200])
        try await fixture.run { client in
            let hook: [String: any Sendable] = ["type": "OPERATION_STATUS_CHANGE", "attributes": ["status", "data"]]
            try await client.backOffice("application/callback/create", Self.callback(hook)).expectOK()
            try await client.createTemplate()
            let id = try await client.createOperation().required("id")
            #expect(try runJobs(fixture, target) == client.clock.now().advanced(by: 300_001))
            client.clock.advance(milliseconds: 300_001)
            #expect(try runJobs(fixture, target) == nil)
            let bodies = try target.bodies
            #expect(bodies.map { $0["status"] } == ["PENDING", "EXPIRED"])
            #expect(bodies.first?["operationId"]?.stringValue == id)
            #expect(bodies.first?["data"] == "A1")
        }
    }

    @Test func `an unfinished activation is removed when its time is over`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let (id, _) = try await client.initiate()
            #expect(try runJobs(fixture, Target([])) == client.clock.now().advanced(by: 300_001))
            client.clock.advance(milliseconds: 300_001)
            #expect(try runJobs(fixture, Target([])) == nil)
            let history = try await client.backOffice(
                "activation/history", ["activationId": id, "timestampFrom": 0, "timestampTo": 4_000_000_000_000])
            #expect(history.text("items.0.activationStatus") == "REMOVED")
        }
    }

    @Test(arguments: [("P30D", "PT720H"), ("PT2S", "PT2S"), ("PT1.5S", "PT1.5S"), ("PT90M", "PT1H30M")])
    func `durations come back in hours, minutes and seconds`(given: String, shown: String) throws {
        let duration = try JSONDecoder().decode(ISODuration.self, from: Data("\"\(given)\"".utf8))
        #expect(try JSONEncoder().encode(duration) == Data("\"\(shown)\"".utf8))
    }
}
