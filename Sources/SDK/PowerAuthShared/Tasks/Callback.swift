/// Carries an application's callback to the queue where it is called.
///
/// The vendor's closure types are plain, so that code in the Swift 5 mode compiles; the closure itself
/// cannot promise to be `Sendable`.
package struct Callback<Value>: @unchecked Sendable {
    // Safe: the box is handed from the calling thread to exactly one queue, which calls the closure once. The
    // application chose the thread that captures its state, as the documentation of each function states on which queue
    // the callback arrives.
    private let body: (Value) -> Void

    /// - Parameter body: the application's closure.
    package init(_ body: @escaping (Value) -> Void) {
        self.body = body
    }

    /// Calls the closure.
    package func callAsFunction(_ value: Value) { body(value) }
}

/// Carries a value that is not `Sendable`, but is given away by the sending thread, to another queue.
package struct Transferred<Value>: @unchecked Sendable {
    // Safe: the sender drops its reference after the transfer, or the value is never mutated.
    package let value: Value

    /// - Parameter value: the value that changes hands.
    package init(_ value: Value) {
        self.value = value
    }
}
