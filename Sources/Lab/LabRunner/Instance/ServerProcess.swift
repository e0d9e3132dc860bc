import Foundation
import LabKit
import LabSystem

/// The server's process of an instance, as commands end and start it.
struct ServerProcess {
    let instance: InstanceConnection

    /// Ends the process at once and waits until it is gone.
    func kill() throws {
        guard let process = instance.process(of: .server) else {
            throw ControlError(
                .notRunning, message: "the server does not run; `server: restart` starts it")
        }
        try instance.end(process, at: .server, with: SIGKILL)
        try instance.noteKill(of: process, named: "server")
    }

    /// Restarts the server, after asking it to end if it runs, and waits until it answers.
    func restart() throws {
        if let process = instance.process(of: .server) { try instance.end(process, at: .server, with: SIGTERM) }
        try instance.startServer()
    }
}
