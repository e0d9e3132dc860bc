import Foundation
import GRDB

/// The rows of applications, their versions and master keys.
enum ApplicationStore {
    static func all(_ database: Database) throws -> [Application] {
        try Row.fetchAll(database, sql: "SELECT id, app_id, roles FROM application ORDER BY id").map(application)
    }

    static func find(_ database: Database, id: String) throws -> Application? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT id, app_id, roles FROM application WHERE app_id = ?"),
            arguments: [id]
        ).map(application)
    }

    static func insert(_ database: Database, id: String, created: ServerTime) throws -> Application {
        try database.execute(
            sql: "INSERT INTO application (app_id, roles, created) VALUES (?, '[]', ?)",
            arguments: [id, created.milliseconds])
        return Application(row: database.lastInsertedRowID, id: id, roles: [])
    }

    static func versions(_ database: Database, of application: Application) throws -> [ApplicationVersion] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT version_id, app_key, app_secret, supported FROM application_version
                WHERE application = ? ORDER BY id
                """, arguments: [application.row]
        ).map { version($0, of: application) }
    }

    static func version(_ database: Database, of application: Application, id: String) throws -> ApplicationVersion? {
        try versions(database, of: application).first { $0.id == id }
    }

    /// Finds the version with an application key, supported or not.
    static func version(_ database: Database, applicationKey: String) throws -> ApplicationVersion? {
        try Row.first(
            database.cachedStatement(
                sql: """
                    SELECT application.id, app_id, roles, version_id, app_key, app_secret, supported
                    FROM application_version JOIN application ON application.id = application_version.application
                    WHERE app_key = ?
                    """), arguments: [applicationKey]
        ) { version($0, of: application($0)) }
    }

    static func insert(_ database: Database, version: ApplicationVersion) throws {
        try database.execute(
            sql: """
                INSERT INTO application_version (application, version_id, app_key, app_secret, supported)
                VALUES (?, ?, ?, ?, ?)
                """,
            arguments: [
                version.application.row, version.id, version.applicationKey, version.applicationSecret,
                version.isSupported,
            ])
    }

    static func setSupported(_ database: Database, version: ApplicationVersion, _ supported: Bool) throws {
        try database.execute(
            sql: "UPDATE application_version SET supported = ? WHERE app_key = ?",
            arguments: [supported, version.applicationKey])
    }

    /// The newest master key pair of an application.
    static func masterKeyPair(_ database: Database, of application: Application) throws -> MasterKeyPair? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT id, private_key, public_key FROM master_keypair
                    WHERE application = ? ORDER BY created DESC, id DESC LIMIT 1
                    """), arguments: [application.row]
        ).map(masterKeyPair)
    }

    /// A master key pair by its row.
    static func masterKeyPair(_ database: Database, row: Int64) throws -> MasterKeyPair? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT id, private_key, public_key FROM master_keypair WHERE id = ?"),
            arguments: [row]
        ).map(masterKeyPair)
    }

    static func insertMasterKeyPair(
        _ database: Database, of application: Application, privateKey: Data, publicKey: Data, created: ServerTime
    ) throws {
        try database.execute(
            sql: """
                INSERT INTO master_keypair (application, name, private_key, public_key, created)
                VALUES (?, ?, ?, ?, ?)
                """,
            arguments: [
                application.row, "\(application.id) Default Keypair", privateKey, publicKey, created.milliseconds,
            ])
    }

    /// Reads the first three columns.
    private static func application(_ row: Row) -> Application {
        Application(row: row[0], id: row[1], roles: TextList.decode(row[2]))
    }

    private static func version(_ row: Row, of application: Application) -> ApplicationVersion {
        ApplicationVersion(
            application: application, id: row["version_id"], applicationKey: row["app_key"],
            applicationSecret: row["app_secret"], isSupported: row["supported"])
    }

    private static func masterKeyPair(_ row: Row) -> MasterKeyPair {
        MasterKeyPair(row: row[0], privateKey: row[1], publicKey: row[2])
    }
}

/// Lists of texts (flags, roles) in one column, as a JSON array.
enum TextList {
    static func encode(_ list: [String]) throws -> String {
        list.isEmpty ? "[]" : String(decoding: try JSONEncoder().encode(list), as: UTF8.self)
    }

    static func decode(_ text: String) -> [String] {
        text == "[]" ? [] : (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
    }
}
