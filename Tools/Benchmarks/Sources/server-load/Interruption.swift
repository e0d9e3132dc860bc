// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Ends the program's child processes when it is interrupted: its servers would keep running.
///
/// Thread rule: any thread.
enum Interruption {
    private static let owned = Mutex<(servers: Set<Int32>, directories: [String])>(([], []))
    /// A signal handler may do little more than write into a pipe, so it does only that.
    nonisolated(unsafe) private static var wakeUp: (reading: Int32, writing: Int32) = (-1, -1)

    /// Waits for SIGINT and SIGTERM from now on. Called once, before any server is started: later the pipe is only
    /// read.
    static func watch() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw LoadFailure("no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wakeUp = (ends[0], ends[1])
        let thread = Thread {
            var byte: UInt8 = 0
            while read(wakeUp.reading, &byte, 1) != 1 {}
            end()
        }
        thread.name = "interruption"
        thread.start()
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in
                var byte: UInt8 = 0
                _ = write(Interruption.wakeUp.writing, &byte, 1)
            }
        }
    }

    static func willEnd(_ server: Int32) { owned.withLock { _ = $0.servers.insert(server) } }
    static func hasEnded(_ server: Int32) { owned.withLock { _ = $0.servers.remove(server) } }
    static func willRemove(_ directory: String) { owned.withLock { $0.directories.append(directory) } }

    private static func end() -> Never {
        // Never released: no further server may be started.
        owned.withLock { owned in
            for server in owned.servers { kill(server, SIGTERM) }
            // A server that has ended needs no signal.
            for server in owned.servers { while kill(server, 0) == 0, waitpid(server, nil, 0) == -1, errno == EINTR {} }
            for directory in owned.directories { try? FileManager.default.removeItem(atPath: directory) }
            FileHandle.standardError.write(Data("server-load: interrupted; its servers are ended\n".utf8))
            exit(130)
        }
    }
}
