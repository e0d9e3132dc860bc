import Foundation
import LabSystem
import Synchronization

/// The thread that runs time-dependent jobs exactly when they are due.
///
/// Thread rule: any thread. Ends with ``stop()``.
final class JobThread: Sendable {
    private let jobs: ScheduledJobs
    private let isStopped = Atomic(false)
    private let calls: CallbackCalls
    private let hasEnded = OneShot<Void>()

    /// Starts the thread.
    /// - Parameter delivery: calls the targets of callbacks.
    init(_ context: ServiceContext, delivery: CallbackDelivery? = nil) {
        let delivery = delivery ?? CallbackDelivery(context: context)
        jobs = ScheduledJobs(context: context, delivery: delivery)
        calls = CallbackCalls(delivery)
        let thread = Thread { self.run() }
        thread.name = "server jobs"
        thread.start()
    }

    /// Ends the thread and waits for it; deliveries under way continue.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        calls.stop()
        jobs.context.alarm.ring()
        hasEnded.wait()
    }

    private func run() {
        defer { hasEnded.set() }
        let context = jobs.context
        while !isStopped.load(ordering: .acquiring) {
            // A database that cannot be written now is tried again with the next change.
            let next = try? jobs.runDue { calls.wake() }
            guard !isStopped.load(ordering: .acquiring) else { return }
            context.clock.wait(until: next ?? nil, orRung: context.alarm)
        }
    }
}
