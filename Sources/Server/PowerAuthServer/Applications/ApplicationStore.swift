// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthPostQuantum
import PowerAuthProtocol

/// A registered application: the owner of versions, master keys and activations.
struct Application: Sendable, Equatable {
    let row: Int64
    /// The identifier chosen by the caller that created the application.
    let id: Identifier
    /// Role names, sorted.
    let roles: [Identifier]
    /// The values of `cryptography_algorithms_supported`; nil for an application without them.
    var algorithms: [String]?
}

extension Application {
    /// The suites of protocol 4 that devices may use: those that are configured, or all.
    var suites: [CryptographySuite.Name] {
        algorithms.map { $0.compactMap(CryptographySuite.Name.init(rawValue:)) } ?? CryptographySuite.Name.allCases
    }

    /// The suite of a name, if devices may use it.
    /// - Throws: `unsupportedAlgorithm` for any other.
    func suite(named text: String) throws -> CryptographySuite {
        guard let name = CryptographySuite.Name(rawValue: text), suites.contains(name) else {
            throw ServiceError(.unsupportedAlgorithm, "the algorithm \(text.prefix(64)) is not one of \(id)")
        }
        return .named(name)
    }
}

/// One version of an application, known to devices by its key and secret.
struct ApplicationVersion: Sendable, Equatable {
    let application: Application
    /// The identifier chosen by the caller that created the version, unique within the application.
    let id: Identifier
    /// Base64 of 16 random bytes; the protocol compares and hashes the text.
    let applicationKey: Identifier
    /// Base64 of 16 random bytes.
    let applicationSecret: String
    /// Whether devices of this version are served.
    let isSupported: Bool
}

/// The key pair that signs activation codes and decrypts application-scope requests up to protocol 3.2.
struct MasterKeyPair: Sendable {
    let row: Int64
    /// The private scalar, big endian.
    let privateKey: Data
    /// The uncompressed point, 65 bytes.
    let publicKey: Data
}

/// The rows of applications, their versions and master keys.
enum ApplicationStore {
    private enum VersionColumn: String, QueryColumn {
        case id = "version_id"
        case applicationKey = "app_key"
        case applicationSecret = "app_secret"
        case isSupported = "supported"
    }

    /// Made once, because every request of a device shows an application key.
    private static let findByKeySQL = """
        SELECT \(ApplicationColumn.list), \(VersionColumn.list)
        FROM application_version JOIN application ON application.id = application_version.application
        WHERE app_key = ?
        """

    private enum MasterKeyPairColumn: String, QueryColumn {
        case row = "id"
        case privateKey = "private_key"
        case publicKey = "public_key"
    }

    static func all(_ database: Database) throws -> [Application] {
        try Row.fetchAll(database, sql: "SELECT \(ApplicationColumn.list) FROM application ORDER BY id")
            .map { Application(QueryRow($0)) }
    }

    static func find(_ database: Database, id: Identifier) throws -> Application? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT \(ApplicationColumn.list) FROM application WHERE app_id = ?"),
            arguments: [id]
        ).map { Application(QueryRow($0)) }
    }

    /// The application that a request names.
    /// - Throws: `invalidRequest` without identifier, `invalidApplication` for an unknown one.
    static func required(_ database: Database, id: Identifier?) throws -> Application {
        guard let id else { throw ServiceError(.invalidRequest, "applicationId is missing") }
        guard let application = try find(database, id: id) else {
            throw ServiceError(.invalidApplication, "no application \(id)")
        }
        return application
    }

    static func insert(_ database: Database, id: Identifier, created: ServerTime) throws -> Application {
        try database.execute(
            sql: "INSERT INTO application (app_id, roles, created) VALUES (?, '[]', ?)",
            arguments: [id, created.milliseconds])
        return Application(row: database.lastInsertedRowID, id: id, roles: [])
    }

    static func versions(_ database: Database, of application: Application) throws -> [ApplicationVersion] {
        try Row.fetchAll(
            database, sql: "SELECT \(VersionColumn.list) FROM application_version WHERE application = ? ORDER BY id",
            arguments: [application.row]
        ).map { version(QueryRow($0), of: application) }
    }

    static func version(_ database: Database, of application: Application, id: Identifier) throws -> ApplicationVersion?
    {
        try versions(database, of: application).first { $0.id == id }
    }

    /// Finds the version with an application key, supported or not.
    static func version(_ database: Database, applicationKey: Identifier) throws -> ApplicationVersion? {
        try QueryRow<ApplicationColumn>.first(
            database.cachedStatement(sql: findByKeySQL), arguments: [applicationKey]
        ) { version($0.following(), of: Application($0)) }
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
                    SELECT \(MasterKeyPairColumn.list) FROM master_keypair
                    WHERE application = ? ORDER BY created DESC, id DESC LIMIT 1
                    """), arguments: [application.row]
        ).map { masterKeyPair(QueryRow($0)) }
    }

    /// - Throws: `noMasterServerKeyPair` without one.
    static func requiredMasterKeyPair(_ database: Database, of application: Application) throws -> MasterKeyPair {
        guard let pair = try masterKeyPair(database, of: application) else {
            throw ServiceError(.noMasterServerKeyPair, "application \(application.id) has no master key pair")
        }
        return pair
    }

    /// A master key pair by its row.
    static func masterKeyPair(_ database: Database, row: Int64) throws -> MasterKeyPair? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT \(MasterKeyPairColumn.list) FROM master_keypair WHERE id = ?"),
            arguments: [row]
        ).map { masterKeyPair(QueryRow($0)) }
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

    private static func version(_ row: QueryRow<VersionColumn>, of application: Application) -> ApplicationVersion {
        ApplicationVersion(
            application: application, id: row[.id], applicationKey: row[.applicationKey],
            applicationSecret: row[.applicationSecret], isSupported: row[.isSupported])
    }

    private static func masterKeyPair(_ row: QueryRow<MasterKeyPairColumn>) -> MasterKeyPair {
        MasterKeyPair(row: row[.row], privateKey: row[.privateKey], publicKey: row[.publicKey])
    }
}

/// The selected columns of an application, alone or joined to its records.
enum ApplicationColumn: String, QueryColumn {
    case row = "application.id"
    case id = "application.app_id"
    case roles = "application.roles"
    case algorithms = """
        (SELECT "values" FROM application_config
            WHERE application_config.application = application.id
                AND application_config.key = 'cryptography_algorithms_supported')
        """
}

extension Application {
    init(_ row: QueryRow<ApplicationColumn>) {
        self.init(
            row: row[.row], id: row[.id], roles: TextList.identifiers(row[.roles]),
            algorithms: (row[.algorithms] as String?).map(TextList.decode))
    }
}

/// Lists of texts (flags, roles) in one column, as a JSON array.
enum TextList {
    static func encode(_ list: [some Encodable]) throws -> String { try list.isEmpty ? "[]" : JSONBody.text(of: list) }

    static func decode(_ text: String) -> [String] {
        text == "[]" ? [] : (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
    }

    /// The names that the server itself has stored.
    static func identifiers(_ text: String) -> [Identifier] { decode(text).map(Identifier.init(known:)) }
}
