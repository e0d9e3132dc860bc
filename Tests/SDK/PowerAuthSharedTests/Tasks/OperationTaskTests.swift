// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import Synchronization
import TestSupport
import Testing

@Suite("A cancellable operation (sdk.md, sections 8.1 and 12.7)", .endsInTime)
struct OperationTaskTests {
    private let queue = DispatchQueue(label: "test")

    @Test func `The result is reported once`() {
        let results = Mutex<[Int]>([])
        let task = OperationTask<Int>(queue: queue) { result in
            if case .success(let value) = result { results.withLock { $0.append(value) } }
        }
        task.complete(.success(1))
        task.complete(.success(2))
        queue.sync {}
        task.cancel()
        #expect(results.withLock { $0 } == [1])
        #expect(!task.isCancelled)
    }

    @Test func `A cancel between end and report suppresses the report, and stops every part once`() {
        let results = Mutex<[Int]>([])
        let part = GroupedTaskTests.Work()
        let cancels = Mutex(0)
        let task = OperationTask<Int>(queue: queue) { _ in results.withLock { $0.append(0) } }
        task.add(part)
        task.onCancel { cancels.withLock { $0 += 1 } }
        queue.suspend()
        task.complete(.success(1))
        task.cancel()
        task.cancel()
        queue.resume()
        queue.sync {}
        #expect(results.withLock { $0 }.isEmpty)
        #expect(part.cancelCount == 1)
        #expect(cancels.withLock { $0 } == 1)
        #expect(task.isCancelled)
    }

    @Test func `A task added after a cancel is cancelled at once; after the report it is unchanged`() {
        for isCancelled in [true, false] {
            let part = GroupedTaskTests.Work()
            let cancels = Mutex(0)
            let task = OperationTask<Int>(queue: queue) { _ in }
            if isCancelled { task.cancel() } else { task.complete(.success(1)) }
            queue.sync {}
            task.add(part)
            task.onCancel { cancels.withLock { $0 += 1 } }
            task.cancel()
            #expect(part.cancelCount == (isCancelled ? 1 : 0))
            #expect(cancels.withLock { $0 } == (isCancelled ? 1 : 0))
        }
    }

    @Test func `A result that comes after a cancel, from any thread, is not reported`() {
        let results = Mutex(0)
        let task = OperationTask<Int>(queue: queue) { _ in results.withLock { $0 += 1 } }
        task.cancel()
        DispatchQueue.concurrentPerform(iterations: 8) { task.complete(.success($0)) }
        queue.sync {}
        #expect(results.withLock { $0 } == 0)
    }

    @Test func `Without a queue the result is reported on the main queue`() async {
        let isOnMain: Bool = await callback { report in
            OperationTask<Int> { _ in report(MainQueue.isCurrent) }.complete(.success(1))
        }
        #expect(isOnMain)
    }

    @Test(arguments: [true, false])
    func `A task that has ended keeps neither its parts nor its cancel handler`(isCancelled: Bool) {
        let task = OperationTask<Int>(queue: queue) { _ in }
        weak var part: GroupedTaskTests.Work?
        weak var handled: GroupedTaskTests.Work?
        do {
            let (added, captured) = (GroupedTaskTests.Work(), GroupedTaskTests.Work())
            part = added
            handled = captured
            task.add(added)
            task.onCancel { captured.cancel() }
        }
        #expect(part != nil && handled != nil)
        if isCancelled { task.cancel() } else { task.complete(.success(1)) }
        queue.sync {}
        #expect(part == nil && handled == nil)
        withExtendedLifetime(task) {}
    }

    /// What happened to operations that were run one after another.
    private final class Tally: Sendable {
        let counts = Mutex((executed: 0, cancelled: 0, succeeded: 0, failed: 0))

        func report(_ result: TaskResult<Int>) {
            counts.withLock { counts in
                if case .success = result { counts.succeeded += 1 } else { counts.failed += 1 }
            }
        }
    }

    /// An operation on a serial queue whose work is a closure.
    private final class Unit: SerialOperation {
        let task: OperationTask<Int>
        private let work: @Sendable (OperationTask<Int>) -> Void

        init(_ task: OperationTask<Int>, _ work: @escaping @Sendable (OperationTask<Int>) -> Void) {
            self.task = task
            self.work = work
        }

        var isCancelled: Bool { task.isCancelled }

        func run(finished: @escaping @Sendable () -> Void) {
            work(task)
            finished()
        }

        func refuse(_ error: NSError) { task.complete(.failure(error)) }
    }

    private func makeUnit(_ tally: Tally, _ work: @escaping @Sendable (OperationTask<Int>) -> Void) -> Unit {
        let task = OperationTask<Int>(queue: queue) { tally.report($0) }
        task.onCancel { tally.counts.withLock { $0.cancelled += 1 } }
        return Unit(task) { task in
            tally.counts.withLock { $0.executed += 1 }
            work(task)
        }
    }

    /// Waits until the queue has run everything that was added before.
    private func drain(_ serial: SerialOperationQueue) async {
        await callback { (report: @escaping @Sendable (()) -> Void) in
            serial.add(Unit(OperationTask(queue: queue) { _ in }) { _ in report(()) })
        }
        queue.sync {}
    }

    @Test(
        .verifies("sdk.md", "B-33"),
        arguments: [true, false])
    func `Every operation that ends well or badly is executed and reported once, and none is cancelled`(succeeds: Bool)
        async
    {
        let (tally, serial) = (Tally(), SerialOperationQueue(label: "serial"))
        for number in 0..<10 {
            serial.add(
                makeUnit(tally) { $0.complete(succeeds ? .success(number) : .failure(.powerAuth(.networkError))) })
        }
        await drain(serial)
        #expect(tally.counts.withLock { $0 } == (10, 0, succeeds ? 10 : 0, succeeds ? 0 : 10))
    }

    @Test(.verifies("sdk.md", "B-33"))
    func `An operation cancelled while it works, or by its own work, is not reported and handles the cancel once`()
        async
    {
        let (tally, serial) = (Tally(), SerialOperationQueue(label: "serial"))
        for _ in 0..<10 { serial.add(makeUnit(tally) { $0.cancel() }) }
        let units = (0..<10).map { _ in makeUnit(tally) { _ in } }
        for unit in units { serial.add(unit) }
        await drain(serial)
        for unit in units {
            unit.task.cancel()
            unit.task.complete(.success(1))
        }
        queue.sync {}
        #expect(tally.counts.withLock { $0 } == (20, 20, 0, 0))
    }

    @Test(.verifies("sharing.md", "S-3"), .verifies("sdk.md", "B-33"))
    func `An operation cancelled in the queue, first or later, is never executed, and the queue continues`() async {
        let (tally, serial) = (Tally(), SerialOperationQueue(label: "serial"))
        let isOpen = DispatchSemaphore(value: 0)
        serial.add(Unit(OperationTask(queue: queue) { _ in }) { _ in isOpen.wait() })
        let units = (0..<3).map { number in makeUnit(tally) { $0.complete(.success(number)) } }
        for unit in units { serial.add(unit) }
        units[0].task.cancel()
        units[1].task.cancel()
        isOpen.signal()
        await drain(serial)
        #expect(tally.counts.withLock { $0 } == (1, 2, 1, 0))
    }

    /// sdk.md, section 5.26.
    @Test func `An operation of the application is a task`() {
        let task: any PowerAuthOperationTask = BlockOperation {}
        #expect(!task.isCancelled)
        task.cancel()
        #expect(task.isCancelled)
    }
}
