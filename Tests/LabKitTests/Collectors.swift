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
