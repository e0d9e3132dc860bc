/// An asynchronous operation that the application can cancel (sdk.md, sections 5.26 and 8.1).
///
/// Thread rule: any thread.
public protocol PowerAuthOperationTask: AnyObject {
    /// True after ``cancel()``. The children of a grouped task say true also once they are complete.
    var isCancelled: Bool { get }

    /// Cancels the operation: its completion will not be called. Without effect once it was called.
    func cancel()
}
