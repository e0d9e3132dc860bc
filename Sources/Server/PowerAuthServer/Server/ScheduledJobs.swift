// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabSystem
import ServiceLifecycle
import Synchronization

/// What happens by the passing of time alone: expiry, purges, and calls that are due (server.md, section 24).
///
/// Thread rule: a thread of its own only; it blocks.
struct ScheduledJobs: Sendable {
    let context: ServiceContext
    /// Whose messages are looked at.
    let delivery: CallbackDelivery
    private let purges: PurgeJobs

    init(context: ServiceContext, delivery: CallbackDelivery) {
        self.context = context
        self.delivery = delivery
        purges = PurgeJobs(context: context)
    }

    /// Does everything that is due now.
    /// - Parameter deliver: has the messages of callbacks delivered; called when some are due.
    /// - Returns: when the next thing is due; nil when nothing is planned.
    func runDue(deliver: () -> Void) throws -> ServerTime? {
        try OperationService(context: context).expireOverdue()
        try removeExpiredActivations()
        try purges.runDue()
        // Read before checking what is due: work that becomes due meanwhile is planned.
        let now = context.clock.now()
        if try delivery.hasDue() { deliver() }
        return try context.read { database in
            // Something expires one moment after the last one it is still good for.
            try [
                OperationStore.nextExpiry(database)?.advanced(by: 1),
                ActivationStore.nextExpiry(database)?.advanced(by: 1), CallbackStore.nextDue(database, after: now),
                purges.next(database),
            ].compactMap(\.self).min()
        }
    }

    /// How many activations expire in one transaction: requests wait for the write lock meanwhile.
    static let expiryBatch = 100

    /// Without lower bound: activations that expired while no server ran are removed too (server.md, section 30, item
    /// 19).
    private func removeExpiredActivations() throws {
        let now = context.clock.now()
        guard let next = try context.read(ActivationStore.nextExpiry), next < now else { return }
        func removeBatch(_ change: WriteTransaction) throws -> Int {
            let expired = try ActivationStore.expired(change.database, at: change.now, limit: Self.expiryBatch)
            for var activation in expired { _ = try change.removeIfExpired(&activation) }
            return expired.count
        }
        while try context.change(removeBatch) == Self.expiryBatch {}
    }
}

/// Periodically deletes unreachable records (server.md, section 24).
///
/// Thread rule: any thread; all methods block.
final class PurgeJobs: Sendable {
    /// Rows that end by themselves.
    private struct Job: Sendable {
        let table: String
        let key: String
        /// The column with the last moment that a row is good for.
        let end: String
        /// The least time between two purges, in milliseconds.
        let period: Int64
    }

    private static let jobs = [
        Job(table: "unique_value", key: "value", end: "t_expire", period: 60_000),
        Job(table: "temporary_key", key: "key_id", end: "t_expire", period: 5_000),
        // A message gets its time when it is finished.
        Job(table: "callback_event", key: "id", end: "t_delete", period: 3_600_000),
    ]

    /// How many rows go in one transaction: requests wait for the write lock meanwhile.
    static let batch = 1_000

    private let context: ServiceContext
    /// Before which moment a job has nothing to do, in the order of the jobs.
    private let earliest = Mutex([ServerTime](repeating: ServerTime(milliseconds: .min), count: jobs.count))

    init(context: ServiceContext) { self.context = context }

    /// Deletes the rows whose time is over, where the last purge was long enough ago.
    func runDue() throws {
        let now = context.clock.now()
        for (index, job) in Self.jobs.enumerated() where earliest.withLock({ $0[index] <= now }) {
            guard let end = try context.read({ try Self.firstEnd($0, job) }), end < now else { continue }
            while try context.change({ try Self.deleteBatch($0, job) }) == Self.batch {}
            earliest.withLock { $0[index] = now.advanced(by: job.period) }
        }
    }

    /// When the next purge has something to do.
    func next(_ database: Database) throws -> ServerTime? {
        let earliest = earliest.withLock { $0 }
        return try zip(Self.jobs, earliest).compactMap { job, earliest in
            try Self.firstEnd(database, job).map { max($0.advanced(by: 1), earliest) }
        }.min()
    }

    private static func firstEnd(_ database: Database, _ job: Job) throws -> ServerTime? {
        try Int64.fetchOne(database.cachedStatement(sql: "SELECT MIN(\(job.end)) FROM \(job.table)"))
            .map(ServerTime.init(milliseconds:))
    }

    /// - Returns: how many rows are gone.
    private static func deleteBatch(_ change: WriteTransaction, _ job: Job) throws -> Int {
        try change.database.cachedStatement(
            sql: """
                DELETE FROM \(job.table) WHERE \(job.key) IN
                    (SELECT \(job.key) FROM \(job.table) WHERE \(job.end) < ? ORDER BY \(job.end) LIMIT \(batch))
                """
        ).execute(arguments: [change.now.milliseconds])
        return change.database.changesCount
    }
}

/// Runs time-dependent jobs exactly when they are due, on a thread of its own.
///
/// Thread rule: any thread; runs once.
final class JobThread: Service {
    private let jobs: ScheduledJobs
    private let calls: CallbackCalls
    private let isStopped = Atomic(false)

    /// - Parameter delivery: calls the targets of callbacks.
    init(_ context: ServiceContext, delivery: CallbackDelivery? = nil) {
        let delivery = delivery ?? CallbackDelivery(context: context)
        jobs = ScheduledJobs(context: context, delivery: delivery)
        calls = CallbackCalls(delivery)
    }

    /// Runs the jobs until the server ends, the task is cancelled or ``stop()`` is called.
    func run() async {
        await withTaskCancellationOrGracefulShutdownHandler {
            await onThread(named: "server jobs") { self.work() }
        } onCancelOrGracefulShutdown: {
            self.stop()
        }
    }

    /// Has the thread end. Returns at once; deliveries under way continue.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        calls.stop()
        jobs.context.alarm.ring()
    }

    private func work() {
        let context = jobs.context
        while !isStopped.load(ordering: .acquiring) {
            // A database that cannot be written now is tried again with the next change.
            let next = try? jobs.runDue { calls.wake() }
            guard !isStopped.load(ordering: .acquiring) else { return }
            context.clock.wait(until: next ?? nil, orRung: context.alarm)
        }
    }
}
