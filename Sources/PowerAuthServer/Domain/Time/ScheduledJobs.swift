import GRDB

/// What happens by the passing of time alone: expiry, and calls that are due (server.md, section 24).
///
/// Thread rule: a thread of its own only; it blocks.
struct ScheduledJobs: Sendable {
    let context: ServiceContext

    /// Does everything that is due now.
    /// - Parameter deliver: takes over the messages of callbacks.
    /// - Returns: when the next thing is due; nil when nothing is planned.
    func runDue(deliver: (CallbackEvent) -> Void) throws -> ServerTime? {
        try OperationService(context: context).expireOverdue()
        try removeExpiredActivations()
        let now = context.clock.now()
        if let due = try context.read(CallbackStore.nextDue), due <= now {
            var events: [CallbackEvent]
            repeat {
                events = try CallbackDelivery(context: context).claimDue()
                events.forEach(deliver)
            } while events.count == 100
        }
        return try context.read { database in
            // Something expires one moment after the last one it is still good for.
            try [
                OperationStore.nextExpiry(database)?.advanced(by: 1),
                ActivationStore.nextExpiry(database)?.advanced(by: 1), CallbackStore.nextDue(database),
            ].compactMap(\.self).min()
        }
    }

    /// Without lower bound: what expired while no server ran is removed too (server.md, section 30, item 19).
    private func removeExpiredActivations() throws {
        let now = context.clock.now()
        guard let next = try context.read(ActivationStore.nextExpiry), next < now else { return }
        var isMore = true
        while isMore {
            isMore = try context.change { change in
                let expired = try ActivationStore.expired(change.database, at: change.now, limit: 100)
                for var activation in expired {
                    _ = try change.removeIfExpired(&activation)
                }
                return expired.count == 100
            }
        }
    }
}
