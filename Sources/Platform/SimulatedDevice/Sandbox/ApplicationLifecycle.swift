// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lifecycle notifications of the system to an app (sharing.md, section 21.7).
///
/// Thread rule: any thread. Observers run on the thread that brings the news.
public final class ApplicationLifecycle: Sendable {
    /// A change in the app's life, in the order in which a visit to the background and back brings them.
    public enum Event: CaseIterable, Sendable {
        /// The app is about to lose the user's attention.
        case willResignActive
        /// The app is in the background.
        case didEnterBackground
        /// The app returns from the background; not reported after its launch.
        case willEnterForeground
        /// The app has the user's attention again; not reported after its launch.
        case didBecomeActive
    }

    private struct State {
        var next = 0
        var observers: [Int: (event: Event, observer: @Sendable () -> Void)] = [:]
    }

    private let state = Mutex(State())

    /// Keeps an observer alive; it ends with the last reference.
    public final class Observation: Sendable {
        private let end: @Sendable () -> Void

        fileprivate init(end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }

    /// Calls `observer` each time the event happens.
    public func on(_ event: Event, _ observer: @escaping @Sendable () -> Void) -> Observation {
        let key = state.withLock { state in
            state.next += 1
            state.observers[state.next] = (event, observer)
            return state.next
        }
        return Observation { [weak self] in _ = self?.state.withLock { $0.observers.removeValue(forKey: key) } }
    }

    /// The app comes to the foreground: notifies the observers, in the order in which they registered.
    public func enterForeground() {
        tell(.willEnterForeground)
        tell(.didBecomeActive)
    }

    /// The app goes to the background: notifies the observers, in the order in which they registered.
    public func enterBackground() {
        tell(.willResignActive)
        tell(.didEnterBackground)
    }

    private func tell(_ event: Event) {
        let observers = state.withLock { state in
            state.observers.filter { $0.value.event == event }.sorted { $0.key < $1.key }.map(\.value.observer)
        }
        for observer in observers { observer() }
    }
}
