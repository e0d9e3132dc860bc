// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabVocabulary
import TestSupport
import Testing

@testable import PowerAuthServer

/// What happens to messages whose targets fail, whose process ended or whose time is over
/// (server.md, sections 16.4 and 24).
@Suite("Delivery of callbacks", .endsInTime)
struct CallbackPolicyTests {
    private func statuses(_ fixture: ServerFixture) throws -> [String] {
        try fixture.server.services.context.read {
            try String.fetchAll($0, sql: "SELECT status FROM callback_event ORDER BY id")
        }
    }

    @Test func `Failures in a row open the circuit, and a success after the pause closes it`() async throws {
        let fixture = try ServerFixture {
            $0.policy.callbacks.failureThreshold = 2
            $0.policy.callbacks.resetTimeout = 10_000
        }
        let target = CallbackTarget([500, 500, 200, 200])
        try await fixture.run { client in
            try await client.createCallback()
            for _ in 1...4 {
                _ = try await client.initiate()
                _ = try await target.runJobs(fixture)
            }
            #expect(target.requests.count == 2)
            #expect(try statuses(fixture) == ["FAILED", "FAILED", "FAILED", "FAILED"])
            client.clock.advance(milliseconds: 10_000)
            for _ in 1...2 {
                _ = try await client.initiate()
                _ = try await target.runJobs(fixture)
            }
            #expect(try statuses(fixture).suffix(2) == ["COMPLETED", "COMPLETED"])
        }
    }

    @Test func `A negative threshold never opens the circuit`() async throws {
        let fixture = try ServerFixture { $0.policy.callbacks.failureThreshold = -1 }
        let target = CallbackTarget([])
        try await fixture.run { client in
            try await client.createCallback()
            for _ in 1...3 {
                _ = try await client.initiate()
                _ = try await target.runJobs(fixture)
            }
            #expect(target.requests.count == 3)
        }
    }

    @Test(arguments: [(3, "COMPLETED"), (1, "FAILED")])
    func `An attempt that ended with its process is repeated where attempts are repeated at all`(
        maxAttempts: Int, outcome: String
    ) async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([200])
        try await fixture.run { client in
            try await client.createCallback(["maxAttempts": maxAttempts])
            _ = try await client.initiate()
            let context = fixture.server.services.context
            // The process takes the message and crashes before it writes the outcome.
            let taken = try context.change { change in
                try CallbackStore.takeDue(change.database, context.policy.callbacks, at: change.now, underWay: [])
            }
            #expect(taken != nil)
            #expect(try statuses(fixture) == ["PROCESSING"])
            client.clock.advance(milliseconds: 74_999)
            #expect(try await target.runJobs(fixture) == client.clock.now().advanced(by: 1))
            #expect(target.requests.isEmpty)
            client.clock.advance(milliseconds: 1)
            _ = try await target.runJobs(fixture)
            #expect(try statuses(fixture) == [outcome])
            #expect(target.requests.count == (maxAttempts > 1 ? 1 : 0))
        }
    }

    @Test(.verifies("size", "CallbackPolicy.retention"))
    func `Finished messages are forgotten when their time is over`() async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([200, 500])
        try await fixture.run { client in
            try await client.createCallback(["retentionPeriod": "PT1H"])
            for _ in 1...2 {
                _ = try await client.initiate()
                _ = try await target.runJobs(fixture)
            }
            #expect(try statuses(fixture) == ["COMPLETED", "FAILED"])
            let context = fixture.server.services.context
            func runJobs() async throws {
                _ = try ScheduledJobs(context: context, delivery: CallbackDelivery(context: context)).runDue {}
            }
            client.clock.advance(milliseconds: 3_600_000)
            try await runJobs()
            #expect(try statuses(fixture).prefix(2) == ["COMPLETED", "FAILED"])
            client.clock.advance(milliseconds: 1)
            try await runJobs()
            #expect(try statuses(fixture).filter { $0 != "PENDING" } == [])
        }
    }

    @Test func `A zero pause stays zero after any number of attempts`() async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([500, 500])
        try await fixture.run { client in
            let patient: [String: any Sendable] = ["initialBackoff": "PT0S", "maxAttempts": 1_753]
            try await client.createCallback(patient)
            _ = try await client.initiate()
            // From the next attempt on the factor of the pause is too large for a number.
            try fixture.server.services.context.change {
                try $0.database.execute(sql: "UPDATE callback_event SET attempts = 1751")
            }
            _ = try await target.runJobs(fixture)
            #expect(target.requests.count == 2)
            #expect(try statuses(fixture) == ["FAILED"])
        }
    }

    /// Where a message is when its callback is removed.
    enum Whereabouts: CaseIterable {
        case waiting
        case lost
        case underWay
    }

    @Test(arguments: Whereabouts.allCases)
    func `A message of a removed callback fails, and is deleted in time`(whereabouts: Whereabouts) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let id = try await client.createCallback(["maxAttempts": 3, "retentionPeriod": "PT1H"])
            _ = try await client.initiate()
            let context = fixture.server.services.context
            @Sendable func remove() throws {
                #expect(try CallbackService(context: context).remove(id: Identifier(known: id)))
            }
            switch whereabouts {
            case .waiting:
                try remove()
            case .lost:
                // Its process takes it and dies.
                _ = try context.change { change in
                    try CallbackStore.takeDue(change.database, context.policy.callbacks, at: change.now, underWay: [])
                }
                try remove()
                client.clock.advance(milliseconds: 75_000)
            case .underWay:
                let delivery = CallbackDelivery(
                    context: context,
                    call: { _ in
                        try remove()
                        return 500
                    })
                #expect(try await delivery.deliverNext())
            }
            let target = CallbackTarget([200])
            _ = try await target.runJobs(fixture)
            #expect(try statuses(fixture) == ["FAILED"])
            client.clock.advance(milliseconds: 3_600_001)
            _ = try await target.runJobs(fixture)
            #expect(try statuses(fixture).isEmpty)
            #expect(target.requests.isEmpty)
        }
    }

    @Test(.verifies("security.md", "callback-hosts")) func `Only allowed hosts are called`() async throws {
        let directory = try TemporaryDirectory()
        _ = try await ServerFixture(directory: directory).run { client in try await client.createCallback() }
        let fixture = try ServerFixture(directory: directory) {
            $0.policy.callbacks.allowedHosts = ["*.example.com", "localhost"]
        }
        let target = CallbackTarget([200])
        try await fixture.run { client in
            let refused = try await client.backOffice("application/callback/create", ServerClient.callback())
            #expect(refused.code == "ERR0024")
            #expect(refused.text("message")?.contains("127.0.0.1") == true)
            try await client.createCallback(["callbackUrl": "https://hooks.EXAMPLE.com/x"])
            // A callback configured before the hosts were restricted is not called either.
            _ = try await client.initiate()
            _ = try await target.runJobs(fixture)
            #expect(target.requests.map(\.url) == ["https://hooks.EXAMPLE.com/x"])
        }
    }

    @Test(.verifies("security.md", "callback-hosts"))
    func `An access token is asked for at allowed hosts only`() async throws {
        let directory = try TemporaryDirectory()
        @Sendable func callback(_ tokenUri: String) -> [String: any Sendable] {
            let oauth2: [String: any Sendable] = [
                "enabled": true, "tokenUri": tokenUri, "clientId": "lab", "clientSecret": "top-secret",
            ]
            return ServerClient.callback([
                "callbackUrl": "https://hooks.example.com/x", "authentication": ["oauth2": oauth2],
            ])
        }
        try await ServerFixture(directory: directory).run { client in
            try await client.backOffice("application/callback/create", callback("http://127.0.0.1:1/token")).expectOK()
        }
        let fixture = try ServerFixture(directory: directory) {
            $0.policy.callbacks.allowedHosts = ["*.example.com"]
        }
        let target = CallbackTarget([200])
        try await fixture.run { client in
            let refused = try await client.backOffice(
                "application/callback/create", callback("http://169.254.169.254/token"))
            #expect(refused.code == "ERR0024")
            #expect(refused.text("message")?.contains("tokenUri - callbacks may not call 169.254.169.254") == true)
            // A token URL configured before the hosts were restricted is not called either, and without a token neither
            // is the callback.
            let list = try await client.backOffice("application/callback/list", ["applicationId": "lab"])
            let id = try list.required("callbackUrlList.0.id")
            _ = try await client.initiate()
            _ = try await target.runJobs(fixture)
            #expect(target.requests.isEmpty)
            let log = try await client.backOffice("application/callback/deliveries", ["id": id])
            let failure = try log.required("attempts.0.failure")
            #expect(failure.contains("127.0.0.1") && failure.contains("no host that callbacks may call"), "\(failure)")
            try await client.backOffice(
                "application/callback/create", callback("https://login.example.com/token")
            ).expectOK()
        }
    }

    @Test func `Work due before the next run of the jobs wakes them`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let alarm = fixture.server.services.context.alarm
            _ = try await client.initiate()
            var hasWaited = false
            alarm.wait(wakingBy: {}) { hasWaited = true }
            #expect(!hasWaited)
        }
    }

    @Test func `Expired operations, activations and messages wait for the server's clock only`() async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([])
        try await fixture.run { client in
            try await client.createTemplate()
            let operation = try await client.createOperation().required("id")
            let (activation, _) = try await client.initiate()
            #expect(try await target.runJobs(fixture) == client.clock.now().advanced(by: 300_001))
            client.clock.advance(milliseconds: 300_000)
            #expect(try await target.runJobs(fixture) == client.clock.now().advanced(by: 1))
            func stored(_ sql: String, _ id: String) throws -> Int? {
                try fixture.server.services.context.read { try Int.fetchOne($0, sql: sql, arguments: [id]) }
            }
            let activationStatus = "SELECT status FROM activation WHERE activation_id = ?"
            #expect(try stored(activationStatus, activation) == 1)
            client.clock.advance(milliseconds: 1)
            #expect(try await target.runJobs(fixture) == nil)
            #expect(try stored(activationStatus, activation) == 5)
            let final = try stored("SELECT t_final FROM operation WHERE id = ?", operation)
            #expect(final.map(Int64.init) == client.clock.now().milliseconds)
        }
    }
}
