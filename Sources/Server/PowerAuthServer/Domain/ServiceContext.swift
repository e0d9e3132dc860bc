import GRDB
import PowerAuthProtocol
import Synchronization

/// What every domain service works with.
struct ServiceContext: Sendable {
    let database: ServerDatabase
    let clock: any ServerClock
    let policy: ServerPolicy
    /// Seals and opens the private keys of records.
    let seal: RecordSeal
    let keys: ActivationKeyCache
    /// The costliest thing the server does.
    var hashing = OtpHashing()
    let journal: (any ServerJournal)?
    let pushes: PushQueue
    /// Where callbacks have their key and trust stores.
    let keyStores: KeyStoreFolder
    /// Rung when the scheduled jobs have something new to wait for.
    let alarm = ServerAlarm()

    /// Reads a consistent snapshot. Blocks.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try database.read(body)
    }

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
        let change = WriteTransaction(database: database, rows: rows, now: clock.now())
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

    func record(_ event: ServerEvent) {
        journal?.record(event, operation: CurrentOperation.id)
    }
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

/// One transaction: the connection, its moment, and the events that become true with its commit.
///
/// Thread rule: the thread of the transaction only, and not longer than it.
final class WriteTransaction {
    let database: Database
    /// See `WriteTransaction+Rows.swift`.
    let rows: TransactionRows
    let now: ServerTime
    private(set) var events: [ServerEvent] = []
    private(set) var pushes: [Push] = []
    /// Whether the commit may make a scheduled job due earlier.
    var wakesJobs = false

    init(database: Database, rows: TransactionRows, now: ServerTime) {
        self.database = database
        self.rows = rows
        self.now = now
    }

    /// Adds an event that is journalled after the commit.
    func note(_ event: ServerEvent) {
        events.append(event)
    }

    /// Adds a push that is sent after the commit.
    func push(_ push: Push) {
        pushes.append(push)
    }

    /// Reads an activation for changing it.
    /// - Throws: `activationNotFound` for an unknown identifier.
    func activation(_ id: Identifier) throws -> Activation {
        guard let activation = try findActivation(id) else {
            throw ServiceError(.activationNotFound, "no activation \(id)")
        }
        return activation
    }

    /// Saves a new activation together with its history row.
    func insert(_ activation: Activation) throws {
        try ActivationStore.insert(database, activation)
        try ActivationStore.insertHistory(database, activation, reason: nil, externalUserId: nil, at: now)
        try audit(activation, previous: nil)
        try announce(activation)
        note(.activationChanged(activationId: activation.id.text, from: nil, to: activation.status, reason: nil))
    }

    /// Saves a changed activation together with its history row.
    /// - Parameters:
    ///   - activation: the new content; its time of change is set here.
    ///   - previous: its status before the change.
    ///   - reason: for the history, unless the new status is BLOCKED and has its own reason.
    ///   - externalUserId: the operator on whose behalf the change is made.
    func save(
        _ activation: inout Activation, previous: ActivationState, reason: String? = nil,
        externalUserId: Identifier? = nil
    ) throws {
        activation.lastChange = now
        try saveContent(activation)
        try ActivationStore.insertHistory(
            database, activation, reason: reason, externalUserId: externalUserId, at: now)
        try audit(activation, previous: previous, reason: reason, externalUserId: externalUserId)
        try settleRecoveryCodes(of: activation, previous: previous)
        if activation.status != previous {
            try PushRegistrationStore.setActive(
                database, activation.status == .active, activationId: activation.id)
        }
        if !HistoryReason.unannounced.contains(reason) { try announce(activation) }
        note(
            .activationChanged(
                activationId: activation.id.text, from: previous, to: activation.status,
                reason: activation.lifecycle.blockedReason ?? reason))
    }

    /// Recovery codes become usable with their activation, and do not outlive one that never was.
    private func settleRecoveryCodes(of activation: Activation, previous: ActivationState) throws {
        switch (previous, activation.status) {
        case (_, .active):
            try RecoveryStore.activateAll(database, ofActivation: activation.id, at: now)
        case (.created, .removed), (.pendingCommit, .removed):
            try RecoveryStore.revokeAll(database, ofActivation: activation.id, at: now)
        case (_, .removed):
            // An operator may have blocked it before it ever was active.
            try RecoveryStore.revokeAll(database, ofActivation: activation.id, thatAre: .created, at: now)
        default:
            break
        }
    }

    /// Removes and saves the activation if its time to be finished is over.
    /// - Returns: whether it was removed by this call.
    func removeIfExpired(_ activation: inout Activation) throws -> Bool {
        let previous = activation.status
        guard activation.removeIfExpired(at: now) else { return false }
        try save(&activation, previous: previous)
        return true
    }
}
