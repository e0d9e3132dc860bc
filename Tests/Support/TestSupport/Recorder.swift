// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LabCore
import Synchronization

/// What happened, in the order in which it was noted.
///
/// Thread rule: any thread.
public final class Recorder<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    private let noted = DispatchSemaphore(value: 0)

    /// A recorder without notes.
    public init() {}

    /// Notes one thing.
    public func add(_ element: Element) {
        elements.withLock { $0.append(element) }
        noted.signal()
    }

    /// Everything that was noted and not taken.
    public var all: [Element] { elements.withLock { $0 } }

    /// Takes everything out.
    public func takeAll() -> [Element] {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }

    /// Waits until the notes fulfil a condition; only one thread waits at a time. Blocks.
    ///
    /// - Throws: ``Unexpected`` after 20 s, stretched by `LAB_TIME_FACTOR`.
    public func wait(until isFulfilled: ([Element]) -> Bool) throws {
        let limit = DispatchTime.now() + .nanoseconds(Int(LabDuration.seconds(20).stretched.nanoseconds))
        while !isFulfilled(all) {
            guard noted.wait(timeout: limit) == .success else { throw Unexpected("no such note in \(all)") }
        }
    }
}

extension Recorder where Element: Equatable {
    /// Waits for a note; only one thread waits at a time. Blocks.
    ///
    /// - Throws: ``Unexpected`` after 20 s, stretched by `LAB_TIME_FACTOR`.
    public func wait(for element: Element) throws { try wait { $0.contains(element) } }

    /// How often something was noted.
    public func count(of element: Element) -> Int { all.count { $0 == element } }
}

/// Ends a test whose remaining checks need something else than it found.
public struct Unexpected: Error, CustomStringConvertible {
    /// What it found.
    public let description: String

    /// - Parameter what: what the test found.
    public init(_ what: String) { description = what }
}

/// Counts from any thread.
public final class Counter: Sendable {
    private let count = Atomic(0)

    /// A counter at zero.
    public init() {}

    /// The number so far.
    public var value: Int { count.load(ordering: .acquiring) }

    /// Adds one.
    public func increase() { count.add(1, ordering: .acquiringAndReleasing) }
}

/// A flag that threads of a test share.
public final class Flag: Sendable {
    private let value = Atomic(false)

    /// A flag that is not set.
    public init() {}

    /// Whether any thread has set it.
    public var isSet: Bool { value.load(ordering: .acquiring) }

    /// Sets it for all.
    public func set() { value.store(true, ordering: .releasing) }
}
