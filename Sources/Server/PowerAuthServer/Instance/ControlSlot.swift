import Foundation
import LabKit

/// Holds the control server between its start on a worker and its end on another thread.
///
/// Thread rule: any thread; the state is guarded by the lock.
final class ControlSlot: @unchecked Sendable {
    private let lock = NSLock()
    // Both are guarded by `lock`, which is what makes the class safe to share.
    private var server: ControlServer?
    private var isStopped = false

    /// Takes over a started server; stops it at once when the end came first.
    func set(_ started: ControlServer) {
        let tooLate = lock.withLock {
            if !isStopped { server = started }
            return isStopped
        }
        if tooLate { started.stop() }
    }

    /// Stops the server, now or when it comes.
    func stop() {
        let started = lock.withLock {
            isStopped = true
            defer { server = nil }
            return server
        }
        started?.stop()
    }
}
