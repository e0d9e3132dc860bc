internal import Foundation
internal import LabKit
internal import LabSystem

/// The server's process of an instance, as commands end and start it.
struct ServerProcess {
    let instance: InstanceConnection

    /// How long the server may take to end, in real time.
    private static let endPatience = LabDuration.seconds(5).stretched

    /// Ends the process at once and waits until it is gone.
    func kill() throws {
        guard let process = instance.serverProcess else {
            throw ControlError(
                name: "notRunning", message: "the server does not run; `server: restart` starts it")
        }
        try end(process, with: SIGKILL)
        // What was killed writes nothing about its end.
        let traces = instance.manifest.tracesDirectory
        let last = try TraceReader.readAll(traces).last { $0.process == "server" }?.incarnation ?? 1
        try TraceWriter(directory: traces, process: "server", incarnation: last).emit(
            .processEnded,
            [
                "peer": "server", "incarnation": .integer(Int64(last)), "pid": .integer(Int64(process.pid)),
                "reason": "signal SIGKILL", "signal": "SIGKILL",
            ])
    }

    /// Starts the server anew, after it was asked to end if it runs, and waits until it answers.
    func restart() throws {
        if let process = instance.serverProcess { try end(process, with: SIGTERM) }
        try instance.startServer()
    }

    private func end(_ process: ProcessWatch, with signal: Int32) throws {
        instance.expectServerEnd(process.pid)
        try process.signal(signal)
        guard try process.waitForExit(timeoutNanoseconds: Self.endPatience.nanoseconds) else {
            throw ControlError(name: "timedOut", message: "the server did not end within \(Self.endPatience)")
        }
    }
}
