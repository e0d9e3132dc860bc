import LabKit
import LabSystem
import Synchronization

/// Waits for the end of a step or a dialog of an app.
///
/// Thread rule: any thread.
final class DialogWatch: Sendable {
    private let events: TraceBoard
    private let app: String

    /// - Parameter events: the events of the instance's processes.
    init(of app: String, in events: TraceBoard) {
        self.events = events
        self.app = app
    }

    /// Performs work on a thread of its own, and meanwhile calls a closure on the caller's thread for each dialog.
    ///
    /// - Parameters:
    ///   - body: the long work.
    ///   - onDialog: called when the app has opened a dialog.
    /// - Throws: `SystemError` when the kernel has no descriptor left.
    func during(_ body: @escaping @Sendable () -> Void, onDialog: () -> Void) throws {
        let bell = try EventDescriptor()
        let end = End()
        try events.ringing(bell, for: .init(processes: [app])) {
            var known = events.generation
            // Reading a step needs as much stack as its file is nested.
            let thread = runOnThread(name: "step", stackSize: 8 << 20) {
                body()
                end.isReached.store(true, ordering: .releasing)
                bell.signal()
            }
            while true {
                let new = events.events(after: known)
                known += new.count
                if new.contains(where: { $0.process == app && $0.name == .biometryPrompted }) { onDialog() }
                if end.isReached.load(ordering: .acquiring) { break }
                _ = try bell.wait()
            }
            thread.join()
        }
    }

    private final class End: Sendable {
        let isReached = Atomic<Bool>(false)
    }
}
