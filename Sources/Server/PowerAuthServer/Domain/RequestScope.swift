/// On whose behalf a request is worked on, to be carried from one thread to another.
struct RequestScope: Sendable {
    /// The lab operation that caused the request.
    var operation: String?
    /// The plaintexts of its envelopes; nil where they are not recorded.
    var plaintexts: PlaintextLog?
    /// Its identifier in the logs of other servers.
    var correlation: String?

    /// That of the current thread or task.
    static var current: RequestScope {
        RequestScope(
            operation: CurrentOperation.id, plaintexts: CurrentPlaintexts.log, correlation: CurrentCorrelation.current)
    }

    private var isEmpty: Bool { operation == nil && plaintexts == nil && correlation == nil }

    /// Runs a function on its behalf.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        if isEmpty { return try body() }
        return try CurrentPlaintexts.$log.withValue(plaintexts) {
            try CurrentOperation.$id.withValue(operation) {
                try CurrentCorrelation.$current.withValue(correlation, operation: body)
            }
        }
    }

    /// Runs an asynchronous function on its behalf.
    func run<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        if isEmpty { return try await body() }
        return try await CurrentPlaintexts.$log.withValue(plaintexts) {
            try await CurrentOperation.$id.withValue(operation) {
                try await CurrentCorrelation.$current.withValue(correlation, operation: body)
            }
        }
    }
}
