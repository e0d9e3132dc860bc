import GRDB

/// The rows of devices registered for pushes.
enum PushRegistrationStore {
    private enum Column: String, QueryColumn {
        case id
        case application
        case token
        case platform
        case environment
        case activationId = "activation"
        case userId = "user_id"
        case isActive = "active"
        case lastRegistered = "t_registered"
    }

    /// Where a message goes.
    struct Audience: Sendable {
        let userId: Identifier
        /// The rows of the applications.
        let applications: [Int64]
        /// One device only.
        var activationId: Identifier?
    }

    /// The devices of an audience, in the order of their registration.
    static func list(_ database: Database, _ audience: Audience) throws -> [PushRegistration] {
        try fetch(
            database,
            """
            user_id = ? AND (? IS NULL OR activation = ?)
            AND application IN (\(databaseQuestionMarks(count: audience.applications.count)))
            """,
            [audience.userId, audience.activationId, audience.activationId]
                + StatementArguments(audience.applications))
    }

    static func find(_ database: Database, activationId: Identifier) throws -> PushRegistration? {
        try fetch(database, "activation = ?", [activationId]).first
    }

    /// Devices of an application with a token.
    static func list(_ database: Database, token: String, application: Int64) throws -> [PushRegistration] {
        try fetch(database, "application = ? AND token = ?", [application, token])
    }

    /// Inserts a registration, or updates the one with its key.
    static func save(_ database: Database, _ registration: PushRegistration) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO push_registration (id, application, token, platform, environment, activation,
                    user_id, active, t_registered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                registration.id, registration.application, registration.token, registration.platform.rawValue,
                registration.environment?.rawValue, registration.activationId, registration.userId,
                registration.isActive, registration.lastRegistered.milliseconds,
            ])
    }

    /// Follows the status of an activation.
    static func setActive(_ database: Database, _ isActive: Bool, activationId: Identifier) throws {
        try database.cachedStatement(sql: "UPDATE push_registration SET active = ? WHERE activation = ?")
            .execute(arguments: [isActive, activationId])
    }

    /// Forgets every device of an application with a token.
    static func delete(_ database: Database, token: String, application: Int64) throws {
        try database.execute(
            sql: "DELETE FROM push_registration WHERE application = ? AND token = ?", arguments: [application, token])
    }

    private static func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [PushRegistration] {
        try Row.fetchAll(
            database, sql: "SELECT \(Column.list) FROM push_registration WHERE \(condition) ORDER BY id",
            arguments: arguments
        ).map { registration(QueryRow($0)) }
    }

    private static func registration(_ row: QueryRow<Column>) -> PushRegistration {
        PushRegistration(
            id: row[.id], application: row[.application], token: row[.token],
            platform: PushPlatform(rawValue: row[.platform]) ?? .apns,
            environment: (row[.environment] as String?).flatMap(PushEnvironment.init(rawValue:)),
            activationId: row[.activationId], userId: row[.userId], isActive: row[.isActive],
            lastRegistered: ServerTime(milliseconds: row[.lastRegistered]))
    }
}
