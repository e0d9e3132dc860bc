// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabSystem

/// The rows that guaranteed transfers leave on both devices, written and deleted one after the other.
final class PlainQueue {
    private let directory: String
    private let devices: [DatabaseQueue]
    private let body = Data(count: 100)

    init() throws {
        directory = try MeasuredLink.newDirectory("rows")
        devices = try ["sender", "receiver"].map { [directory] name in
            var configuration = Configuration()
            configuration.prepareDatabase { database in
                try database.execute(
                    sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")
            }
            let queue = try DatabaseQueue(
                path: "\(directory)/\(name).sqlite", configuration: configuration)
            try queue.write {
                try $0.execute(
                    sql: """
                        CREATE TABLE entry (
                            position INTEGER PRIMARY KEY, id BLOB NOT NULL, app TEXT NOT NULL, body BLOB NOT NULL
                        )
                        """)
            }
            return queue
        }
    }

    deinit { try? Files.removeTree(directory) }

    /// Stores each on the one side, brings it over, stores it on the other, and deletes it on both.
    func transfer(_ count: Int, _ bring: () throws -> Void) throws {
        for position in 1...count {
            try insert(position, devices[0])
            try bring()
            try insert(position, devices[1])
            try delete(position, devices[0])
            try delete(position, devices[1])
        }
    }

    /// Fills the sender's table.
    ///
    /// - Returns: How many rows there are.
    func fill(_ count: Int) throws -> Int {
        for position in 1...count { try insert(position, devices[0]) }
        return count
    }

    func read(_ count: Int) throws {
        let bytes = try devices[0].read { database in
            try Row.fetchAll(database, sql: "SELECT position, id, app, body FROM entry ORDER BY position")
                .reduce(0) { $0 + ($1["body"] as Data).count }
        }
        guard bytes == count * body.count else { throw CocoaError(.fileReadCorruptFile) }
    }

    private func insert(_ position: Int, _ device: DatabaseQueue) throws {
        let id = withUnsafeBytes(of: UUID().uuid) { Data($0) }
        try device.write {
            try $0.execute(
                literal:
                    "INSERT INTO entry (position, id, app, body) VALUES (\(position), \(id), \("main"), \(body))"
            )
        }
    }

    private func delete(_ position: Int, _ device: DatabaseQueue) throws {
        try device.write { try $0.execute(literal: "DELETE FROM entry WHERE position = \(position)") }
    }
}
