import Foundation
import Synchronization

/// The thread that does what the passing of the server's time brings, exactly when it is due.
///
/// Thread rule: any thread. Ends with ``stop()``.
final class JobThread: Sendable {
    private let jobs: ScheduledJobs
    private let isStopped = Atomic(false)
    /// Deliveries wait for strangers, so they have threads of their own.
    private let deliveries = WorkerThreads(count: deliveryThreads)
    /// How many of those have been asked to look for messages and have not begun.
    private let asked = Mutex(0)
    private let hasEnded = DispatchSemaphore(value: 0)

    private static let deliveryThreads = 2

    /// Starts the thread.
    /// - Parameter delivery: calls the targets of callbacks.
    init(_ context: ServiceContext, delivery: CallbackDelivery? = nil) {
        jobs = ScheduledJobs(context: context, delivery: delivery ?? CallbackDelivery(context: context))
        let thread = Thread { self.run() }
        thread.name = "server jobs"
        thread.start()
    }

    /// Lets the thread end and waits for it; deliveries under way go on.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        jobs.context.alarm.ring()
        hasEnded.wait()
    }

    private func run() {
        defer { hasEnded.signal() }
        let context = jobs.context
        while !isStopped.load(ordering: .acquiring) {
            // A database that cannot be written now is tried again with the next change.
            let next = try? jobs.runDue { wakeDeliveries() }
            guard !isStopped.load(ordering: .acquiring) else { return }
            context.clock.wait(until: next ?? nil, orRung: context.alarm)
        }
    }

    /// Has every delivery thread look for messages once it is free. One that has not begun to look finds the newest
    /// message, too, so nobody is asked twice.
    private func wakeDeliveries() {
        let missing = asked.withLock { asked in
            defer { asked = Self.deliveryThreads }
            return Self.deliveryThreads - asked
        }
        for _ in 0..<missing {
            deliveries.submit {
                self.asked.withLock { $0 -= 1 }
                while !self.isStopped.load(ordering: .acquiring), (try? self.jobs.delivery.deliverNext()) == true {}
            }
        }
    }
}
