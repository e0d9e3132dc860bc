import NIOCore

/// Runs the tasks of a connection on its event loop, where its requests arrive and its answers leave: the change to a thread
/// of Swift's pool and back would cost more than most requests.
///
/// Tasks that run here must not block: the other connections of the loop would wait. Thread rule: any thread.
final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
