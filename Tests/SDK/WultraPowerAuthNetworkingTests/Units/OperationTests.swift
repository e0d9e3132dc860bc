// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing
import WultraPowerAuthNetworking

@Suite("Asynchronous operations end once (networking.md, sections 8.2 and 16)", .endsInTime)
struct OperationTests {
    /// Counts what happens, from any thread.
    @Test(.verifies("networking.md", "B-20"))
    func `An operation cancelled before its end runs its cancelled block once, and its end is ignored`() {
        let (cancelled, completed) = (Counter(), Counter())
        let operation = WPNAsyncBlockOperation({ cancelled.increase() }) { _, _ in }
        operation.start()
        #expect(operation.isExecuting && !operation.isFinished)
        operation.cancel()
        operation.cancel()
        operation.markFinished { completed.increase() }
        #expect(cancelled.value == 1 && completed.value == 0)
        #expect(operation.isCancelled && operation.isFinished && !operation.isExecuting)
    }

    @Test(.verifies("networking.md", "B-21")) func `A finished operation can no longer be cancelled`() {
        let (cancelled, completed) = (Counter(), Counter())
        let operation = WPNAsyncBlockOperation({ cancelled.increase() }) { _, markFinished in
            markFinished { completed.increase() }
        }
        operation.start()
        operation.cancel()
        #expect(cancelled.value == 0 && completed.value == 1)
        #expect(!operation.isCancelled && operation.isFinished)
    }

    @Test func `An operation cancelled before its start is never started, and ends`() {
        let started = Counter()
        let operation = WPNAsyncBlockOperation { _, _ in started.increase() }
        operation.cancel()
        operation.start()
        #expect(started.value == 0 && operation.isCancelled && operation.isFinished && operation.isReady)
        operation.waitUntilFinished()
    }

    @Test func `A queue of one operation at a time continues after a cancel at any moment`() async {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let hanging = WPNAsyncBlockOperation { this, _ in this.cancel() }
            let waiting = WPNAsyncBlockOperation { _, _ in Issue.record("a cancelled operation does not start") }
            waiting.addDependency(hanging)
            queue.isSuspended = true
            queue.addOperation(hanging)
            queue.addOperation(waiting)
            waiting.cancel()
            queue.isSuspended = false
            queue.addAsyncOperation(.global()) { _, markFinished in markFinished { continuation.resume() } }
        }
    }

    @Test func `An operation waits for its dependencies`() async {
        let order = Mutex<[Int]>([])
        let queue = OperationQueue()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let first = WPNAsyncBlockOperation { _, markFinished in
                order.withLock { $0.append(1) }
                markFinished(nil)
            }
            let second = WPNAsyncBlockOperation { _, markFinished in
                order.withLock { $0.append(2) }
                markFinished { continuation.resume() }
            }
            second.addDependency(first)
            #expect(first.isReady && !second.isReady && second.isAsynchronous)
            queue.addOperation(second)
            queue.addOperation(first)
        }
        #expect(order.withLock { $0 } == [1, 2])
    }

    @Test func `The completion given at the end is called on the operation's completion queue, after the end`() async {
        let key = DispatchSpecificKey<Bool>()
        let completions = DispatchQueue(label: "completions")
        completions.setSpecific(key: key, value: true)
        let (isOnQueue, hasEnded) = await withCheckedContinuation { continuation in
            let operation = WPNAsyncBlockOperation { this, markFinished in
                markFinished {
                    continuation.resume(returning: (DispatchQueue.getSpecific(key: key) == true, this.isFinished))
                }
            }
            operation.assignCompletionDispatchQueue(completions)
            operation.start()
        }
        #expect(isOnQueue && hasEnded)
    }

    /// An operation that does nothing of its own when it is cancelled.
    private final class Endless: WPNAsyncOperation, @unchecked Sendable {
        // Safe: it has no properties.
        override func started() {}
    }

    /// An operation of an app that gives its work to the superclass.
    private final class Counting: WPNAsyncBlockOperation, @unchecked Sendable {
        // Safe: it has no properties.
        init(_ counter: Counter) {
            super.init { _, markFinished in
                counter.increase()
                markFinished(nil)
            }
        }
    }

    @Test func `A subclass gives its work to the initialiser that takes a closure alone`() {
        let counter = Counter()
        let operation = Counting(counter)
        operation.start()
        #expect(counter.value == 1 && operation.isFinished && !operation.isCancelled)
    }

    @Test func `A subclass need not notice a cancel`() {
        let operation = Endless()
        operation.start()
        #expect(operation.isExecuting)
        operation.cancel()
        #expect(operation.isCancelled && operation.isFinished && !operation.isExecuting)
    }
}
