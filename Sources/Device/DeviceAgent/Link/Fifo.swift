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

    init(_ elements: some Sequence<Element>) {
        storage = elements.map { $0 }
    }

    mutating func append(_ element: Element) {
        storage.append(element)
    }

    /// Takes out the first element; nil if empty.
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
