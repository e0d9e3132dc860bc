import Foundation
import Synchronization

/// The thread that does what the passing of the server's time brings, exactly when it is due.
///
/// Thread rule: any thread. Ends with ``stop()``.
final class JobThread: Sendable {
    private let context: ServiceContext
    private let isStopped = Atomic(false)
    /// Deliveries wait for strangers, so they have threads of their own.
    private let deliveries = WorkerThreads(count: 2)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Starts the thread.
    init(_ context: ServiceContext) {
        self.context = context
        let thread = Thread { self.run() }
        thread.name = "server jobs"
        thread.start()
    }

    /// Lets the thread end and waits for it; deliveries under way go on.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        context.alarm.ring()
        hasEnded.wait()
    }

    private func run() {
        defer { hasEnded.signal() }
        let jobs = ScheduledJobs(context: context)
        let delivery = CallbackDelivery(context: context)
        while !isStopped.load(ordering: .acquiring) {
            // A database that cannot be written now is tried again with the next change.
            let next = try? jobs.runDue { event in
                deliveries.submit { try? delivery.deliver(event) }
            }
            guard !isStopped.load(ordering: .acquiring) else { return }
            context.clock.wait(until: next ?? nil, orRung: context.alarm)
        }
    }
}
