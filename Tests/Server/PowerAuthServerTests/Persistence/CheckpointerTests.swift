import Dispatch
import Foundation
import GRDB
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Checkpoints", .endsInTime)
struct CheckpointerTests {
    /// Long enough for a connection that does not wait to have failed. One that waits passes, however slow the machine is.
    private static let glance = DispatchTimeInterval.milliseconds(200)

    @Test("When it is over, its file is closed")
    func closes() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("server.db")
        func openFiles() throws -> Int {
            try Files.list("/proc/self/fd").count { file in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)"))?
                    .hasPrefix(path) == true
            }
        }
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE log (line TEXT)") }
        let checkpointer = try Checkpointer(path: path)
        try queue.close()
        #expect(try openFiles() > 0)
        checkpointer.close()
        #expect(try openFiles() == 0)
    }

    @Test("The connection waits for a database that another connection still has for itself")
    func waits() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("server.db")
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA locking_mode = EXCLUSIVE")
        }
        let former = try DatabaseQueue(path: path, configuration: configuration)
        try former.write { try $0.execute(sql: "CREATE TABLE log (line TEXT)") }

        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        let thread = runOnThread(name: "next") {
            let result = Result { try Checkpointer(path: path).close() }
            outcome.withLock { $0 = result }
            ended.signal()
        }
        _ = ended.wait(timeout: .now() + Self.glance)
        try former.close()
        thread.join()
        let result = try #require(outcome.withLock { $0 })
        #expect(throws: Never.self) { try result.get() }
    }
}
