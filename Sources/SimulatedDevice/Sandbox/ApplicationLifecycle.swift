import Synchronization

/// What the system tells an app about its own life (sharing.md, section 21.7).
///
/// Thread rule: any thread. Observers run on the thread that brings the news.
public final class ApplicationLifecycle: Sendable {
    private struct State {
        var next = 0
        var observers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Keeps an observer alive; it ends with the last reference.
    public final class Observation: Sendable {
        private let end: @Sendable () -> Void

        fileprivate init(end: @escaping @Sendable () -> Void) {
            self.end = end
        }

        deinit { end() }
    }

    /// Calls `observer` each time the app returns from the background to the foreground, but not after its launch.
    public func onWillEnterForeground(_ observer: @escaping @Sendable () -> Void) -> Observation {
        let key = state.withLock { state in
            state.next += 1
            state.observers[state.next] = observer
            return state.next
        }
        return Observation { [weak self] in
            _ = self?.state.withLock { $0.observers.removeValue(forKey: key) }
        }
    }

    /// The app comes to the foreground: tells the observers, in the order in which they registered.
    public func enterForeground() {
        let observers = state.withLock { state in state.observers.sorted { $0.key < $1.key }.map(\.value) }
        for observer in observers { observer() }
    }
}
