import Foundation
import GRDB
import SimulatedDevice

/// How a change of the queues is stored.
extension LinkDatabase {
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
        case .withdrawn(let position):
            try execute("DELETE FROM outbox WHERE position = ?", [position])
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
        case .fileEnded(let transferId):
            try execute("DELETE FROM file WHERE transferId = ?", [transferId])
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
        case .offered(let position):
            try execute("UPDATE inbox SET wasOffered = 1 WHERE position = ?", [position])
        case .handled(let position, _):
            try execute("DELETE FROM inbox WHERE position = ?", [position])
        case .finished(let transfer):
            try execute(
                "INSERT INTO finished (transferId, app, flags, body, code) VALUES (?, ?, ?, ?, ?)",
                [
                    transfer.transferId, transfer.app, transfer.content.flags.rawValue, transfer.content.body,
                    transfer.code,
                ])
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
            try execute("UPDATE context SET body = x'', isDone = 1 WHERE app = ?", [app])
            try execute("DELETE FROM finished WHERE app = ?", [app])
            try execute("DELETE FROM file WHERE app = ?", [app])
            try execute("DELETE FROM budget WHERE app = ?", [app])
        case .paired(let pairing):
            try execute("UPDATE link SET pairing = ?", [Int64(bitPattern: pairing)])
        case .erased(let epoch, let pairing):
            for table in ["outbox", "inbox", "recent", "skipped", "finished", "file", "budget", "context", "link"] {
                try execute("DELETE FROM \(table)", [])
            }
            try execute(
                "INSERT INTO link VALUES (?, 0, 0, 0, 0, ?)", [Int64(epoch), Int64(bitPattern: pairing)])
        }
    }
}
