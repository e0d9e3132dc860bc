/// The values that were used last, up to a number of them.
///
/// Two generations: what was not used while the younger one filled up goes with the older one. What is in use therefore
/// stays, however many others come by.
struct RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let generation: Int
    private var younger: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    /// - Parameter capacity: the most values that are kept; at least half as many are.
    init(capacity: Int) {
        generation = max(1, capacity / 2)
    }

    /// The value of a key, which counts as a use of it.
    mutating func value(for key: Key) -> Value? {
        if let value = younger[key] { return value }
        guard let value = older.removeValue(forKey: key) else { return nil }
        keep(value, for: key)
        return value
    }

    /// Keeps a value in place of the one that the key had.
    mutating func keep(_ value: Value, for key: Key) {
        if younger.count >= generation, younger[key] == nil {
            older = younger
            younger.removeAll(keepingCapacity: true)
        }
        younger[key] = value
        older[key] = nil
    }

    /// Forgets the value of a key.
    mutating func forget(_ key: Key) {
        younger[key] = nil
        older[key] = nil
    }

    /// Forgets everything.
    mutating func forgetAll() {
        younger = [:]
        older = [:]
    }
}
