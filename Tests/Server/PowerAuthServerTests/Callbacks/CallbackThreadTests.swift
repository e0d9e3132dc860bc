// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

/// Callbacks behind the real thread of jobs and the real deliveries.
@Suite("Callbacks under load", .endsInTime)
struct CallbackThreadTests {
    /// A target that takes its time: every call waits until the test answers it.
    private final class SlowTarget: Sendable {
        private let keys = Mutex<[String]>([])
        private let begun = DispatchSemaphore(value: 0)
        private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

        /// The idempotency keys of all calls.
        var calls: [String] { keys.withLock { $0 } }

        @Sendable func answer(_ request: OutgoingRequest) async -> Int {
            keys.withLock { $0.append(request.header("Idempotency-Key") ?? "") }
            await withCheckedContinuation { continuation in
                waiting.withLock { $0.append(continuation) }
                begun.signal()
            }
            return 200
        }

        func waitForCalls(_ count: Int) { for _ in 0..<count { begun.wait() } }

        /// Answers calls that have been waited for.
        func answerCalls(_ count: Int) {
            let answered = waiting.withLock { waiting in
                defer { waiting.removeFirst(count) }
                return waiting.prefix(count)
            }
            answered.forEach { $0.resume() }
        }
    }

    private func statuses(_ context: ServiceContext) throws -> [String: Int] {
        let all = try context.read { try String.fetchAll($0, sql: "SELECT status FROM callback_event") }
        return Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
    }

    @Test(
        .verifies("security.md", "slow-targets"), .verifies("size", "CallbackPolicy.concurrentCalls"),
        arguments: [1, 3])
    func `However slow the target and however late it is, each message is delivered once`(maxAttempts: Int) async throws
    {
        let commits = DispatchSemaphore(value: 0)
        let fixture = try ServerFixture(faults: ServerFaults(afterCommit: { commits.signal() })) {
            $0.policy.callbacks.concurrentCalls = 2
        }
        let target = SlowTarget()
        try await fixture.run { client in
            try await client.createCallback(["maxAttempts": maxAttempts])
            for _ in 1...30 { _ = try await client.initiate(["timestampActivationExpire": 4_000_000_000_000]) }
        }
        let (context, clock) = (fixture.server.services.context, fixture.clock)
        let jobs = JobThread(context, delivery: CallbackDelivery(context: context, call: target.answer))
        async let running: Void = jobs.run()
        try await onThread {
            for _ in 1...15 {
                target.waitForCalls(2)
                // Longer than a call may take: the running call is still alive, and no other is made.
                clock.advance(milliseconds: 80_000)
                context.alarm.ring()
                #expect(try statuses(context)["PROCESSING"] == 2)
                #expect(try statuses(context)["FAILED"] == nil)
                target.answerCalls(2)
            }
            while try statuses(context)["COMPLETED"] != 30 { commits.wait() }
            jobs.stop()
        }
        await running
        #expect(target.calls.count == 30 && Set(target.calls).count == 30)
    }

    @Test
    func `A message whose call is under way is not taken again, however long it takes; one without a call is`()
        async throws
    {
        let fixture = try ServerFixture()
        let context = fixture.server.services.context
        try await fixture.run { client in
            try await client.createCallback(["maxAttempts": 3])
            _ = try await client.initiate(["timestampActivationExpire": 4_000_000_000_000])
            func take(_ underWay: Set<Int64>) throws -> CallbackEvent? {
                try context.change { change in
                    try CallbackStore.takeDue(
                        change.database, context.policy.callbacks, at: change.now, underWay: underWay)
                }
            }
            let event = try #require(try take([]))
            client.clock.advance(milliseconds: 80_000)
            #expect(try take([event.row]) == nil)
            #expect(try statuses(context) == ["PROCESSING": 1])
            #expect(try take([])?.row == event.row)
        }
    }

    @Test
    func `A call is under way until its outcome is written, and no longer, also when that cannot be written`()
        async throws
    {
        struct Injected: Error {}
        let isFull = Mutex(false)
        let calls = Mutex(0)
        let taken = Mutex<Set<Int64>>([])
        let fixture = try ServerFixture(
            faults: ServerFaults(beforeCommit: { if isFull.withLock({ $0 }) { throw Injected() } }))
        try await fixture.run { client in
            try await client.createCallback(["maxAttempts": 3])
            _ = try await client.initiate(["timestampActivationExpire": 4_000_000_000_000])
            let context = fixture.server.services.context
            let delivery = CallbackDelivery(
                context: context,
                call: { _ in
                    let isFirst = calls.withLock { count in
                        count += 1
                        return count == 1
                    }
                    // Nothing can be written behind the first call.
                    isFull.withLock { $0 = isFirst }
                    return 200
                })
            await #expect(throws: Injected.self) {
                try await delivery.deliverNext { taken.withLock { $0 = delivery.underWay.all } }
            }
            #expect(taken.withLock { $0 }.count == 1)
            #expect(delivery.underWay.all.isEmpty)
            isFull.withLock { $0 = false }
            #expect(try statuses(context) == ["PROCESSING": 1])
            // It counts as lost, and is delivered again.
            client.clock.advance(milliseconds: 75_000)
            #expect(try await delivery.deliverNext())
            #expect(delivery.underWay.all.isEmpty)
            #expect(calls.withLock { $0 } == 2)
            #expect(try statuses(context) == ["COMPLETED": 1])
        }
    }

    @Test(arguments: [true, false])
    func `A message that ends without a call is kept as long as its callback says`(isCircuitOpen: Bool) async throws {
        let fixture = try ServerFixture { $0.policy.callbacks.failureThreshold = 1 }
        let context = fixture.server.services.context
        try await fixture.run { client in
            try await client.createCallback(["retentionPeriod": "PT1H"])
            _ = try await client.initiate()
            if isCircuitOpen {
                let now = client.clock.now().milliseconds
                try context.change { change in
                    try change.database.execute(
                        sql: "UPDATE callback_url SET failures = 1, t_last_failure = ?", arguments: [now])
                }
            } else {
                // Its process takes it and dies.
                _ = try context.change { change in
                    try CallbackStore.takeDue(change.database, context.policy.callbacks, at: change.now, underWay: [])
                }
                client.clock.advance(milliseconds: 75_000)
            }
            let end = client.clock.now().milliseconds + 3_600_000
            _ = try await CallbackTarget([]).runJobs(fixture)
            let deletion = try context.read { try Int64.fetchOne($0, sql: "SELECT t_delete FROM callback_event") }
            #expect(deletion == end)
        }
    }

    @Test func `The jobs delete unreachable records, not before their time and not too often`() async throws {
        let fixture = try ServerFixture()
        let context = fixture.server.services.context
        try await fixture.run { client in
            _ = try await client.activeDevice()
            func count(_ table: String) throws -> Int? {
                try context.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM \(table)") }
            }
            let jobs = ScheduledJobs(context: context, delivery: CallbackDelivery(context: context))
            let start = client.clock.now()
            #expect(try jobs.runDue {} == start.advanced(by: 60_001))
            #expect(try count("unique_value") ?? 0 > 0 && count("temporary_key") ?? 0 > 0)
            client.clock.advance(milliseconds: 60_001)
            #expect(try jobs.runDue {} == start.advanced(by: 300_001))
            #expect(try count("unique_value") == 0 && count("temporary_key") ?? 0 > 0)
            // One that ends right after a purge waits for the next.
            let value = "INSERT INTO unique_value (value, type, t_expire) VALUES ('x', 0, ?)"
            let now = client.clock.now()
            try context.change { try $0.database.execute(sql: value, arguments: [now.milliseconds]) }
            #expect(try jobs.runDue {} == now.advanced(by: 60_000))
            client.clock.advance(milliseconds: 300_001)
            #expect(try jobs.runDue {} == nil)
            #expect(try count("unique_value") == 0 && count("temporary_key") == 0)
        }
    }
}
