// SPDX-License-Identifier: Apache-2.0

import GRDB
import PowerAuthProtocol
import Synchronization

/// What every domain service works with.
///
/// Thread rule of the services: worker threads only, because their methods block, but for those that say otherwise.
struct ServiceContext: Sendable {
    let database: ServerDatabase
    let clock: any ServerClock
    let policy: ServerPolicy
    /// Seals and opens the private keys of records.
    let seal: RecordSeal
    let keys: ActivationKeyCache
    /// The costliest thing the server does.
    var hashing: OtpHashing
    let journal: (any ServerJournal)?
    let pushes: PushQueue
    /// Where callbacks have their key and trust stores.
    let keyStores: KeyStoreFolder
    /// Rung when the scheduled jobs have something new to wait for.
    let alarm = ServerAlarm()

    /// Reads a consistent snapshot. Blocks.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try database.read(body) }

    /// Makes one change, journals its events and sends its pushes once it is committed. Blocks.
    ///
    /// The body runs on the writing thread, alone with the database.
    func change<Value>(_ body: @escaping (WriteTransaction) throws -> Value) throws -> Value {
        let (scope, effects) = (RequestScope.current, ChangeEffects())
        let value = try database.change { database, rows in
            try scope.run { try write(body, effects, database, rows) }
        } whenCommitted: {
            send(effects, on: scope)
        }
        tell(effects)
        return value
    }

    /// Like ``change(_:)``, for callers that must not block.
    func changeWithoutBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        let (scope, effects) = (RequestScope.current, ChangeEffects())
        let value = try await withCheckedThrowingContinuation { continuation in
            database.submit { database, rows in
                try scope.run { try self.write(body, effects, database, rows) }
            } whenCommitted: {
                send(effects, on: scope)
            } whenDone: { (result: Result<Value, any Error>) in
                continuation.resume(with: result)
            }
        }
        tell(effects)
        return value
    }

    private func write<Value>(
        _ body: (WriteTransaction) throws -> Value, _ effects: ChangeEffects, _ database: Database,
        _ rows: TransactionRows
    ) throws -> Value {
        let change = WriteTransaction(database: database, rows: rows, now: clock.now(), policy: policy.callbacks)
        let value = try body(change)
        effects.take(from: change)
        return value
    }

    /// Before the next transaction can begin: devices are notified in the order of the commits.
    private func send(_ effects: ChangeEffects, on scope: RequestScope) {
        let pushes = effects.all.pushes
        guard !pushes.isEmpty else { return }
        self.pushes.submit(pushes, onBehalfOf: scope.operation, self)
    }

    private func tell(_ effects: ChangeEffects) {
        let effects = effects.all
        if effects.wakesJobs { alarm.ring() }
        effects.events.forEach(record)
    }

    /// Like ``change(_:)``, but a *returned* failure keeps what was written (server.md, section 28, "keep"); a *thrown* one
    /// changes nothing.
    func changeKeepingRefusal<Value>(_ body: @escaping (WriteTransaction) throws -> Result<Value, ServiceError>) throws
        -> Value
    {
        try change(body).get()
    }

    /// The proximity code of an operation now; nil without proximity check.
    func proximityCode(of operation: OperationRecord) -> String? {
        operation.proximityCode(at: clock.now(), policy.proximity)
    }

    func record(_ event: ServerEvent) { journal?.record(event, operation: CurrentOperation.id) }
}

/// The side effects of a commit: the writing thread fills them in before it, and the request reads them after its
/// notification.
private final class ChangeEffects: Sendable {
    struct All {
        var events: [ServerEvent] = []
        var pushes: [Push] = []
        var wakesJobs = false
    }

    private let guarded = Mutex(All())

    var all: All { guarded.withLock { $0 } }

    func take(from change: WriteTransaction) {
        let (events, pushes, wakesJobs) = (change.events, change.pushes, change.wakesJobs)
        guarded.withLock { $0 = All(events: events, pushes: pushes, wakesJobs: wakesJobs) }
    }
}

extension ServiceContext {
    /// An activation as committed; nil for an unknown identifier. Blocks, unless it is cached.
    func activation(_ id: Identifier) throws -> Activation? {
        try committed(cached: { $0.activation(id) }, read: { try ActivationStore.find($0, id: id) }) {
            $0.activations[$1.id] = .known($1)
        }
    }

    /// The version with an application key, supported or not. Blocks, unless it is cached.
    func version(applicationKey: Identifier) throws -> ApplicationVersion? {
        try committed(
            cached: { $0.version(applicationKey) },
            read: { try ApplicationStore.version($0, applicationKey: applicationKey) },
            keep: { $0.versions[$1.applicationKey] = .known($1) })
    }

    /// A token as committed; nil for an unknown identifier. Blocks, unless it is cached.
    func token(_ id: Identifier) throws -> Token? {
        try committed(cached: { $0.token(id) }, read: { try TokenStore.find($0, id: id) }) {
            $0.tokens[$1.id] = .known($1)
        }
    }

    private func committed<Value>(
        cached: (RowCache) -> Value?, read: (Database) throws -> Value?, keep: (inout RowChanges, Value) -> Void
    ) throws -> Value? {
        if let known = cached(database.cache) { return known }
        let revision = database.cache.revision
        guard let found = try database.read(read) else { return nil }
        var rows = RowChanges()
        keep(&rows, found)
        database.cache.take(over: rows, readAt: revision)
        return found
    }
}
