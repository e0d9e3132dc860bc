// SPDX-License-Identifier: Apache-2.0

import GRDB
import PowerAuthProtocol

/// One transaction: the connection, its moment, and the events that become true with its commit.
///
/// Thread rule: the thread of the transaction only, and not longer than it.
final class WriteTransaction {
    let database: Database
    let rows: TransactionRows
    let now: ServerTime
    /// What the messages of callbacks are like.
    let policy: CallbackPolicy
    private(set) var events: [ServerEvent] = []
    private(set) var pushes: [Push] = []
    /// Whether the commit may make a scheduled job due earlier.
    var wakesJobs = false

    init(database: Database, rows: TransactionRows, now: ServerTime, policy: CallbackPolicy) {
        self.database = database
        self.rows = rows
        self.now = now
        self.policy = policy
    }

    /// Adds an event that is journalled after the commit.
    func note(_ event: ServerEvent) { events.append(event) }

    /// Adds a push that is sent after the commit.
    func push(_ push: Push) { pushes.append(push) }

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
        try ActivationStore.insertHistory(database, activation, reason: reason, externalUserId: externalUserId, at: now)
        try audit(activation, previous: previous, reason: reason, externalUserId: externalUserId)
        try settleRecoveryCodes(of: activation, previous: previous)
        if activation.status != previous {
            try PushRegistrationStore.setActive(database, activation.status == .active, activationId: activation.id)
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
        case (_, .active): try RecoveryStore.activateAll(database, ofActivation: activation.id, at: now)
        case (.created, .removed), (.pendingCommit, .removed):
            try RecoveryStore.revokeAll(database, ofActivation: activation.id, at: now)
        case (_, .removed):
            // An operator may have blocked it before it ever was active.
            try RecoveryStore.revokeAll(database, ofActivation: activation.id, thatAre: .created, at: now)
        default: break
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

/// The rows that every request reads, as a transaction reads and writes them. All changes to them are made here, or end
/// with one of the two methods that invalidate the cache. A row is cached under its own identifier, independently of
/// the lookup key.
extension WriteTransaction {
    /// An activation; nil for an unknown identifier.
    func findActivation(_ id: Identifier) throws -> Activation? {
        if let known = rows.activation(id) { return known }
        let found = try ActivationStore.find(database, id: id)
        if let found { rows.note { $0.activations[found.id] = .known(found) } }
        return found
    }

    /// The version with an application key, supported or not.
    func findVersion(applicationKey: Identifier) throws -> ApplicationVersion? {
        if let known = rows.version(applicationKey) { return known }
        let found = try ApplicationStore.version(database, applicationKey: applicationKey)
        if let found { rows.note { $0.versions[found.applicationKey] = .known(found) } }
        return found
    }

    /// A token; nil for an unknown identifier.
    func findToken(_ id: Identifier) throws -> Token? {
        if let known = rows.token(id) { return known }
        let found = try TokenStore.find(database, id: id)
        if let found { rows.note { $0.tokens[found.id] = .known(found) } }
        return found
    }

    /// Writes the changes of a signature verification to an activation: the counter, the failures and the time of use.
    func saveUse(_ activation: Activation) throws {
        try ActivationStore.updateUse(database, activation)
        rows.note { $0.activations[activation.id] = .known(activation) }
    }

    /// Writes all changeable fields of an activation, without history and without notifications.
    func saveContent(_ activation: Activation) throws {
        try ActivationStore.update(database, activation)
        rows.note { $0.activations[activation.id] = .unknown }
    }

    /// Deletes a token if it belongs to the activation.
    /// - Returns: whether it did.
    func deleteToken(_ id: Identifier, activationId: Identifier) throws -> Bool {
        rows.note { $0.tokens[id] = .unknown }
        return try TokenStore.delete(database, id: id, activationId: activationId)
    }

    /// Something was changed that rows of every kind show: an application or one of its versions.
    func noteApplicationChange() { rows.note { $0.forgetAll() } }
}
