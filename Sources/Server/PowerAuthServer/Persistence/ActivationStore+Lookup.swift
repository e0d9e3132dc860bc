import GRDB
import PowerAuthProtocol

extension ActivationStore {
    /// What `lookup` filters by; an empty list or nil accepts everything, but for the users.
    struct LookupFilter: Sendable {
        var userIds: [Identifier]
        var applicationIds: [Identifier] = []
        /// Strictly before.
        var usedBefore: ServerTime?
        /// At or after.
        var usedAfter: ServerTime?
        var status: ActivationState?
        /// All of them must be set.
        var flags: [Identifier] = []
    }

    /// The activations of several users, newest first.
    static func lookup(_ database: Database, _ filter: LookupFilter) throws -> [Activation] {
        // As JSON, because SQLite takes a limited number of arguments and a caller may name more users.
        var conditions = ["user_id IN (SELECT value FROM json_each(?))"]
        var arguments: StatementArguments = [try TextList.encode(filter.userIds)]
        if !filter.applicationIds.isEmpty {
            conditions.append("app_id IN (SELECT value FROM json_each(?))")
            arguments += [try TextList.encode(filter.applicationIds)]
        }
        if let before = filter.usedBefore {
            conditions.append("t_last_used < ?")
            arguments += [before.milliseconds]
        }
        if let after = filter.usedAfter {
            conditions.append("t_last_used >= ?")
            arguments += [after.milliseconds]
        }
        if let status = filter.status {
            conditions.append("status = ?")
            arguments += [status.rawValue]
        }
        let wanted = Set(filter.flags)
        return try fetch(database, conditions.joined(separator: " AND "), arguments)
            .filter { wanted.isSubset(of: $0.flags) }
    }

    /// The unfinished activations whose time is over.
    static func expired(_ database: Database, at now: ServerTime, limit: Int) throws -> [Activation] {
        try Array(fetch(database, "status IN (1, 2) AND t_expire < ?", [now.milliseconds], limit: limit))
    }

    /// When the next unfinished activation expires.
    static func nextExpiry(_ database: Database) throws -> ServerTime? {
        try Int64.fetchOne(database, sql: "SELECT MIN(t_expire) FROM activation WHERE status IN (1, 2)")
            .map(ServerTime.init(milliseconds:))
    }
}
