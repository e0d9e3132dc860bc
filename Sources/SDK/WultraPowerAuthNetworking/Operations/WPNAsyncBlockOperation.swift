public import Dispatch
public import Foundation

/// An asynchronous operation made of closures (networking.md, section 2.11).
///
/// Unchecked: the closures are constants; the work is called once, by the starting thread, and the other one once, by
/// the cancelling thread.
open class WPNAsyncBlockOperation: WPNAsyncOperation, @unchecked Sendable {
    /// Ends the operation; takes a closure that is then called on its completion queue.
    public typealias MarkFinishedBlock = ((() -> Void)?) -> Void
    /// The work; gets the operation and what ends it.
    public typealias ExecutionBlock = (_ this: WPNAsyncBlockOperation, _ markFinished: @escaping MarkFinishedBlock) ->
        Void

    private let executionBlock: ExecutionBlock
    private let canceledBlock: (() -> Void)?

    /// - Parameter executionBlock: the work, called on the thread that starts the operation.
    public convenience init(_ executionBlock: @escaping ExecutionBlock) {
        self.init(nil, executionBlock: executionBlock)
    }

    /// - Parameters:
    ///   - canceledBlock: called when the operation is cancelled before its end, on the thread that cancels.
    ///   - executionBlock: the work, called on the thread that starts the operation.
    public init(_ canceledBlock: (() -> Void)?, executionBlock: @escaping ExecutionBlock) {
        self.canceledBlock = canceledBlock
        self.executionBlock = executionBlock
        super.init()
    }

    /// Calls the work.
    public final override func started() {
        executionBlock(self) { [self] completion in markFinished(completion: completion) }
    }

    /// Calls the closure for a cancel.
    public final override func canceled() { canceledBlock?() }
}

extension OperationQueue {
    /// Adds an asynchronous operation made of a closure.
    ///
    /// - Parameters:
    ///   - completionQueue: where the completion given at the end is called.
    ///   - executionBlock: the work.
    public func addAsyncOperation(
        _ completionQueue: DispatchQueue? = nil, _ executionBlock: @escaping WPNAsyncBlockOperation.ExecutionBlock
    ) {
        let operation = WPNAsyncBlockOperation(executionBlock)
        operation.completionQueue = completionQueue
        addOperation(operation)
    }
}
