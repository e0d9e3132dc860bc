import Dispatch
import LabKit
import Synchronization

/// Counts across threads.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .acquiring) }
    func increase() { count.add(1, ordering: .acquiringAndReleasing) }
}

/// Collects numbers across threads.
final class Numbers: Sendable {
    private let numbers = Mutex<[Int]>([])
    var sorted: [Int] { numbers.withLock { $0 }.sorted() }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}

/// Keeps requests unanswered for a while.
final class Responders: Sendable {
    private let kept = Mutex<[ControlResponder]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func add(_ responder: ControlResponder) {
        kept.withLock { $0.append(responder) }
        arrived.signal()
    }

    var isEmpty: Bool { kept.withLock { $0.isEmpty } }

    func waitForOne() { arrived.wait() }

    func answerAll() {
        for responder in kept.withLock({ $0 }) { responder.succeed() }
    }
}
