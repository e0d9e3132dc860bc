import Synchronization

/// The calls of a client that have not ended. Thread rule: any thread.
final class RunningOperations: Sendable {
    private let operations = Mutex<[ObjectIdentifier: RestOperation]>([:])

    /// A copy of the list; calls may end meanwhile.
    var all: [RestOperation] { operations.withLock { Array($0.values) } }

    func add(_ operation: RestOperation) {
        operations.withLock { $0[ObjectIdentifier(operation)] = operation }
    }

    func remove(_ operation: RestOperation) {
        operations.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(operation)) }
    }
}
