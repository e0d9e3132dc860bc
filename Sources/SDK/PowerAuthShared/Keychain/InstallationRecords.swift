import Foundation
import SimulatedDevice

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
    ///
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

    /// Forgets all sessions of the installation.
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
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func remove(_ account: String) throws(KeychainFailure) -> Bool {
        let status = system.delete(service: identifier, account: account, accessGroup: accessGroup)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw KeychainFailure(status: status) }
        return status == errSecSuccess
    }
}
