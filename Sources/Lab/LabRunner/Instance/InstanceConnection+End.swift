import LabKit
import LabSystem

// Ends the server and the agents on purpose.
extension InstanceConnection {
    /// How long a process may take to end, in real time.
    private static let endPatience = LabDuration.seconds(5).stretched

    /// Ends the process at an endpoint and waits until it is gone.
    func end(_ process: ProcessWatch, at endpoint: InstanceEndpoint, with signal: Int32) throws {
        expectEnd(process.pid)
        try process.signal(signal)
        guard try process.waitForExit(timeoutNanoseconds: Self.endPatience.nanoseconds) else {
            throw ControlError(.timedOut, message: "\(endpoint) did not end within \(Self.endPatience)")
        }
    }

    /// Records that a process was killed: it cannot do so itself.
    func noteKill(of process: ProcessWatch, named name: String) throws {
        let traces = manifest.tracesDirectory
        let last = try TraceReader.readAll(traces).last { $0.process == name }?.incarnation ?? 1
        try TraceWriter(directory: traces, process: name, incarnation: last).emit(
            .processEnded,
            [
                "peer": .string(name), "incarnation": .integer(Int64(last)), "pid": .integer(Int64(process.pid)),
                "reason": "signal SIGKILL", "signal": "SIGKILL",
            ])
    }
}
