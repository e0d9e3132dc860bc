import Foundation
import WultraPowerAuthNetworking

/// The application's handle of a call. It ends after the completion has run, or by a cancel, and then releases the
/// request: the request's completion holds the operation, and with it the call and its service.
///
/// Thread rule: any thread.
final class CallOperation: WPNAsyncOperation, @unchecked Sendable {
    // Safe: the only property is a lock with what it guards.

    private enum Phase {
        case idle
        /// A request is under way.
        case running(Operation)
        case ended
    }

    private let phase = Guarded(Phase.idle)

    /// Does nothing: the creator of the operation starts it and sends the request.
    override func started() {}

    override func canceled() { letGo()?.cancel() }

    /// Remembers a request, unless its completion was called already; gives it up after a cancel.
    func hold(_ request: Operation) {
        let isTooLate = phase.withLock { phase in
            if case .ended = phase { return true }
            // A request has finished when its completion is called, which may have sent the next one.
            if !request.isFinished { phase = .running(request) }
            return false
        }
        if isTooLate, !request.isFinished { request.cancel() }
    }

    /// Runs the completion and ends. After a cancel nothing happens.
    func finish(_ complete: () -> Void) {
        guard !isCancelled else { return }
        complete()
        _ = letGo()
        // The completion may have cancelled it.
        if !isCancelled { markFinished() }
    }

    private func letGo() -> Operation? {
        phase.withLock { phase in
            defer { phase = .ended }
            if case .running(let request) = phase { return request }
            return nil
        }
    }
}
