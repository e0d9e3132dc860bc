import LabKit
import LabSystem

/// Performs an action when a real-time limit has passed, unless the limited work has ended before.
///
/// Thread rule: any thread; `end` once.
final class Countdown: Sendable {
    private let bell: EventDescriptor?
    private let watcher: ThreadHandle?

    /// Starts counting.
    ///
    /// - Parameters:
    ///   - limit: The time; nil means no limit.
    ///   - action: Performed once, on a thread of its own.
    init(_ limit: LabDuration?, action: @escaping @Sendable (LabDuration) -> Void) {
        guard let limit, let bell = try? EventDescriptor() else {
            (bell, watcher) = (nil, nil)
            return
        }
        self.bell = bell
        watcher = runOnThread(name: "countdown") {
            if (try? bell.wait(timeoutNanoseconds: limit.nanoseconds)) == false { action(limit) }
        }
    }

    /// Stops counting; waits for an action that has begun.
    func end() {
        bell?.signal()
        watcher?.join()
    }
}
