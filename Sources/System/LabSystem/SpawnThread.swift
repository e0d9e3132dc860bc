import Dispatch
import Synchronization

/// The one thread that starts all children with a death signal. It lives as long as the process: the kernel
/// sends `PR_SET_PDEATHSIG` when the *thread* that forked ends, and any other thread may end early.
///
/// Thread rule: `run` from any thread; jobs run one after the other.
final class SpawnThread: Sendable {
    static let shared = SpawnThread()

    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let available = DispatchSemaphore(value: 0)

    private init() {
        runOnThread(name: "spawn") { [self] in
            while true {
                available.wait()
                jobs.withLock { $0.removeFirst() }()
            }
        }
    }

    /// Runs `body` on the thread and returns its result.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let outcome = Mutex<Result<Value, any Error>?>(nil)
        let box = OutcomeBox(outcome)
        jobs.withLock {
            $0.append { box.finish(Result { try body() }) }
        }
        available.signal()
        return try box.wait().get()
    }
}

private final class OutcomeBox<Value: Sendable>: Sendable {
    private let outcome: Mutex<Result<Value, any Error>?>
    private let done = DispatchSemaphore(value: 0)

    init(_ outcome: consuming Mutex<Result<Value, any Error>?>) { self.outcome = outcome }

    func finish(_ result: sending Result<Value, any Error>) {
        outcome.withLock { $0 = result }
        done.signal()
    }

    func wait() -> Result<Value, any Error> {
        done.wait()
        return outcome.withLock { $0 }!  // set before the semaphore was signalled
    }
}
