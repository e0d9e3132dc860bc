// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import PowerAuthShared
import Synchronization
import TestSupport
import Testing

@Suite("A token lock that is opened when it can be", .endsInTime)
struct DeferredTokenLockTests {
    /// A lock that counts, and refuses when it shall.
    private final class Counter: TokenStoreLock {
        struct State {
            var isRefusing = false
            var depth = 0
            var greatestDepth = 0
            var changes = 0
        }

        let state = Mutex(State())
        private let semaphore = DispatchSemaphore(value: 1)

        func lockTokenStore() throws -> Bool {
            if state.withLock({ $0.isRefusing }) { throw NSError.powerAuth(.invalidActivationState) }
            semaphore.wait()
            state.withLock {
                $0.depth += 1
                $0.greatestDepth = max($0.greatestDepth, $0.depth)
            }
            return true
        }

        func tokenStoreWillChange() { state.withLock { $0.changes += 1 } }

        func unlockTokenStore() {
            state.withLock { $0.depth -= 1 }
            semaphore.signal()
        }
    }

    @Test func `Concurrent threads open it once, and exclude each other`() throws {
        let counter = Counter()
        let opened = Atomic(0)
        let lock = DeferredTokenLock {
            opened.add(1, ordering: .relaxed)
            return counter
        }
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            #expect((try? lock.lockTokenStore()) == true)
            lock.tokenStoreWillChange()
            lock.unlockTokenStore()
        }
        let times = opened.load(ordering: .relaxed)
        #expect(times == 1)
        #expect(counter.state.withLock { ($0.depth, $0.greatestDepth, $0.changes) } == (0, 1, 16))
    }

    @Test func `A lock that cannot be opened, or refuses, locks nothing, and is tried again`() throws {
        let counter = Counter()
        let isReachable = Atomic(false)
        let lock = DeferredTokenLock { () throws(InvalidConfiguration) in
            guard isReachable.load(ordering: .relaxed) else {
                throw .lockFileUnavailable(path: "/locked", reason: "the device was not unlocked")
            }
            return counter
        }
        lock.tokenStoreWillChange()
        #expect(throws: NSError.self) { try lock.lockTokenStore() }
        isReachable.store(true, ordering: .relaxed)
        counter.state.withLock { $0.isRefusing = true }
        #expect(throws: NSError.self) { try lock.lockTokenStore() }
        counter.state.withLock { $0.isRefusing = false }
        #expect(try lock.lockTokenStore())
        lock.unlockTokenStore()
        #expect(counter.state.withLock { ($0.depth, $0.greatestDepth, $0.changes) } == (0, 1, 0))
    }
}
