// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
package import SimulatedDevice

/// Removes what an earlier installation left in the keychain (sharing.md, section 14).
///
/// The platform keeps keychain items when an application is deleted, but not its preferences. So a missing flag in
/// the preferences means a fresh installation. Preferences that cannot be read mean nothing.
///
/// Thread rule: any thread; applications that share run it under the status lock.
package struct InstallationCheck: Sendable {
    private static let lockFile = "PowerAuthInstallationLock"

    /// Whose the sessions in the keychain are.
    package let records: InstallationRecords
    private let services: KeychainServices
    private let suiteName: String?
    private let sandbox: Sandbox

    /// - Parameters:
    ///   - services: the services of the SDK object.
    ///   - instanceId: its instance identifier.
    ///   - biometryAccount: account of its biometry key; nil for the instance identifier.
    ///   - suiteName: the preferences with the flag; nil for the standard ones.
    ///   - sandbox: the device.
    package init(
        services: KeychainServices, instanceId: String, biometryAccount: String? = nil, suiteName: String?,
        sandbox: Sandbox
    ) {
        self.services = services
        self.suiteName = suiteName
        self.sandbox = sandbox
        records = InstallationRecords(
            instanceId: instanceId, biometryAccount: biometryAccount ?? instanceId,
            installation: suiteName ?? sandbox.identity.bundleIdentifier, status: services.status,
            identity: sandbox.identity)
    }

    /// Removes the leftovers and sets the flag, unless it is set.
    /// - Parameter willRemove: called before anything is removed.
    /// - Throws: ``InvalidConfiguration/deviceNotUnlocked`` before the first unlock of the device,
    ///   ``InvalidConfiguration/preferencesUnavailable(name:reason:)`` when it cannot be known whether the flag is set, or it
    ///   cannot be set, ``InvalidConfiguration/lockFileUnavailable(path:reason:)``, and
    ///   ``InvalidConfiguration/leftoversNotRemoved(reason:)``. Nothing is known then, so that the state must not be used; a
    ///   later call tries again.
    func run(willRemove: () throws -> Void = {}) throws(InvalidConfiguration) {
        if sandbox.keeps(.unguardedWipe) { return wipe() }
        guard let defaults = sandbox.defaults(suite: suiteName) else {
            PowerAuthLog.criticalWarning(
                "The preferences '\(suiteName ?? "")' do not exist, so a reinstallation cannot be recognised.")
            return
        }
        guard try !isFlagSet(defaults) else { return }
        let lock = try takeLock()
        defer {
            sandbox.touch(.files, writing: true)
            try? lock.unlock()
        }
        // Another process may have set it while this one waited, and may have stored a session since.
        guard try !isFlagSet(defaults) else { return }
        try? sandbox.pass(.wipeBegun)
        do {
            let sessions = try records.sessions()
            let leftovers = try InstallationLeftovers(of: sessions, in: services, sandbox: sandbox)
            if !leftovers.isEmpty {
                try willRemove()
                try leftovers.remove()
                PowerAuthLog.write("Fresh installation: what an earlier one left in the keychain was removed.")
            }
            // After the items: if the process dies before, the next one still has the records.
            try records.removeAll()
        } catch {
            throw .leftoversNotRemoved(reason: String(describing: error))
        }
        try? sandbox.pass(.wipeDone)
        try setFlag(defaults)
        try? sandbox.pass(.wipeFlagWritten)
    }

    /// Waits for the others with the same flag: it stands for the sessions of every instance identifier, and the status
    /// lock is one of a single identifier. Its holder waits for locks of the system only.
    private func takeLock() throws(InvalidConfiguration) -> SharedFileLock {
        let locate: @Sendable () -> String = { [sandbox, suiteName] in
            let container = suiteName.flatMap { sandbox.containerPath(forAppGroup: $0) } ?? sandbox.home
            return container + "/" + Self.lockFile
        }
        do {
            let lock = try SharedFileLock(locate: locate)
            try lock.lock()
            return lock
        } catch {
            throw .lockFileUnavailable(path: locate(), reason: String(describing: error))
        }
    }

    private func isFlagSet(_ defaults: DefaultsSuite) throws(InvalidConfiguration) -> Bool {
        do {
            return try defaults.read(PowerAuthKeychain_Initialized) == .bool(true)
        } catch {
            throw refusal(error)
        }
    }

    private func setFlag(_ defaults: DefaultsSuite) throws(InvalidConfiguration) {
        do {
            try defaults.store(.bool(true), forKey: PowerAuthKeychain_Initialized)
        } catch {
            throw refusal(error)
        }
    }

    private func refusal(_ error: DefaultsSuite.Unavailable) -> InvalidConfiguration {
        if case .locked = error { return .deviceNotUnlocked }
        return .preferencesUnavailable(name: suiteName ?? "standard", reason: error.description)
    }

    /// The original: any flag that is not set means a fresh installation, which deletes all it can reach.
    private func wipe() {
        let defaults = sandbox.defaults(suite: suiteName)
        if defaults?.bool(forKey: PowerAuthKeychain_Initialized) == true { return }
        for service in services.all { service.system.deleteAll(service: service.identifier) }
        defaults?.set(true, forKey: PowerAuthKeychain_Initialized)
    }
}

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

/// Which installation has stored which session in a keychain group (sharing.md, section 14, and D9).
///
/// The keychain outlives an installation, and the installations of several applications may use one group of it. So the
/// owner is recorded beside each state: one item for each, whose account is the name of the preferences with the
/// installation's flag, a slash and the instance identifier, and whose value is the account of the biometry key.
///
/// Thread rule: any thread; ordered like the accesses to the state.
package struct InstallationRecords: Sendable {
    /// A session as far as the keychain knows it.
    struct StoredSession: Hashable {
        let instanceId: String
        /// Account of the biometry key.
        let biometryAccount: String
    }

    private let own: StoredSession
    private let installation: String
    /// Also items that the application stored before its preferences were those of a suite.
    private let installations: Set<String>
    private let service: PowerAuthKeychain
    private let mayOwnUnrecorded: Bool

    /// - Parameters:
    ///   - instanceId: the instance identifier of the SDK object.
    ///   - biometryAccount: account of its biometry key.
    ///   - installation: name of the preferences with the flag.
    ///   - status: the service with the state.
    ///   - identity: the application.
    init(
        instanceId: String, biometryAccount: String, installation: String, status: PowerAuthKeychain,
        identity: AppIdentity
    ) {
        own = StoredSession(instanceId: instanceId, biometryAccount: biometryAccount)
        self.installation = installation.replacing("/", with: ":")
        installations = [self.installation, identity.bundleIdentifier]
        let group = status.accessGroup ?? identity.defaultAccessGroup
        service = PowerAuthKeychain(
            identifier: status.identifier + ".Installation", accessGroup: group, system: status.system)
        // Items that an application without a configured group finds in a shared group may belong to others.
        mayOwnUnrecorded = status.accessGroup != nil || group == identity.ownAccessGroup
    }

    /// Writes down that the session of the SDK object is this installation's. Call before its state is first stored.
    /// - Returns: ``errSecSuccess``, also when it has been written down before.
    func note() -> OSStatus {
        let status = service.system.add(
            Data(own.biometryAccount.utf8), service: service.identifier,
            account: installation + "/" + own.instanceId, accessGroup: service.accessGroup
        ).status
        return status == errSecDuplicateItem ? errSecSuccess : status
    }

    /// The sessions that this installation has stored, or an earlier one of the same name.
    ///
    /// An unrecorded session of the SDK object's own name, stored by an SDK without records, counts when it lies in a
    /// group that the application has for itself or names in its configuration.
    func sessions() throws(KeychainFailure) -> Set<StoredSession> {
        let items = service.system.items(service: service.identifier, accessGroup: service.accessGroup)
        guard items.status == errSecSuccess || items.status == errSecItemNotFound else {
            throw KeychainFailure(status: items.status)
        }
        var sessions: Set<StoredSession> = []
        var isOwnRecorded = false
        for (account, value) in items.values ?? [:] {
            guard let slash = account.firstIndex(of: "/") else { continue }
            let instanceId = String(account[account.index(after: slash)...])
            if instanceId == own.instanceId { isOwnRecorded = true }
            guard isOwn(account) else { continue }
            sessions.insert(
                StoredSession(instanceId: instanceId, biometryAccount: String(decoding: value, as: UTF8.self)))
        }
        if mayOwnUnrecorded, !isOwnRecorded { sessions.insert(own) }
        return sessions
    }

    func removeAll() throws(KeychainFailure) {
        for account in try service.accountsInGroup() where isOwn(account) { try service.remove(account) }
    }

    private func isOwn(_ account: String) -> Bool {
        account.firstIndex(of: "/").map { installations.contains(String(account[..<$0])) } ?? false
    }
}

/// The keychain has refused a call that is required to continue.
struct KeychainFailure: Error, CustomStringConvertible {
    let status: OSStatus

    var description: String { "the keychain refused with the status \(status)" }
}

extension PowerAuthKeychain {
    /// The accounts of all items in the service's group; none when it names no group.
    func accountsInGroup() throws(KeychainFailure) -> Set<String> {
        guard let accessGroup else { return [] }
        let found = system.accounts(service: identifier, accessGroup: accessGroup)
        guard found.status == errSecSuccess || found.status == errSecItemNotFound else {
            throw KeychainFailure(status: found.status)
        }
        return Set(found.accounts ?? [])
    }

    /// Removes an item that may be missing.
    /// - Returns: whether there was one.
    @discardableResult
    func remove(_ account: String) throws(KeychainFailure) -> Bool {
        let status = system.delete(service: identifier, account: account, accessGroup: accessGroup)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw KeychainFailure(status: status) }
        return status == errSecSuccess
    }
}
