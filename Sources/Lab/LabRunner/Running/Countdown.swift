internal import LabKit
internal import LabSystem

/// Does something when a limit of real time is over, unless what it limits has ended before.
///
/// Thread rule: any thread; `end` once.
final class Countdown: Sendable {
    private let bell: EventDescriptor?
    private let watcher: ThreadHandle?

    /// Starts counting.
    ///
    /// - Parameters:
    ///   - limit: The time; nil counts for ever.
    ///   - action: Done once, on a thread of its own.
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

    /// Stops counting; an action that has begun is waited for.
    func end() {
        bell?.signal()
        watcher?.join()
    }
}
