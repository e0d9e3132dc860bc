// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthShared

/// A unit whose end the test decides.
final class TestOperation: SerialOperation {
    private let cancelled: Mutex<Bool>
    private let body: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let refused: @Sendable (NSError) -> Void
    private let skipped: @Sendable () -> Void

    init(
        isCancelled: Bool = false, refused: @escaping @Sendable (NSError) -> Void = { _ in },
        skipped: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        cancelled = Mutex(isCancelled)
        self.refused = refused
        self.skipped = skipped
        self.body = body
    }

    var isCancelled: Bool { cancelled.withLock { $0 } }

    func cancel() { cancelled.withLock { $0 = true } }

    func run(finished: @escaping @Sendable () -> Void) { body(finished) }

    func refuse(_ error: NSError) { refused(error) }

    func skip() { skipped() }
}

@Suite("Signed requests run one after another (sharing.md, section 7.9)", .endsInTime)
struct SerialOperationQueueTests {
    @Test func `Units keep their order, each with its bracket around it`() async {
        let queue = SerialOperationQueue(label: "test")
        let log = Mutex<[String]>([])
        let events: [String] = await callback { done in
            for index in 1...3 {
                queue.add(
                    TestOperation { finished in
                        log.withLock { $0.append("run \(index)") }
                        DispatchQueue.global().async { finished() }
                    },
                    around: SerialOperationQueue.Bracket(
                        enter: { log.withLock { $0.append("lock \(index)") } },
                        leave: {
                            log.withLock { $0.append("unlock \(index)") }
                            if index == 3 { done(log.withLock { $0 }) }
                        }))
            }
        }
        #expect(events == (1...3).flatMap { ["lock \($0)", "run \($0)", "unlock \($0)"] })
    }

    @Test
    func `S-3: a unit cancelled before its turn is skipped, once and without lock, and the queue continues`() async {
        let queue = SerialOperationQueue(label: "test")
        let log = Mutex<[String]>([])
        let events: [String] = await callback { done in
            queue.add(
                TestOperation { finished in
                    log.withLock { $0.append("first") }
                    finished()
                })
            queue.add(
                TestOperation(isCancelled: true, skipped: { log.withLock { $0.append("skipped") } }) { finished in
                    log.withLock { $0.append("cancelled") }
                    finished()
                },
                around: SerialOperationQueue.Bracket(enter: { log.withLock { $0.append("lock") } }, leave: {}))
            queue.add(
                TestOperation { finished in
                    done(log.withLock { $0 } + ["last"])
                    finished()
                })
        }
        #expect(events == ["first", "skipped", "last"])
    }

    @Test func `A unit whose lock cannot be taken is refused and never runs, and the queue continues (D12)`() async {
        let queue = SerialOperationQueue(label: "test")
        let log = Mutex<[String]>([])
        let events: [String] = await callback { done in
            queue.add(
                TestOperation(refused: { error in
                    log.withLock { $0.append("refused \(error.powerAuthErrorCode.rawValue)") }
                }) { finished in
                    log.withLock { $0.append("run") }
                    finished()
                },
                around: SerialOperationQueue.Bracket(
                    enter: { throw NSError.powerAuth(.invalidActivationState) },
                    leave: { log.withLock { $0.append("unlock") } }))
            queue.add(
                TestOperation { finished in
                    done(log.withLock { $0 } + ["last"])
                    finished()
                })
        }
        #expect(events == ["refused 3", "last"])
    }

    @Test
    func `A unit cancelled while it waits for its lock releases that when it ends, and the queue continues`() async {
        let queue = SerialOperationQueue(label: "test")
        let log = Mutex<[String]>([])
        let unit = TestOperation { finished in
            log.withLock { $0.append("run") }
            finished()
        }
        let events: [String] = await callback { done in
            queue.add(
                unit,
                around: SerialOperationQueue.Bracket(
                    enter: { unit.cancel() }, leave: { log.withLock { $0.append("unlock") } }))
            queue.add(
                TestOperation { finished in
                    done(log.withLock { $0 } + ["last"])
                    finished()
                })
        }
        #expect(events == ["run", "unlock", "last"])
    }

    @Test func `A unit that ends twice releases its lock once, and starts one other unit`() async {
        let queue = SerialOperationQueue(label: "test")
        let log = Mutex<[String]>([])
        let held = Mutex<[@Sendable () -> Void]>([])
        await callback { (done: @escaping @Sendable (()) -> Void) in
            queue.add(
                TestOperation { finished in
                    finished()
                    finished()
                }, around: SerialOperationQueue.Bracket(enter: {}, leave: { log.withLock { $0.append("unlock") } }))
            queue.add(
                TestOperation { finished in
                    held.withLock { $0.append(finished) }
                    done(())
                })
        }
        queue.add(
            TestOperation { finished in
                log.withLock { $0.append("next") }
                finished()
            })
        // The dispatch queue of the units is idle as long as the second one has the turn.
        queue.waitUntilIdle()
        #expect(log.withLock { $0 } == ["unlock"])
        await callback { (done: @escaping @Sendable (()) -> Void) in
            for finished in held.withLock({ $0 }) { finished() }
            queue.add(
                TestOperation { finished in
                    finished()
                    done(())
                })
        }
        #expect(log.withLock { $0 } == ["unlock", "next"])
    }

    @Test func `Units added by a unit, or to an idle queue, run`() async {
        let queue = SerialOperationQueue(label: "test")
        for _ in 0..<2 {
            await callback { (done: @escaping @Sendable (()) -> Void) in
                queue.add(
                    TestOperation { finished in
                        queue.add(
                            TestOperation { inner in
                                inner()
                                done(())
                            })
                        finished()
                    })
            }
            queue.waitUntilIdle()
        }
    }
}
