// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The committed rows that every request reads: activations, versions of applications, tokens.
///
/// Transactions add the rows they have written, at their commit and before replies are sent; readers add the rows they
/// have read, unless there was a commit meanwhile. So a caller never sees a state older than its last reply.
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class RowCache: Sendable {
    /// Counts the commits; what was read between two equal ones is what is committed.
    struct Revision: Equatable, Sendable { fileprivate var number = 0 }

    fileprivate struct State {
        var activations: RecentValues<Identifier, Activation>
        var versions: RecentValues<Identifier, ApplicationVersion>
        var tokens: RecentValues<Identifier, Token>
        var revision = Revision()
    }

    private let state: Mutex<State>

    /// - Parameter capacity: how many rows of each kind are kept.
    init(capacity: Int = 4096) {
        state = Mutex(
            State(
                activations: RecentValues(capacity: capacity), versions: RecentValues(capacity: capacity),
                tokens: RecentValues(capacity: capacity)))
    }

    var revision: Revision { state.withLock { $0.revision } }

    /// An activation by its identifier; nil when it is not kept here.
    func activation(_ id: Identifier) -> Activation? { state.withLock { $0.activations.value(for: id) } }

    /// A version by its application key; nil when it is not kept here.
    func version(_ applicationKey: Identifier) -> ApplicationVersion? {
        state.withLock { $0.versions.value(for: applicationKey) }
    }

    /// A token by its identifier; nil when it is not kept here.
    func token(_ id: Identifier) -> Token? { state.withLock { $0.tokens.value(for: id) } }

    /// Adds the rows that a committed transaction has read and written.
    func take(over rows: RowChanges) {
        state.withLock { state in
            state.revision.number += 1
            state.apply(rows)
        }
    }

    /// Clears the cache: the database was replaced, or another program has written into it.
    func forgetAll() {
        var nothing = RowChanges()
        nothing.forgetAll()
        take(over: nothing)
    }

    /// Takes over what was read outside of a transaction.
    /// - Parameter revision: the one before the reading began.
    func take(over rows: RowChanges, readAt revision: Revision) {
        state.withLock { state in
            guard state.revision == revision else { return }
            state.apply(rows)
        }
    }
}

extension RowCache.State {
    fileprivate mutating func apply(_ rows: RowChanges) {
        if rows.forgetsAll {
            activations.forgetAll()
            versions.forgetAll()
            tokens.forgetAll()
        }
        rows.activations.forEach { activations.set($1, for: $0) }
        rows.versions.forEach { versions.set($1, for: $0) }
        rows.tokens.forEach { tokens.set($1, for: $0) }
    }
}

extension RecentValues {
    fileprivate mutating func set(_ value: RowChanges.Row<Value>, for key: Key) {
        switch value {
        case .known(let value): keep(value, for: key)
        case .unknown: forget(key)
        }
    }
}

/// A transaction's rows beside the committed ones.
struct RowChanges: Sendable {
    /// The current state of a row.
    enum Row<Value: Sendable>: Sendable {
        case known(Value)
        /// It was changed: the next access reads it.
        case unknown
    }

    /// By identifier.
    var activations: [Identifier: Row<Activation>] = [:]
    /// By application key.
    var versions: [Identifier: Row<ApplicationVersion>] = [:]
    /// By identifier.
    var tokens: [Identifier: Row<Token>] = [:]
    /// Whether no row is known but these.
    private(set) var forgetsAll = false

    /// For a change that rows of every kind show, such as the roles of an application.
    mutating func forgetAll() {
        self = RowChanges()
        forgetsAll = true
    }

    /// Adds what came later.
    mutating func append(_ later: RowChanges) {
        guard !later.forgetsAll else {
            self = later
            return
        }
        activations.merge(later.activations) { $1 }
        versions.merge(later.versions) { $1 }
        tokens.merge(later.tokens) { $1 }
    }
}

/// The cached rows as a transaction sees them: what its requests have changed, or else what is committed.
///
/// Thread rule: the thread of the transaction, and not longer than it.
final class TransactionRows {
    private let cache: RowCache
    /// Of the requests whose changes stand.
    private var settled = RowChanges()
    /// Of the current request.
    private var open = RowChanges()

    init(_ cache: RowCache) { self.cache = cache }

    func activation(_ id: Identifier) -> Activation? { row(\.activations, id) { cache.activation(id) } }

    func version(_ applicationKey: Identifier) -> ApplicationVersion? {
        row(\.versions, applicationKey) { cache.version(applicationKey) }
    }

    func token(_ id: Identifier) -> Token? { row(\.tokens, id) { cache.token(id) } }

    /// Changes the known rows, on behalf of the current request.
    func note(_ change: (inout RowChanges) -> Void) { change(&open) }

    /// The current request has ended.
    /// - Parameter stands: false if its changes were rolled back.
    func endRequest(stands: Bool) {
        if stands { settled.append(open) }
        open = RowChanges()
    }

    /// Publishes the rows of the committed transaction.
    func publish() { cache.take(over: settled) }

    private func row<Value>(
        _ rows: KeyPath<RowChanges, [Identifier: RowChanges.Row<Value>]>, _ key: Identifier, committed: () -> Value?
    ) -> Value? {
        for changes in [open, settled] {
            switch changes[keyPath: rows][key] {
            case .known(let value): return value
            case .unknown: return nil
            case nil: if changes.forgetsAll { return nil }
            }
        }
        return committed()
    }
}

/// The values that were used last, up to a number of them.
///
/// Two generations: what was not used while the younger one filled up goes with the older one. What is in use therefore
/// stays, however many others come by.
struct RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let generation: Int
    private var younger: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    /// - Parameter capacity: the most values that are kept; at least half as many are.
    init(capacity: Int) { generation = max(1, capacity / 2) }

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

    mutating func forget(_ key: Key) {
        younger[key] = nil
        older[key] = nil
    }

    mutating func forgetAll() {
        younger = [:]
        older = [:]
    }
}
