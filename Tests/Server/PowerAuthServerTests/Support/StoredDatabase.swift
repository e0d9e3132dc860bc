import GRDB
import TestSupport

/// The server's database as another program opens it, beside a server that runs or is about to end.
enum StoredDatabase {
    /// Opens the file below a fixture's directory. It waits for the server's locks: a released server folds its log and
    /// closes its connections on its own threads, while the test continues.
    static func open(_ directory: TemporaryDirectory, foreignKeys: Bool = true) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = foreignKeys
        configuration.busyMode = .timeout(600)
        return try DatabaseQueue(path: directory.path + "/server/server.sqlite", configuration: configuration)
    }
}
