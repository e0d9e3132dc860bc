// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabSystem
import Synchronization

/// Folds the write-ahead log into the database file, on a thread and a connection of its own.
///
/// That waits for the disk twice; if SQLite did it itself, a commit would wait for it. Writers and readers continue
/// meanwhile. A log that is written all the time is never folded completely, and only a completely folded one restarts;
/// so when it is long, the writer folds the rest between two transactions.
///
/// Thread rule: any thread, but for ``noteCommit(_:)``. The thread ends with ``close()`` or the last reference.
final class Checkpointer: Sendable {
    /// When the log is folded.
    struct Limits: Sendable {
        /// After how many changed rows.
        var rows = 8192
        /// How many pages of 4 KiB the log may have before its rest is folded by the writer.
        var longestLog = 16_384
    }

    private let limits: Limits
    private let connection: DatabaseQueue
    private let foldedAt = Atomic(0)
    private let rounds = CheckpointRounds()

    /// - Throws: when there can be no connection of its own.
    init(path: String, limits: Limits = Limits()) throws {
        self.limits = limits
        var configuration = Configuration()
        configuration.label = "checkpoints"
        // A server that has just ended may still fold its log, which briefly locks the database.
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        connection = try DatabaseQueue(path: path, configuration: configuration)
        // The thread does not hold its owner, so that it does not keep it alive.
        let thread = Thread { [connection, rounds, limits] in
            while rounds.wanted.takeAll() != nil, !rounds.wanted.isClosed {
                // A log that cannot be folded now is folded the next time; nothing is lost by then.
                let pages = try? connection.writeWithoutTransaction { try Self.fold($0) }
                // Even if all of it was folded: later writes are not counted, and keep it from beginning anew.
                if let pages, pages > limits.longestLog { rounds.wantsWriter.store(true, ordering: .relaxed) }
            }
            try? connection.close()
            rounds.hasEnded.set()
        }
        thread.name = "server checkpoints"
        thread.start()
    }

    deinit { rounds.wanted.close() }

    /// Takes note of a commit. Nearly always returns at once.
    /// - Parameter database: the writer's connection, outside of a transaction.
    func noteCommit(_ database: Database) {
        if rounds.wantsWriter.exchange(false, ordering: .relaxed) { _ = try? Self.fold(database) }
        let total = database.totalChangesCount
        guard total - foldedAt.load(ordering: .relaxed) >= limits.rows else { return }
        foldedAt.store(total, ordering: .relaxed)
        rounds.wanted.send(())
    }

    /// Folds what there is, and waits for it.
    func fold() throws { _ = try connection.writeWithoutTransaction { try Self.fold($0) } }

    /// Ends the thread and closes its connection.
    func close() {
        rounds.wanted.close()
        rounds.hasEnded.wait()
    }

    /// - Returns: how many pages the log had when that began.
    private static func fold(_ database: Database) throws -> Int { try database.checkpoint(.passive).walFrameCount }
}

/// When the log is folded the next time. Thread rule: any thread.
private final class CheckpointRounds: Sendable {
    /// Those that come while the log is folded are one.
    let wanted = Mailbox<Void>()
    /// Set by the thread at its end.
    let hasEnded = OneShot<Void>()
    /// Whether the writer should fold the rest.
    let wantsWriter = Atomic(false)
}
