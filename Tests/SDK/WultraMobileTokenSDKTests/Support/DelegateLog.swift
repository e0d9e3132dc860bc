// SPDX-License-Identifier: Apache-2.0

import SDKTestSupport
import Synchronization
import TestSupport
import WultraMobileTokenSDK

/// Records the calls of a delegate, and lets a test wait for them.
final class DelegateLog: WMTOperationsDelegate, Sendable {
    enum Event: Equatable, Sendable {
        case changed([String], removed: [String], added: [String])
        case failed(String)
        case loading(Bool)
    }

    private let log = Mutex<[Event]>([])
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    var events: [Event] { log.withLock { $0 } }

    /// Waits until an event has happened so often, from the beginning on.
    func wait(for event: Event, count: Int = 1) async {
        for await _ in stream where events.count(where: { $0 == event }) >= count { return }
    }

    private func note(_ event: Event) {
        precondition(MainQueue.isCurrent, "Delegates are called on the main queue.")
        log.withLock { $0.append(event) }
        continuation.yield(event)
    }

    func operationsChanged(operations: [WMTUserOperation], removed: [WMTUserOperation], added: [WMTUserOperation]) {
        note(.changed(operations.map(\.id), removed: removed.map(\.id), added: added.map(\.id)))
    }

    func operationsFailed(error: WMTError) { note(.failed(error.reason.rawValue)) }

    func operationsLoading(loading: Bool) { note(.loading(loading)) }
}
