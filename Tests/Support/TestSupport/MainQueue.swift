import Dispatch

/// The main queue, which in a test process has no thread of its own.
public enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// True when the caller runs on the main queue.
    public static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// Waits until everything that was sent to the main queue before has run.
public func mainQueueIsIdle() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
    }
}
