import SimulatedDevice

/// What an earlier installation left in the keychain: the items of the sessions that it had stored, and of no other
/// (sharing.md, D9).
struct InstallationLeftovers {
    private var items: [(service: PowerAuthKeychain, account: String)] = []

    /// Looks for them; nothing is changed, and no biometric dialog opens.
    init(
        of sessions: Set<InstallationRecords.StoredSession>, in services: KeychainServices, sandbox: Sandbox
    ) throws(KeychainFailure) {
        guard !sessions.isEmpty else { return }
        let status = services.status.inOneGroup(sandbox.identity)
        let states = sessions.flatMap { SessionStateStore.accounts(instanceId: $0.instanceId) }
        let stored = try status.accountsInGroup()
        add(states.filter(stored.contains), of: status)

        let biometry = services.biometry.inOneGroup(sandbox.identity)
        let owners = Set(sessions.map(\.biometryAccount))
        let keys = try biometry.accountsInGroup().filter { owners.contains(BiometryKeyStore.owner(of: $0)) }
        add(keys.sorted(), of: biometry)

        let tokens = services.tokens.inOneGroup(sandbox.identity)
        for session in sessions {
            let records = TokenRecordStore(keychain: tokens, instanceId: session.instanceId, sandbox: sandbox)
            add(records.accounts(), of: tokens)
        }
        // The possession key may have been made for an earlier vendor identifier, which the other sessions of the group
        // depend on.
        if stored.isSubset(of: states) {
            let possession = services.possession.inOneGroup(sandbox.identity)
            add(try possession.accountsInGroup().sorted(), of: possession)
        }
    }

    var isEmpty: Bool { items.isEmpty }

    func remove() throws(KeychainFailure) {
        for item in items { try item.service.remove(item.account) }
    }

    private mutating func add(_ accounts: [String], of service: PowerAuthKeychain) {
        items += accounts.map { (service, $0) }
    }
}

extension PowerAuthKeychain {
    /// The service in the one group that additions go to.
    fileprivate func inOneGroup(_ identity: AppIdentity) -> PowerAuthKeychain {
        PowerAuthKeychain(
            identifier: identifier, accessGroup: accessGroup ?? identity.defaultAccessGroup, system: system)
    }
}
