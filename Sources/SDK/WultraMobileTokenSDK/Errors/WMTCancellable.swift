import PowerAuthShared
import Synchronization

/// A call whose result may no longer be wanted. Thread rule: any thread.
public protocol WMTCancellable: AnyObject {
    /// True after ``cancel()``.
    var isCanceled: Bool { get }

    /// Keeps the completion from being called. A request that was sent continues.
    func cancel()
}

/// A completion that may be cancelled. It is called on the main queue.
final class CancellableCall<Value>: WMTCancellable, Sendable {
    private let canceled = Mutex(false)
    private let completion: Callback<Value>
    private let onCancel: @Sendable () -> Void

    init(_ completion: @escaping (Value) -> Void, onCancel: @escaping @Sendable () -> Void = {}) {
        self.completion = Callback(completion)
        self.onCancel = onCancel
    }

    var isCanceled: Bool { canceled.withLock { $0 } }

    func cancel() {
        let isFirst = canceled.withLock { isCanceled in
            defer { isCanceled = true }
            return !isCanceled
        }
        if isFirst { onCancel() }
    }

    func complete(_ value: Value) {
        if !isCanceled { completion(value) }
    }
}
