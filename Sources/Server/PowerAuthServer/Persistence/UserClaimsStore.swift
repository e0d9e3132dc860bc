import GRDB

/// The rows of claims that are known about users.
enum UserClaimsStore {
    /// A JSON object; nil for a user nothing is known about.
    static func claims(_ database: Database, userId: Identifier) throws -> String? {
        try String.fetchOne(database, sql: "SELECT claims FROM user_claims WHERE user_id = ?", arguments: [userId])
    }

    static func save(_ database: Database, userId: Identifier, claims: String) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO user_claims (user_id, claims) VALUES (?, ?)", arguments: [userId, claims])
    }
}
