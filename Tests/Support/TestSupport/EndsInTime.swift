// SPDX-License-Identifier: Apache-2.0

// A statically linked build has neither the module Testing nor tests; the package manager builds this target all the same.
#if canImport(Testing)
    import LabCore
    import Synchronization
    public import Testing

    /// Gives every test of a suite a limit of real time. It is for tests that would never end, so it is far above what
    /// any needs. A test that exceeds it fails and is abandoned: the others continue, and the end of the run does not
    /// wait for it.
    public struct EndsInTime: SuiteTrait, TestTrait, TestScoping {
        /// Each test of a suite, and each case of a test with arguments, has the limit for itself.
        public var isRecursive: Bool { true }
        fileprivate let limit: LabDuration

        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            let (body, end) = (LentBody.keep(function), TestEnd())
            let run = TestRun()
            // It begins when it has a thread: waiting for one does not count.
            let task = Task(executorPreference: run) {
                TestWatchdog.shared.begin("\(test.displayName ?? test.name) (\(test.sourceLocation))", limit, end, run)
                do {
                    try await body()
                    end.come(.success(()))
                } catch {
                    end.come(.failure(error))
                }
            }
            let result = await withTaskCancellationHandler {
                await end.wait()
            } onCancel: {
                task.cancel()
            }
            TestWatchdog.shared.forget(end)
            if let result { return try result.get() }
            // It is not cancelled: what a test does when all its waits end early would only hide where it hung.
            Issue.record("The test did not end within \(limit).", sourceLocation: test.sourceLocation)
        }
    }

    /// How a test ends: by itself, or by its limit.
    ///
    /// Thread rule: any thread.
    final class TestEnd: Sendable {
        typealias Outcome = Result<Void, any Error>?

        private enum State {
            case open
            case awaited(CheckedContinuation<Outcome, Never>)
            case over(Outcome)
        }

        private let state = Mutex(State.open)

        /// Only the first end counts; nil means the limit.
        func come(_ outcome: Outcome) {
            let waiting: CheckedContinuation<Outcome, Never>? = state.withLock { state in
                switch state {
                case .over: return nil
                case .open:
                    state = .over(outcome)
                    return nil
                case .awaited(let continuation):
                    state = .over(outcome)
                    return continuation
                }
            }
            waiting?.resume(returning: outcome)
        }

        /// - Returns: The first end.
        fileprivate func wait() async -> Outcome {
            await withCheckedContinuation { continuation in
                let outcome: Outcome? = state.withLock { state in
                    if case .over(let outcome) = state { return .some(outcome) }
                    state = .awaited(continuation)
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        }
    }

    /// The body of a test, which the testing library lends for the time of a call. A test that never ends needs it for
    /// longer.
    private enum LentBody {
        typealias Body = @Sendable () async throws -> Void

        private struct Keeping {
            let keep: @Sendable (@escaping Body) -> Body
        }

        private struct Lending {
            let keep: @Sendable (Body) -> Body
        }

        /// The same body, to be kept.
        ///
        /// The library gives bodies that it has on the heap: it builds the scopes of all traits into one function before
        /// it calls that (`Runner._applyScopingTraits`). So a body may be retained, and a function that does so may stand
        /// for one that does not: both take the function and its context alike, and neither takes ownership.
        static func keep(_ body: Body) -> Body { unsafeBitCast(Keeping { $0 }, to: Lending.self).keep(body) }
    }

    extension Trait where Self == EndsInTime {
        /// A minute, stretched by `LAB_TIME_FACTOR`.
        public static var endsInTime: Self { .ends(withinSeconds: 60) }

        /// A limit for tests that do more than others, stretched by `LAB_TIME_FACTOR`.
        public static func ends(withinSeconds seconds: Int64) -> Self {
            EndsInTime(limit: LabDuration.seconds(seconds).stretched)
        }
    }
#endif
