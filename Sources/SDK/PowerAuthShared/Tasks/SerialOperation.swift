package import Foundation

/// A unit of work that has a ``SerialOperationQueue`` for itself until it reports that it has finished.
package protocol SerialOperation: AnyObject, Sendable {
    /// True when the work is no longer wanted; a cancelled unit is skipped without taking any lock.
    var isCancelled: Bool { get }

    /// Does the work. Called once, on a thread of the queue (never the main thread).
    ///
    /// - Parameter finished: to be called from any thread when the next unit may run; only the first call counts.
    func run(finished: @escaping @Sendable () -> Void)

    /// Ends the unit without doing the work, because what surrounds it cannot be entered. Called instead of
    /// ``run(finished:)``.
    ///
    /// - Parameter error: what to report.
    func refuse(_ error: NSError)

    /// Ends a unit that was cancelled before its turn. Called instead of ``run(finished:)``; by default there is nothing to
    /// do.
    func skip()
}

extension SerialOperation {
    package func skip() {}
}
