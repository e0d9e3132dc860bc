// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabCore

/// A bank that makes activations: each confirmed one is stored, with one line of history.
final class InitiatingWriter: Writer {
    private let userId: String
    private var known: Set<String> = []
    private var isPending = false

    init(userId: String) { self.userId = userId }

    func write(to connection: ServerConnection, _ stream: inout SeedStream) throws -> Bool {
        isPending = true
        guard
            let made = try ask(
                connection, "activation/init",
                // An activation that expires gets a second line of history.
                [
                    "userId": .string(userId), "applicationId": "lab",
                    "timestampActivationExpire": "2100-01-01T00:00:00Z",
                ])
        else { return false }
        isPending = false
        guard let id = made["activationId"]?.stringValue, known.insert(id).inserted else {
            throw Breach("\(userId): an activation was answered without identifier, or twice: \(made)")
        }
        return true
    }

    func settle(_ database: Database) throws {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT activation_id, (SELECT COUNT(*) FROM activation_history WHERE activation = activation_id) AS lines
                FROM activation WHERE user_id = ?
                """, arguments: [userId])
        try settle(
            found: Set(rows.map { $0["activation_id"] as String }),
            withoutLine: rows.filter { $0["lines"] as Int != 1 }.map { $0["activation_id"] })
    }

    /// Compares with what is stored.
    func settle(found: Set<String>, withoutLine: [String]) throws {
        try require(known.isSubset(of: found), "\(userId): answered and not stored: \(known.subtracting(found))")
        try require(
            found.count <= known.count + (isPending ? 1 : 0),
            "\(userId): \(known.count) were answered, \(found.count) are stored")
        try require(withoutLine.isEmpty, "\(userId): not one line of history for \(withoutLine)")
        known = found
        isPending = false
    }
}

/// A bank that reports failed approvals of an operation: each is counted once.
final class FailingWriter: Writer {
    private let operationId: String
    private var failures = 0
    private var isPending = false

    init(operationId: String) { self.operationId = operationId }

    func write(to connection: ServerConnection, _ stream: inout SeedStream) throws -> Bool {
        isPending = true
        guard let failed = try ask(connection, "operation/approve/fail", ["operationId": .string(operationId)]) else {
            return false
        }
        isPending = false
        failures += 1
        let count = failed["operation"]?["failureCount"]?.integerValue
        try require(
            count == Int64(failures), "operation \(operationId): failure \(failures) was counted as \(count ?? 0)")
        return true
    }

    func settle(_ database: Database) throws {
        let found = try Int.fetchOne(
            database, sql: "SELECT failures FROM operation WHERE id = ?", arguments: [operationId])
        try settle(found: found ?? -1)
    }

    /// Compares with what is stored.
    func settle(found: Int) throws {
        try require(
            found == failures || isPending && found == failures + 1,
            "operation \(operationId): \(failures) failures were answered, \(found) are stored")
        failures = found
        isPending = false
    }
}
