// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabSystem
import SimulatedDevice

/// What a link remembers across restarts of its agent.
struct StoredQueues: Equatable, Sendable {
    /// The pairing that the queues belong to; 0 for a watch without one.
    var pairing = WatchLink.firstPairing
    var outbox: Outbox
    var inbox = Inbox()
    var contexts = ContextExchange()
    var finished: [FinishedTransfer] = []
    var files: [OutgoingFile] = []
    var budgets: [String: ComplicationBudget] = [:]

    /// The own files with the number of their pieces, oldest first.
    var outgoingFiles: Fifo<OutgoingFile> {
        Fifo(
            files.map { file in
                var file = file
                file.pieces = outbox.pieces(of: file.transferId)
                return file
            })
    }
}

/// The SQLite file with the queues of one link, at one of its ends. Its contents are secrets: tokens travel through
/// these queues.
///
/// Used by the agent's thread only; calls block for the time of a transaction.
struct LinkDatabase: Sendable {
    private let database: DeviceDatabase

    init(path: String) { database = DeviceDatabase(path: path, schema: Self.schema) }

    private static let schema = DeviceDatabase.Schema(
        purpose: "watch link", version: 4,
        statements: """
            CREATE TABLE link (
                epoch INTEGER NOT NULL, acknowledged INTEGER NOT NULL, lastSequence INTEGER NOT NULL,
                receivedEpoch INTEGER NOT NULL, received INTEGER NOT NULL, pairing INTEGER NOT NULL
            );
            CREATE TABLE outbox (
                position INTEGER PRIMARY KEY, transferId BLOB NOT NULL, origin TEXT NOT NULL,
                destination TEXT NOT NULL, sequence INTEGER, endCode INTEGER, body BLOB NOT NULL,
                kind INTEGER NOT NULL, file BLOB
            );
            CREATE INDEX outboxSequence ON outbox (sequence);
            CREATE TABLE inbox (
                position INTEGER PRIMARY KEY, transferId BLOB NOT NULL, app TEXT NOT NULL, body BLOB NOT NULL,
                wasOffered INTEGER NOT NULL, kind INTEGER NOT NULL, file BLOB
            );
            CREATE TABLE recent (position INTEGER PRIMARY KEY, transferId BLOB NOT NULL);
            CREATE TABLE skipped (sequence INTEGER PRIMARY KEY);
            CREATE TABLE finished (
                position INTEGER PRIMARY KEY, transferId BLOB NOT NULL, app TEXT NOT NULL, flags INTEGER NOT NULL,
                body BLOB NOT NULL, code INTEGER
            );
            CREATE INDEX finishedTransfer ON finished (transferId);
            CREATE TABLE file (
                position INTEGER PRIMARY KEY, transferId BLOB NOT NULL, app TEXT NOT NULL, body BLOB NOT NULL,
                sent INTEGER NOT NULL, code INTEGER
            );
            CREATE TABLE budget (app TEXT PRIMARY KEY, start INTEGER NOT NULL, used INTEGER NOT NULL);
            CREATE TABLE context (
                app TEXT NOT NULL, isOwn INTEGER NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL,
                isDone INTEGER NOT NULL, PRIMARY KEY (app, isOwn)
            );
            """)

    /// Identifies an outbox that begins.
    static func newEpoch() -> UInt64 {
        // Stored as a signed number; zero would mean "no outbox".
        UInt64.random(in: 1...UInt64(Int64.max - 1_000_000))
    }

    /// Reads the queues; the first time, begins an outbox with a random epoch.
    /// - Parameter counterparts: For each app of this device, the name of the app it talks to.
    func load(counterparts: [String: String]) throws -> StoredQueues {
        try database.write { db in
            if try Int.fetchOne(db, sql: "SELECT count(*) FROM link") == 0 {
                try db.execute(
                    sql: "INSERT INTO link VALUES (?, 0, 0, 0, 0, ?)",
                    arguments: [Int64(Self.newEpoch()), Int64(WatchLink.firstPairing)])
            }
            guard let link = try Row.fetchOne(db, sql: "SELECT * FROM link") else {
                throw CocoaError(.fileReadCorruptFile)
            }
            let outgoing = try Row.fetchAll(db, sql: Self.outboxInOrder).map { row in
                Outbox.Entry(
                    position: row["position"], transferId: row["transferId"], origin: row["origin"],
                    destination: row["destination"], sequence: (row["sequence"] as Int64?).map(UInt64.init),
                    endCode: row["endCode"], body: row["body"], kind: Outbox.Kind(rawValue: row["kind"]) ?? .userInfo,
                    file: row["file"])
            }
            let incoming = try Row.fetchAll(db, sql: "SELECT * FROM inbox ORDER BY position").map { row in
                Inbox.Entry(
                    position: row["position"], transferId: row["transferId"], app: row["app"], body: row["body"],
                    wasOffered: row["wasOffered"], kind: Outbox.Kind(rawValue: row["kind"]) ?? .userInfo,
                    file: row["file"])
            }
            let finished = try Row.fetchAll(db, sql: "SELECT * FROM finished ORDER BY position").compactMap { row in
                let frame = WatchFrame(
                    .transferDone, flags: WatchFrame.Flags(rawValue: row["flags"]), body: row["body"])
                return TransferContent(frame).map {
                    FinishedTransfer(transferId: row["transferId"], app: row["app"], content: $0, code: row["code"])
                }
            }
            let files = try Row.fetchAll(db, sql: "SELECT * FROM file ORDER BY position").compactMap { row in
                (try? JSONDecoder().decode(WatchFile.self, from: row["body"])).map {
                    OutgoingFile(
                        transferId: row["transferId"], app: row["app"], file: $0, sent: row["sent"], code: row["code"])
                }
            }
            let budgets = try Row.fetchAll(db, sql: "SELECT * FROM budget").map { row in
                (row["app"] as String, ComplicationBudget(start: row["start"], used: row["used"]))
            }
            let recent = try UUID.fetchAll(db, sql: "SELECT transferId FROM recent ORDER BY position")
            let skipped = try Int64.fetchAll(db, sql: "SELECT sequence FROM skipped ORDER BY sequence")
            var contexts: [Bool: [String: ContextExchange.Context]] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT * FROM context") {
                let app: String = row["app"]
                let isOwn: Bool = row["isOwn"]
                contexts[isOwn, default: [:]][app] = ContextExchange.Context(
                    version: UInt64(bitPattern: row["version"] as Int64), body: row["body"], isDone: row["isDone"],
                    destination: isOwn ? counterparts[app] ?? "" : "")
            }
            return StoredQueues(
                pairing: UInt64(bitPattern: link["pairing"] as Int64),
                outbox: Outbox(
                    epoch: UInt64(link["epoch"] as Int64), acknowledged: UInt64(link["acknowledged"] as Int64),
                    lastSequence: UInt64(link["lastSequence"] as Int64), entries: outgoing),
                inbox: Inbox(
                    epoch: UInt64(bitPattern: link["receivedEpoch"] as Int64),
                    received: UInt64(link["received"] as Int64), skipped: skipped.map(UInt64.init), entries: incoming,
                    recent: recent),
                contexts: ContextExchange(own: contexts[true] ?? [:], received: contexts[false] ?? [:]),
                finished: finished, files: files, budgets: Dictionary(uniqueKeysWithValues: budgets))
        }
    }

    /// Entries with numbers come first, then what is for complications.
    private static let outboxInOrder = """
        SELECT * FROM outbox ORDER BY sequence IS NULL, sequence,
            kind NOT IN (\(Outbox.Kind.complication.rawValue), \(Outbox.Kind.formerComplication.rawValue)), position
        """

    /// Makes changes durable, all or none.
    func apply(_ changes: [LinkChange]) throws {
        guard !changes.isEmpty else { return }
        try database.write { db in
            for change in changes { try Self.apply(change, db) }
        }
    }

    static func apply(_ change: LinkChange, _ db: Database) throws {
        func execute(_ sql: String, _ arguments: StatementArguments) throws {
            try db.cachedStatement(sql: sql).execute(arguments: arguments)
        }
        switch change {
        case .accepted(let entry):
            try execute(
                "INSERT INTO outbox VALUES (?, ?, ?, ?, NULL, NULL, ?, ?, ?)",
                [
                    entry.position, entry.transferId, entry.origin, entry.destination, entry.body, entry.kind.rawValue,
                    entry.file,
                ])
        case .numbered(let position, let sequence):
            try execute("UPDATE outbox SET sequence = ? WHERE position = ?", [Int64(sequence), position])
            try execute("UPDATE link SET lastSequence = ?", [Int64(sequence)])
        case .withdrawn(let position): try execute("DELETE FROM outbox WHERE position = ?", [position])
        case .ended(let position, let code):
            try execute("UPDATE outbox SET endCode = ? WHERE position = ?", [code, position])
        case .orphaned(let position):
            try execute("UPDATE outbox SET origin = '', body = x'' WHERE position = ?", [position])
        case .replaced(let position):
            try execute(
                "UPDATE outbox SET kind = ? WHERE position = ?", [Outbox.Kind.formerComplication.rawValue, position])
        case .fileAccepted(let file):
            try execute(
                "INSERT INTO file (transferId, app, body, sent) VALUES (?, ?, ?, 0)",
                [file.transferId, file.app, WatchFrame.body(file.file)])
        case .fileProgressed(let file):
            try execute(
                "UPDATE file SET sent = ?, code = ? WHERE transferId = ?", [file.sent, file.code, file.transferId])
        case .fileEnded(let transferId): try execute("DELETE FROM file WHERE transferId = ?", [transferId])
        case .budget(let app, let budget):
            try execute("INSERT OR REPLACE INTO budget VALUES (?, ?, ?)", [app, budget.start, budget.used])
        case .acknowledged(let sequence):
            try execute("DELETE FROM outbox WHERE sequence <= ?", [Int64(sequence)])
            try execute("UPDATE link SET acknowledged = ?", [Int64(sequence)])
        case .restarted(let epoch):
            try execute("DELETE FROM outbox WHERE endCode IS NOT NULL", [])
            try execute("UPDATE outbox SET sequence = NULL", [])
            try execute("UPDATE link SET epoch = ?, acknowledged = 0, lastSequence = 0", [Int64(epoch)])
        case .senderChanged(let epoch):
            try execute("UPDATE link SET receivedEpoch = ?, received = 0", [Int64(bitPattern: epoch)])
            try execute("DELETE FROM skipped", [])
        case .received(let entry, let sequence):
            if let entry {
                try execute(
                    "INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [
                        entry.position, entry.transferId, entry.app, entry.body, entry.wasOffered,
                        entry.kind.rawValue, entry.file,
                    ])
                try execute("INSERT INTO recent (transferId) VALUES (?)", [entry.transferId])
                try execute(
                    "DELETE FROM recent WHERE position <= (SELECT max(position) FROM recent) - ?", [Inbox.memory])
            }
            try execute("UPDATE link SET received = ?", [Int64(sequence)])
        case .skipped(let sequence):
            try execute("INSERT INTO skipped VALUES (?)", [Int64(sequence)])
            try execute("DELETE FROM skipped WHERE sequence <= ?", [Int64(sequence) - Int64(Inbox.memory)])
            try execute("UPDATE link SET received = ?", [Int64(sequence)])
        case .offered(let position): try execute("UPDATE inbox SET wasOffered = 1 WHERE position = ?", [position])
        case .handled(let position, _): try execute("DELETE FROM inbox WHERE position = ?", [position])
        case .finished(let transfer):
            try execute(
                "INSERT INTO finished (transferId, app, flags, body, code) VALUES (?, ?, ?, ?, ?)",
                [
                    transfer.transferId, transfer.app, transfer.content.flags.rawValue, transfer.content.body,
                    transfer.code,
                ])
        case .told(let transferId): try execute("DELETE FROM finished WHERE transferId = ?", [transferId])
        case .context(let app, let version, let body):
            try execute(
                "INSERT OR REPLACE INTO context VALUES (?, 1, ?, ?, 0)", [app, Int64(bitPattern: version), body])
        case .contextAcknowledged(let app, _):
            try execute("UPDATE context SET isDone = 1 WHERE app = ? AND isOwn", [app])
        case .contextReceived(let app, let version, let body, let isTold):
            try execute(
                "INSERT OR REPLACE INTO context VALUES (?, 0, ?, ?, ?)",
                [app, Int64(bitPattern: version), body, isTold])
        case .contextTold(let app): try execute("UPDATE context SET isDone = 1 WHERE app = ? AND NOT isOwn", [app])
        case .forgotten(let app):
            try execute("UPDATE context SET body = x'', isDone = 1 WHERE app = ?", [app])
            try execute("DELETE FROM finished WHERE app = ?", [app])
            try execute("DELETE FROM file WHERE app = ?", [app])
            try execute("DELETE FROM budget WHERE app = ?", [app])
        case .paired(let pairing): try execute("UPDATE link SET pairing = ?", [Int64(bitPattern: pairing)])
        case .erased(let epoch, let pairing):
            for table in ["outbox", "inbox", "recent", "skipped", "finished", "file", "budget", "context", "link"] {
                try execute("DELETE FROM \(table)", [])
            }
            try execute("INSERT INTO link VALUES (?, 0, 0, 0, 0, ?)", [Int64(epoch), Int64(bitPattern: pairing)])
        }
    }
}
