import Foundation
import GRDB

/// The rows of upgrades that were started and not committed.
enum ProtocolUpgradeStore {
    /// CTR_DATA of a started upgrade, 16 bytes.
    static func counterData(_ database: Database, activationId: Identifier) throws -> Data? {
        try Data.fetchOne(
            database, sql: "SELECT ctr_data FROM protocol_upgrade WHERE activation = ?", arguments: [activationId])
    }

    /// Remembers a started upgrade; one that is known stays as it is.
    static func insert(
        _ database: Database, activationId: Identifier, counterData: Data, at now: ServerTime
    ) throws {
        try database.execute(
            sql:
                "INSERT INTO protocol_upgrade (activation, ctr_data, t_created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [activationId, counterData, now.milliseconds])
    }

    static func delete(_ database: Database, activationId: Identifier) throws {
        try database.execute(sql: "DELETE FROM protocol_upgrade WHERE activation = ?", arguments: [activationId])
    }
}
