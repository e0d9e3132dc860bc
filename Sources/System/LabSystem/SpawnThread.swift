/// The one thread that starts all children with a death signal. It lives as long as the process: the kernel
/// sends `PR_SET_PDEATHSIG` when the *thread* that forked ends, and any other thread may end early.
///
/// Thread rule: `run` from any thread; jobs run one after the other.
final class SpawnThread: Sendable {
    static let shared = SpawnThread()

    private let jobs = Mailbox<@Sendable () -> Void>()

    private init() {
        runOnThread(name: "spawn") { [jobs] in
            while let job = jobs.take() { job() }
        }
    }

    /// Runs `body` on the thread and returns its result.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let outcome = OneShot<Result<Value, any Error>>()
        jobs.send { outcome.set(Result { try body() }) }
        return try outcome.wait().get()
    }
}
