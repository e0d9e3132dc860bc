internal import LabKit
internal import LabSystem
internal import Synchronization

/// Waits for either of two things: the end of a step, or a dialog of an app.
///
/// Thread rule: any thread.
final class DialogWatch: Sendable {
    private let events: TraceBoard
    private let app: String

    /// - Parameter events: what the processes of the instance write.
    init(of app: String, in events: TraceBoard) {
        self.events = events
        self.app = app
    }

    /// Carries something out on a thread of its own, and lets the caller's thread do something for each dialog meanwhile.
    ///
    /// - Parameters:
    ///   - body: what takes its time.
    ///   - onDialog: called when the app has opened a dialog.
    /// - Throws: `SystemError` when the kernel has no descriptor left.
    func during(_ body: @escaping @Sendable () -> Void, onDialog: () -> Void) throws {
        let bell = try EventDescriptor()
        let end = End()
        try events.ringing(bell, for: .init(processes: [app])) {
            var known = events.generation
            // Reading a step nests as deep as its file does.
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
