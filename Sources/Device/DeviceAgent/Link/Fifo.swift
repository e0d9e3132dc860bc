// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A queue whose first element leaves in constant time, however many are behind it.
///
/// Removed elements are released at once: the queues of the link hold secrets.
struct Fifo<Element> {
    /// Elements before `head` have left and are nil; all from `head` on are there.
    private var storage: [Element?] = []
    private var head = 0

    /// At most this many empty places are kept, or as many as there are elements.
    private static var slack: Int { 64 }

    init() {}

    init(_ elements: some Sequence<Element>) { storage = elements.map { $0 } }

    mutating func append(_ element: Element) { storage.append(element) }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard head < storage.count else { return nil }
        defer { compact() }
        defer { head += 1 }
        return storage[head].take()
    }

    /// Takes out an element in the middle; those behind it move.
    @discardableResult
    mutating func remove(at index: Int) -> Element {
        if index == 0, let first = popFirst() { return first }
        guard let element = storage.remove(at: head + index) else { preconditionFailure("an index within the queue") }
        return element
    }

    mutating func removeAll(where shouldLeave: (Element) -> Bool) {
        storage = storage[head...].filter { $0.map(shouldLeave) == false }
        head = 0
    }

    /// Moves the elements to the front when half of the places are empty, so that each is moved once on average.
    private mutating func compact() {
        guard head > Self.slack, head * 2 > storage.count else { return }
        storage.removeFirst(head)
        head = 0
    }
}

extension Fifo: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { storage.count - head }

    subscript(index: Int) -> Element {
        get {
            guard let element = storage[head + index] else { preconditionFailure("an index within the queue") }
            return element
        }
        set { storage[head + index] = newValue }
    }
}

extension Fifo: Sendable where Element: Sendable {}

extension Fifo: Equatable where Element: Equatable {
    static func == (one: Self, other: Self) -> Bool { one.elementsEqual(other) }
}

/// Own transfers that have ended, until their app was notified (watch.md, section 11.6).
///
/// A value that decides nothing; finding one takes no longer when there are many.
struct EndedTransfers: Equatable, Sendable {
    private struct Entry: Equatable {
        var place: UInt64
        var transfer: FinishedTransfer
    }

    private var entries: [UUID: Entry] = [:]
    private var lastPlace: UInt64 = 0

    /// - Parameter transfers: in the order of their ends.
    init(_ transfers: [FinishedTransfer] = []) { transfers.forEach { add($0) } }

    var count: Int { entries.count }

    /// A transfer is over.
    mutating func add(_ transfer: FinishedTransfer) {
        lastPlace += 1
        entries[transfer.transferId] = Entry(place: lastPlace, transfer: transfer)
    }

    /// The app was notified; false when there is no such transfer of the app.
    mutating func told(_ transferId: UUID, by app: String) -> Bool {
        guard entries[transferId]?.transfer.app == app else { return false }
        entries[transferId] = nil
        return true
    }

    /// The ends not yet reported to an app, in order; to any app if `app` is nil.
    func waiting(for app: String? = nil) -> [FinishedTransfer] {
        entries.values.filter { app == nil || $0.transfer.app == app }.sorted { $0.place < $1.place }.map(\.transfer)
    }

    mutating func forget(_ app: String) { entries = entries.filter { $0.value.transfer.app != app } }
}
