import Foundation
import GRDB
import LabSystem
import SimulatedDevice

/// What a link remembers across restarts of its agent.
struct StoredQueues: Equatable, Sendable {
    var outbox: Outbox
    var inbox = Inbox()
    var contexts = ContextExchange()
    var finished: [FinishedTransfer] = []
}

/// The SQLite file with the queues of one link, at one of its ends. Its contents are secrets: tokens travel through
/// these queues.
///
/// Used by the agent's thread only; calls block for the time of a transaction.
struct LinkDatabase: Sendable {
    private let database: DeviceDatabase

    init(path: String) {
        database = DeviceDatabase(path: path, schema: Self.schema)
    }

    private static let schema = DeviceDatabase.Schema(
        purpose: "watch link", version: 2,
        statements: """
            CREATE TABLE link (
                epoch INTEGER NOT NULL, acknowledged INTEGER NOT NULL, lastSequence INTEGER NOT NULL,
                receivedEpoch INTEGER NOT NULL, received INTEGER NOT NULL
            );
            CREATE TABLE outbox (
                position INTEGER PRIMARY KEY, transferId BLOB NOT NULL, origin TEXT NOT NULL,
                destination TEXT NOT NULL, sequence INTEGER, endCode INTEGER, body BLOB NOT NULL
            );
            CREATE INDEX outboxSequence ON outbox (sequence);
            CREATE TABLE inbox (
                position INTEGER PRIMARY KEY, transferId BLOB NOT NULL, app TEXT NOT NULL, body BLOB NOT NULL,
                wasOffered INTEGER NOT NULL
            );
            CREATE TABLE recent (position INTEGER PRIMARY KEY, transferId BLOB NOT NULL);
            CREATE TABLE skipped (sequence INTEGER PRIMARY KEY);
            CREATE TABLE finished (
                position INTEGER PRIMARY KEY, transferId BLOB NOT NULL, app TEXT NOT NULL, body BLOB NOT NULL,
                code INTEGER
            );
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
    ///
    /// - Parameter counterparts: For each app of this device, the name of the app it talks to.
    func load(counterparts: [String: String]) throws -> StoredQueues {
        try database.write { db in
            if try Int.fetchOne(db, sql: "SELECT count(*) FROM link") == 0 {
                try db.execute(
                    sql: "INSERT INTO link VALUES (?, 0, 0, 0, 0)", arguments: [Int64(Self.newEpoch())])
            }
            guard let link = try Row.fetchOne(db, sql: "SELECT * FROM link") else {
                throw CocoaError(.fileReadCorruptFile)
            }
            let outgoing = try Row.fetchAll(db, sql: "SELECT * FROM outbox ORDER BY position").map { row in
                Outbox.Entry(
                    position: row["position"], transferId: row["transferId"], origin: row["origin"],
                    destination: row["destination"], sequence: (row["sequence"] as Int64?).map(UInt64.init),
                    endCode: row["endCode"], body: row["body"])
            }
            let incoming = try Row.fetchAll(db, sql: "SELECT * FROM inbox ORDER BY position").map { row in
                Inbox.Entry(
                    position: row["position"], transferId: row["transferId"], app: row["app"], body: row["body"],
                    wasOffered: row["wasOffered"])
            }
            let finished = try Row.fetchAll(db, sql: "SELECT * FROM finished ORDER BY position").map { row in
                FinishedTransfer(transferId: row["transferId"], app: row["app"], body: row["body"], code: row["code"])
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
                outbox: Outbox(
                    epoch: UInt64(link["epoch"] as Int64), acknowledged: UInt64(link["acknowledged"] as Int64),
                    lastSequence: UInt64(link["lastSequence"] as Int64), entries: outgoing),
                inbox: Inbox(
                    epoch: UInt64(bitPattern: link["receivedEpoch"] as Int64),
                    received: UInt64(link["received"] as Int64), skipped: skipped.map(UInt64.init), entries: incoming,
                    recent: recent),
                contexts: ContextExchange(own: contexts[true] ?? [:], received: contexts[false] ?? [:]),
                finished: finished)
        }
    }

    /// Makes changes durable, all or none.
    func apply(_ changes: [LinkChange]) throws {
        guard !changes.isEmpty else { return }
        try database.write { db in
            for change in changes { try Self.apply(change, db) }
        }
    }

    private static func apply(_ change: LinkChange, _ db: Database) throws {
        func execute(_ sql: String, _ arguments: StatementArguments) throws {
            try db.cachedStatement(sql: sql).execute(arguments: arguments)
        }
        switch change {
        case .accepted(let entry):
            try execute(
                "INSERT INTO outbox VALUES (?, ?, ?, ?, NULL, NULL, ?)",
                [entry.position, entry.transferId, entry.origin, entry.destination, entry.body])
        case .numbered(let position, let sequence):
            try execute("UPDATE outbox SET sequence = ? WHERE position = ?", [Int64(sequence), position])
            try execute("UPDATE link SET lastSequence = ?", [Int64(sequence)])
        case .withdrawn(let position):
            try execute("DELETE FROM outbox WHERE position = ?", [position])
        case .ended(let position, let code):
            try execute("UPDATE outbox SET endCode = ? WHERE position = ?", [code, position])
        case .orphaned(let position):
            try execute("UPDATE outbox SET origin = '', body = x'' WHERE position = ?", [position])
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
                    "INSERT INTO inbox VALUES (?, ?, ?, ?, ?)",
                    [entry.position, entry.transferId, entry.app, entry.body, entry.wasOffered])
                try execute("INSERT INTO recent (transferId) VALUES (?)", [entry.transferId])
                try execute(
                    "DELETE FROM recent WHERE position <= (SELECT max(position) FROM recent) - ?", [Inbox.memory])
            }
            try execute("UPDATE link SET received = ?", [Int64(sequence)])
        case .skipped(let sequence):
            try execute("INSERT INTO skipped VALUES (?)", [Int64(sequence)])
            try execute("DELETE FROM skipped WHERE sequence <= ?", [Int64(sequence) - Int64(Inbox.memory)])
            try execute("UPDATE link SET received = ?", [Int64(sequence)])
        case .offered(let position):
            try execute("UPDATE inbox SET wasOffered = 1 WHERE position = ?", [position])
        case .handled(let position):
            try execute("DELETE FROM inbox WHERE position = ?", [position])
        case .finished(let transfer):
            try execute(
                "INSERT INTO finished (transferId, app, body, code) VALUES (?, ?, ?, ?)",
                [transfer.transferId, transfer.app, transfer.body, transfer.code])
        case .told(let transferId):
            try execute("DELETE FROM finished WHERE transferId = ?", [transferId])
        case .context(let app, let version, let body):
            try execute(
                "INSERT OR REPLACE INTO context VALUES (?, 1, ?, ?, 0)", [app, Int64(bitPattern: version), body])
        case .contextAcknowledged(let app, _):
            try execute("UPDATE context SET isDone = 1 WHERE app = ? AND isOwn", [app])
        case .contextReceived(let app, let version, let body, let isTold):
            try execute(
                "INSERT OR REPLACE INTO context VALUES (?, 0, ?, ?, ?)",
                [app, Int64(bitPattern: version), body, isTold])
        case .contextTold(let app):
            try execute("UPDATE context SET isDone = 1 WHERE app = ? AND NOT isOwn", [app])
        case .forgotten(let app):
            try execute("DELETE FROM context WHERE app = ?", [app])
            try execute("DELETE FROM finished WHERE app = ?", [app])
        case .erased(let epoch):
            for table in ["outbox", "inbox", "recent", "skipped", "finished", "context", "link"] {
                try execute("DELETE FROM \(table)", [])
            }
            try execute("INSERT INTO link VALUES (?, 0, 0, 0, 0)", [Int64(epoch)])
        }
    }
}
