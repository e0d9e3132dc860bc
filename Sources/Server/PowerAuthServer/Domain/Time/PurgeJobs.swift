import GRDB
import Synchronization

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

    init(context: ServiceContext) {
        self.context = context
    }

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
