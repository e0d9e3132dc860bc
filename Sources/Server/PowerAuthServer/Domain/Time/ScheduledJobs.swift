import GRDB

/// What happens by the passing of time alone: expiry, purges, and calls that are due (server.md, section 24).
///
/// Thread rule: a thread of its own only; it blocks.
struct ScheduledJobs: Sendable {
    let context: ServiceContext
    /// Whose messages are looked at.
    let delivery: CallbackDelivery
    private let purges: PurgeJobs

    init(context: ServiceContext, delivery: CallbackDelivery) {
        self.context = context
        self.delivery = delivery
        purges = PurgeJobs(context: context)
    }

    /// Does everything that is due now.
    /// - Parameter deliver: has the messages of callbacks delivered; called when some are due.
    /// - Returns: when the next thing is due; nil when nothing is planned.
    func runDue(deliver: () -> Void) throws -> ServerTime? {
        try OperationService(context: context).expireOverdue()
        try removeExpiredActivations()
        try purges.runDue()
        // Read before checking what is due: work that becomes due meanwhile is planned.
        let now = context.clock.now()
        if try delivery.hasDue() { deliver() }
        return try context.read { database in
            // Something expires one moment after the last one it is still good for.
            try [
                OperationStore.nextExpiry(database)?.advanced(by: 1),
                ActivationStore.nextExpiry(database)?.advanced(by: 1), CallbackStore.nextDue(database, after: now),
                purges.next(database),
            ].compactMap(\.self).min()
        }
    }

    /// How many activations expire in one transaction: requests wait for the write lock meanwhile.
    static let expiryBatch = 100

    /// Without lower bound: activations that expired while no server ran are removed too (server.md, section 30, item
    /// 19).
    private func removeExpiredActivations() throws {
        let now = context.clock.now()
        guard let next = try context.read(ActivationStore.nextExpiry), next < now else { return }
        var isMore = true
        while isMore {
            isMore = try context.change { change in
                let expired = try ActivationStore.expired(change.database, at: change.now, limit: Self.expiryBatch)
                for var activation in expired {
                    _ = try change.removeIfExpired(&activation)
                }
                return expired.count == Self.expiryBatch
            }
        }
    }
}
