import GRDB

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
    func noteApplicationChange() {
        rows.note { $0.forgetAll() }
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
