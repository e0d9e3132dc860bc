/// The cached rows as a transaction sees them: what its requests have changed, or else what is committed.
///
/// Thread rule: the thread of the transaction, and not longer than it.
final class TransactionRows {
    private let cache: RowCache
    /// Of the requests whose changes stand.
    private var settled = RowChanges()
    /// Of the current request.
    private var open = RowChanges()

    init(_ cache: RowCache) {
        self.cache = cache
    }

    func activation(_ id: Identifier) -> Activation? {
        row(\.activations, id) { cache.activation(id) }
    }

    func version(_ applicationKey: Identifier) -> ApplicationVersion? {
        row(\.versions, applicationKey) { cache.version(applicationKey) }
    }

    func token(_ id: Identifier) -> Token? {
        row(\.tokens, id) { cache.token(id) }
    }

    /// Changes the known rows, on behalf of the current request.
    func note(_ change: (inout RowChanges) -> Void) {
        change(&open)
    }

    /// The current request has ended.
    /// - Parameter stands: false if its changes were rolled back.
    func endRequest(stands: Bool) {
        if stands { settled.append(open) }
        open = RowChanges()
    }

    /// Publishes the rows of the committed transaction.
    func publish() {
        cache.take(over: settled)
    }

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
