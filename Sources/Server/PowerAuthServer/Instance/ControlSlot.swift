import LabKit
import Synchronization

/// Holds the control server between its start on a worker and its end on another thread.
///
/// Thread rule: any thread.
final class ControlSlot: Sendable {
    private let state = Mutex<(server: ControlServer?, isStopped: Bool)>((nil, false))

    /// Takes over a started server; stops it at once when the end came first.
    func set(_ started: ControlServer) {
        let tooLate = state.withLock { state in
            if !state.isStopped { state.server = started }
            return state.isStopped
        }
        if tooLate { started.stop() }
    }

    /// Stops the server, now or when it comes.
    func stop() {
        let started = state.withLock { state in
            defer { state = (nil, true) }
            return state.server
        }
        started?.stop()
    }
}
