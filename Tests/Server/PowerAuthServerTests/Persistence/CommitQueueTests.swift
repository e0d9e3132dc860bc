// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import GRDB
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The commit queue", .endsInTime)
struct CommitQueueTests {
    /// A database with one table, a second connection that sees what a new process would see, and the queue.
    private final class Rig: Sendable {
        let directory: TemporaryDirectory
        let queue: CommitQueue
        let commits = Counter()
        let commit = HeldCommit()
        private let other: DatabaseQueue

        init() throws {
            directory = try TemporaryDirectory()
            let path = directory.path + "/test.sqlite"
            let pool = try DatabasePool(path: path)
            try pool.write { try $0.execute(sql: "CREATE TABLE note (text TEXT PRIMARY KEY)") }
            other = try DatabaseQueue(path: path)
            queue = CommitQueue(
                CommitWriter(
                    pool, cache: RowCache(), beforeCommit: { [commit] in commit.pass() },
                    hasCommitted: { [commits] _ in commits.increase() }))
        }

        /// The committed texts.
        func notes() -> [String] {
            (try? other.read { try String.fetchAll($0, sql: "SELECT text FROM note ORDER BY rowid") }) ?? ["unreadable"]
        }

        /// Writes a text and records the outcome, with the committed texts at that time.
        func add(_ text: String, to outcomes: Recorder<Outcome>, failing: Bool = false) {
            struct Refused: Error {}
            queue.add(
                CommitQueue.Request(
                    write: { database, _ in
                        try database.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text])
                        if failing { throw Refused() }
                    },
                    whenCommitted: { outcomes.add(.committed(text, stored: self.notes())) },
                    whenDone: { outcomes.add(.done(text, isStored: $0 == nil, stored: self.notes())) }))
        }

        /// Writes a text, and holds its commit: what is added now waits behind it.
        func addAndHold(_ text: String, to outcomes: Recorder<Outcome>) {
            commit.hold()
            add(text, to: outcomes)
            commit.waitUntilHeld()
        }
    }

    private enum Outcome: Equatable, Sendable {
        case committed(String, stored: [String])
        case done(String, isStored: Bool, stored: [String])
    }

    @Test func `Requests that arrive during a write share the next commit, and replies leave after it`() async throws {
        try await onThread {
            let (rig, outcomes) = (try Rig(), Recorder<Outcome>())
            rig.addAndHold("first", to: outcomes)
            for text in ["second", "third", "fourth"] { rig.add(text, to: outcomes) }
            #expect(outcomes.all.isEmpty, "a reply left before its change was committed")
            rig.commit.release()
            rig.queue.close()
            #expect(rig.commits.value == 2, "three requests that waited together take one commit")
            let all = ["first", "second", "third", "fourth"]
            #expect(
                outcomes.all == [
                    .committed("first", stored: ["first"]), .done("first", isStored: true, stored: ["first"]),
                    .committed("second", stored: all), .committed("third", stored: all),
                    .committed("fourth", stored: all), .done("second", isStored: true, stored: all),
                    .done("third", isStored: true, stored: all), .done("fourth", isStored: true, stored: all),
                ])
        }
    }

    @Test func `A request that fails leaves nothing behind, and those beside it do not notice`() async throws {
        try await onThread {
            let (rig, outcomes) = (try Rig(), Recorder<Outcome>())
            rig.addAndHold("first", to: outcomes)
            rig.add("second", to: outcomes)
            rig.add("wrong", to: outcomes, failing: true)
            rig.add("second", to: outcomes)
            rig.add("last", to: outcomes)
            rig.commit.release()
            rig.queue.close()
            #expect(rig.commits.value == 2)
            let all = ["first", "second", "last"]
            #expect(
                outcomes.all.dropFirst(2) == [
                    .committed("second", stored: all), .committed("last", stored: all),
                    .done("second", isStored: true, stored: all), .done("wrong", isStored: false, stored: all),
                    .done("second", isStored: false, stored: all), .done("last", isStored: true, stored: all),
                ])
        }
    }

    @Test func `A transaction that SQLite aborts fails all its requests, and no later ones`() async throws {
        try await onThread {
            let (rig, outcomes) = (try Rig(), Recorder<Outcome>())
            rig.addAndHold("first", to: outcomes)
            rig.add("second", to: outcomes)
            rig.queue.add(
                CommitQueue.Request(
                    // As SQLite does when the disk is full.
                    write: { database, _ in
                        try database.execute(sql: "INSERT OR ROLLBACK INTO note SELECT text FROM note")
                    },
                    whenCommitted: { outcomes.add(.committed("none", stored: [])) },
                    whenDone: { outcomes.add(.done("none", isStored: $0 == nil, stored: rig.notes())) }))
            rig.add("last", to: outcomes)
            rig.commit.release()
            rig.queue.close()
            #expect(
                outcomes.all.dropFirst(2) == [
                    .done("second", isStored: false, stored: ["first"]),
                    .done("none", isStored: false, stored: ["first"]),
                    .committed("last", stored: ["first", "last"]),
                    .done("last", isStored: true, stored: ["first", "last"]),
                ])
        }
    }

    @Test func `What a request that fails has noted of a row is forgotten with it`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try await client.activeDevice()
            let context = fixture.server.services.context
            #expect(try await client.activationStatus(device.activationId).number("failedAttempts") == 0)
            struct Refused: Error {}
            await #expect(throws: Refused.self) {
                _ = try await context.changeWithoutBlocking { change in
                    var activation = try change.activation(Identifier(known: device.activationId))
                    activation.failedAttempts = 3
                    try change.saveUse(activation)
                    throw Refused()
                }
            }
            #expect(try await client.activationStatus(device.activationId).number("failedAttempts") == 0)
        }
    }

    @Test func `A queue that is closed refuses, and says so`() async throws {
        try await onThread {
            let (rig, outcomes) = (try Rig(), Recorder<Outcome>())
            rig.queue.close()
            rig.add("late", to: outcomes)
            #expect(outcomes.all == [.done("late", isStored: false, stored: [])])
            #expect(throws: ServerDatabaseError.self) { try rig.queue.alone {} }
        }
    }

    @Test func `The log is folded beside the writer, which folds nothing`() async throws {
        try await onThread {
            let directory = try TemporaryDirectory()
            let database = try ServerDatabase(path: directory.path + "/server.sqlite")
            let checkpointer = try Checkpointer(path: directory.path + "/server.sqlite")
            func size() throws -> Int {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/server.sqlite")
                return (attributes[.size] as? NSNumber)?.intValue ?? 0
            }
            let before = try size()
            // Fewer rows than the database's own checkpoints wait for.
            try database.change({ database, _ in
                for number in 0..<8000 {
                    try database.execute(
                        sql: "INSERT INTO unique_value (value, type, t_expire) VALUES (?, 0, 0)",
                        arguments: ["\(number)" + String(repeating: "x", count: 100)])
                }
            }) {}
            #expect(try size() == before, "the log was folded by the writer")
            try checkpointer.fold()
            #expect(try size() > before + 8000 * 100)
            checkpointer.close()
            try database.close()
        }
    }

    @Test
    func `A log that has grown long and was not folded to its end is folded by the writer, and begins anew`()
        async throws
    {
        try await onThread {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/test.sqlite"
            var configuration = Configuration()
            // A reader that finds the log's index changing briefly takes the writer's lock to read it again.
            configuration.busyMode = .timeout(10)
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA wal_autocheckpoint = 0; CREATE TABLE note (text TEXT)")
            }
            let checkpointer = try Checkpointer(path: path, limits: Checkpointer.Limits(rows: 600, longestLog: 500))
            func insert(_ count: Int) throws {
                try pool.writeWithoutTransaction { database in
                    for _ in 0..<count {
                        try database.execute(
                            sql: "INSERT INTO note VALUES (?)", arguments: [String(repeating: "x", count: 3000)])
                        checkpointer.noteCommit(database)
                    }
                }
            }
            // The log counts in bytes 12 to 15 of its header how often it has begun.
            let log = try #require(FileHandle(forReadingAtPath: path + "-wal"))
            func beginnings() throws -> UInt32 {
                try log.seek(toOffset: 12)
                return try #require(try log.read(upToCount: 4)).reduce(0) { $0 << 8 | UInt32($1) }
            }
            func size() throws -> Int {
                (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
            }
            try insert(300)
            // As under load, with readers all the time: the log cannot be folded beyond their position.
            let reader = try pool.makeSnapshot()
            let unfolded = try size()
            try insert(300)
            // Folding sends no notification; the time limit of the test ends an endless wait.
            while try size() == unfolded { _ = try Polling.waitReadable([], timeoutNanoseconds: 1_000_000) }
            checkpointer.close()
            let before = try beginnings()
            try reader.close()
            pool.writeWithoutTransaction { checkpointer.noteCommit($0) }
            try insert(1)
            #expect(try beginnings() == before + 1)
            try pool.close()
        }
    }
}

@Suite("Checkpoints", .endsInTime)
struct CheckpointerTests {
    /// Long enough for a connection that does not wait to have failed. One that waits passes, however slow the machine is.
    private static let glance = DispatchTimeInterval.milliseconds(200)

    @Test func `When it is over, its file is closed`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("server.db")
        func openFiles() throws -> Int {
            try Files.list("/proc/self/fd").count { file in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)"))?
                    .hasPrefix(path) == true
            }
        }
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE log (line TEXT)") }
        let checkpointer = try Checkpointer(path: path)
        try queue.close()
        #expect(try openFiles() > 0)
        checkpointer.close()
        #expect(try openFiles() == 0)
    }

    @Test func `The connection waits for a database that another connection still has for itself`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("server.db")
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA locking_mode = EXCLUSIVE")
        }
        let former = try DatabaseQueue(path: path, configuration: configuration)
        try former.write { try $0.execute(sql: "CREATE TABLE log (line TEXT)") }

        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        let thread = runOnThread(name: "next") {
            let result = Result { try Checkpointer(path: path).close() }
            outcome.withLock { $0 = result }
            ended.signal()
        }
        _ = ended.wait(timeout: .now() + Self.glance)
        try former.close()
        thread.join()
        let result = try #require(outcome.withLock { $0 })
        #expect(throws: Never.self) { try result.get() }
    }
}
