import LabKit
import LabSystem
import Synchronization

/// Runs branches at the same time, each on a thread of its own, with a common start.
enum BranchRun {
    /// The results of a branch.
    struct Result: Sendable {
        var isFine: Bool
        var bindings: Bindings
        var intervals: [HandlingInterval]
        /// Failures held back because an enclosing block may be retried, or because the branch may fail.
        var failures: [StepFailure]
        /// The error of the command that failed last.
        var error: ControlError?
        /// The answer of the command that succeeded last.
        var answer: JSONValue?
    }

    /// Runs all branches and waits for all of them.
    ///
    /// - Parameter makeThread: Makes the branch's executor; called on the branch's own thread.
    static func perform(
        _ branches: [Branch], makeThread: @escaping @Sendable () -> StepRunner
    ) -> [Result] {
        let barrier = Barrier(count: branches.count)
        let results = Results()
        let threads = branches.enumerated().map { index, branch in
            runOnThread(name: "branch \(index + 1)") {
                let thread = makeThread()
                // Connections are made before the start, so that they delay no branch.
                thread.prepare(branch.steps)
                barrier.arriveAndWait()
                let isFine = thread.perform(branch.steps)
                let result = Result(
                    isFine: isFine, bindings: thread.bindings, intervals: thread.intervals,
                    failures: thread.heldFailures, error: thread.lastError, answer: thread.lastAnswer)
                results.set(result, at: index)
            }
        }
        for thread in threads { thread.join() }
        return results.sorted
    }

    /// Thread rule: any thread.
    private final class Results: Sendable {
        private let values = Mutex<[Int: Result]>([:])

        func set(_ result: Result, at index: Int) {
            values.withLock { $0[index] = result }
        }

        var sorted: [Result] {
            values.withLock { values in values.sorted { $0.key < $1.key }.map(\.value) }
        }
    }
}
