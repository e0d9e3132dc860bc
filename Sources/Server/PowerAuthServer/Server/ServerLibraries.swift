import COpenSSL
import GRDB

/// The libraries of the system that the server runs on.
public enum ServerLibraries {
    /// The versions that are loaded, by the libraries' names.
    ///
    /// - Throws: when no database can be opened in memory.
    public static func versions() throws -> [String: String] {
        let sqlite = try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
        let openSSL = [OPENSSL_version_major(), OPENSSL_version_minor(), OPENSSL_version_patch()]
        return ["OpenSSL": openSSL.map(String.init).joined(separator: "."), "SQLite": sqlite ?? "unknown"]
    }
}
