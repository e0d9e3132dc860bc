import Synchronization

/// The messages of callbacks whose calls this process has begun and not ended.
///
/// They are not lost, however late it is on the server's clock: targets take real time, and a lab's clock may jump.
/// Thread rule: any thread.
final class CallsUnderWay: Sendable {
    private let rows = Mutex<Set<Int64>>([])

    /// The rows of the messages.
    var all: Set<Int64> { rows.withLock { $0 } }

    func begin(_ row: Int64) { rows.withLock { _ = $0.insert(row) } }

    func end(_ row: Int64) { rows.withLock { _ = $0.remove(row) } }
}
