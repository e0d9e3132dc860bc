import Synchronization

/// The committed rows that every request reads: activations, versions of applications, tokens.
///
/// Transactions add the rows they have written, at their commit and before replies are sent; readers add the rows they
/// have read, unless there was a commit meanwhile. So a caller never sees a state older than its last reply.
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class RowCache: Sendable {
    /// Counts the commits; what was read between two equal ones is what is committed.
    struct Revision: Equatable, Sendable {
        fileprivate var number = 0
    }

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
