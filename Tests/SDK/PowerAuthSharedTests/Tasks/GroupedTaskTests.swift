// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("Several callers wait for one piece of work (sdk.md, sections 8.2 and 12.8)", .endsInTime)
struct GroupedTaskTests {
    /// The work of a group, which counts its cancels.
    final class Work: PowerAuthOperationTask, Sendable {
        private let cancels = Mutex(0)
        var isCancelled: Bool { cancelCount > 0 }
        var cancelCount: Int { cancels.withLock { $0 } }
        func cancel() { cancels.withLock { $0 += 1 } }
    }

    private let work = Work()
    private let log = Recorder<String>()
    private let queue = DispatchQueue(label: "test")

    private func makeGroup(registersWork: Bool = true) -> GroupedTask<Int> {
        GroupedTask(
            GroupedTask.Hooks(
                start: { [work, log] group in
                    log.add("start")
                    if registersWork { group.setOperation(work) }
                },
                complete: { [log] result in log.add(result == nil ? "complete none" : "complete") }))
    }

    private func add(_ name: String, to group: GroupedTask<Int>) -> (any PowerAuthOperationTask)? {
        group.addChild(queue: queue) { [log] result in
            switch result {
            case .success(let value): log.add("\(name)=\(value)")
            case .failure(let error): log.add("\(name)!\(error.code)")
            }
        }
    }

    private func drain() { queue.sync {} }

    @Test(.verifies("sdk.md", "B-34")) func `All callers get the one result, and the work starts once`() {
        let group = makeGroup()
        for name in ["a", "b", "c"] { #expect(add(name, to: group) != nil) }
        #expect(!group.restart())
        group.complete(.success(7))
        drain()
        #expect(log.all == ["start", "complete", "a=7", "b=7", "c=7"])
        #expect(work.cancelCount == 0)
        #expect(add("late", to: group) == nil)
        #expect(group.restart())
        #expect(add("again", to: group) != nil)
        #expect(log.count(of: "start") == 2)
    }

    @Test(.verifies("sdk.md", "B-35")) func `A cancelled caller is not called, the others are`() {
        let group = makeGroup()
        let first = add("a", to: group)
        for name in ["b", "c"] { _ = add(name, to: group) }
        first?.cancel()
        group.complete(.success(7))
        drain()
        #expect(log.all == ["start", "complete", "b=7", "c=7"])
        #expect(work.cancelCount == 0)
    }

    @Test(.verifies("sdk.md", "B-36"))
    func `When the last caller cancels, the work is cancelled once and no callback is called`() {
        let group = makeGroup()
        let children = ["a", "b"].map { add($0, to: group) }
        for child in children {
            child?.cancel()
            child?.cancel()
        }
        drain()
        #expect(work.cancelCount == 1)
        #expect(log.all == ["start", "complete none"])
        #expect(add("late", to: group) == nil)
    }

    @Test(.verifies("sdk.md", "B-37"))
    func `In a phase that must not be interrupted the work continues without callers`() {
        let group = makeGroup()
        let child = add("a", to: group)
        group.continuesWithoutChildren = true
        child?.cancel()
        #expect(work.cancelCount == 0)
        let second = add("b", to: group)
        #expect(second != nil)
        second?.cancel()
        #expect(work.cancelCount == 0)
        #expect(add("c", to: group) != nil)
        group.complete(.success(1))
        drain()
        #expect(log.all == ["start", "complete", "c=1"])
    }

    @Test func `A group that is started again may be interrupted, until its work says otherwise`() {
        let group = makeGroup()
        #expect(group.restart(), "it has not started")
        _ = add("a", to: group)
        group.continuesWithoutChildren = true
        group.complete(.success(1))
        drain()
        #expect(group.isFinished)
        #expect(group.restart())
        #expect(!group.isFinished && !group.continuesWithoutChildren)
        add("b", to: group)?.cancel()
        drain()
        #expect(work.cancelCount == 1)
        #expect(log.all == ["start", "complete", "a=1", "start", "complete none"])
    }

    @Test func `Before its first caller a group has no end, and no work to stop`() {
        let group = makeGroup()
        let early = Work()
        group.complete(.success(1))
        group.cancel()
        group.setOperation(early)
        #expect(!group.isFinished && early.cancelCount == 0)
        let child = add("a", to: group)
        #expect(child?.isCancelled == false)
        group.complete(.success(2))
        drain()
        #expect(child?.isCancelled == true, "as the original has it")
        #expect(log.all == ["start", "complete", "a=2"])
        #expect(early.cancelCount == 0)
    }

    @Test func `Without a queue a caller is called on the main queue`() async {
        let group = makeGroup()
        let isOnMain: Bool = await callback { report in
            _ = group.addChild { _ in report(MainQueue.isCurrent) }
            group.complete(.success(1))
        }
        #expect(isOnMain)
    }

    @Test(arguments: [true, false]) func `A group that has ended does not keep its work`(isCancelled: Bool) {
        let waiting = Mutex<Work?>(Work())
        let group = GroupedTask<Int>(
            GroupedTask.Hooks(start: { group in
                if let work = waiting.withLock({ $0 }) { group.setOperation(work) }
                waiting.withLock { $0 = nil }
            }))
        weak let operation = waiting.withLock { $0 }
        _ = add("a", to: group)
        #expect(operation != nil)
        if isCancelled { group.cancel() } else { group.complete(.success(1)) }
        #expect(operation == nil)
        withExtendedLifetime(group) {}
    }

    @Test(.verifies("sdk.md", "B-38"))
    func `A group that starts no work fails its callers with the error operationCancelled`() {
        let group = makeGroup(registersWork: false)
        #expect(add("a", to: group) != nil)
        drain()
        #expect(log.all == ["start", "complete", "a!11"])
        #expect(add("b", to: group) == nil)
    }

    @Test(.verifies("sdk.md", "B-39"))
    func `A forced cancel reaches the newest part of the work, and all callers get the error operationCancelled`() {
        let group = makeGroup()
        _ = add("a", to: group)
        let second = Work()
        group.setOperation(second)
        group.cancel()
        drain()
        #expect(work.cancelCount == 0)
        #expect(second.cancelCount == 1)
        #expect(log.all == ["start", "complete", "a!11"])
    }

    @Test func `A result, or a part of the work, that comes after the end changes nothing; the part is cancelled`() {
        for isCancelled in [true, false] {
            let before = log.all
            let (group, late) = (makeGroup(), Work())
            let child = add("a", to: group)
            if isCancelled { child?.cancel() } else { group.complete(.success(1)) }
            group.setOperation(late)
            group.complete(.success(2))
            group.complete(.failure(.powerAuth(.networkError)))
            group.cancel()
            drain()
            #expect(late.cancelCount == 1)
            #expect(log.all == before + (isCancelled ? ["start", "complete none"] : ["start", "complete", "a=1"]))
        }
    }

    @Test func `A caller that cancels after its result, twice, or from its own callback does not affect others`() {
        let group = makeGroup()
        let first = add("a", to: group)
        let own = Mutex<UncheckedTransfer<any PowerAuthOperationTask>?>(nil)
        let second = group.addChild(queue: queue) { [log] _ in
            own.withLock { $0 }?.value.cancel()
            log.add("b")
        }
        own.withLock { $0 = second.map { UncheckedTransfer($0) } }
        group.complete(.success(1))
        drain()
        for _ in 0..<2 { first?.cancel() }
        drain()
        #expect(log.all == ["start", "complete", "a=1", "b"])
        #expect(work.cancelCount == 0 && first?.isCancelled == true)
    }
}
