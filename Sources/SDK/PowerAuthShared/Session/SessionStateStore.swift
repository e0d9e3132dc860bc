package import Foundation
package import SimulatedDevice

/// The keychain item with the serialized session (sharing.md, section 13).
///
/// Thread rule: any thread; the session interface that owns it calls it under its own lock.
package struct SessionStateStore: Sendable {
    /// What the keychain returns for the state.
    package enum Reading: Sendable {
        /// There is no item.
        case absent
        /// The bytes and the stamp of the write that made them.
        case state(Data, revision: Int64)
        /// The item cannot be read now: the device is locked or the keychain failed. It may well be there.
        case unavailable(OSStatus)
        /// The bytes are not the ones that were written.
        case damaged
    }

    /// The state was not stored.
    package struct SaveFailure: Error, CustomStringConvertible {
        /// The keychain's answer; ``errSecBadReq``, ``errSecDuplicateItem`` or ``errSecItemNotFound`` when the item
        /// is not the one that was loaded.
        package let status: OSStatus

        package var description: String {
            switch status {
            case errSecBadReq, errSecDuplicateItem, errSecItemNotFound:
                "The session state was changed by a process that did not hold the status lock (status \(status))."
            case errSecMissingEntitlement:
                "The process is not entitled to the keychain access group of the session state (status \(status))."
            default:
                "The keychain did not store the session state (status \(status))."
            }
        }
    }

    let keychain: PowerAuthKeychain
    let account: String
    /// Where it is written down whose the state is.
    private let records: InstallationRecords

    /// - Parameters:
    ///   - keychain: the status service.
    ///   - account: the instance identifier.
    ///   - records: where it is written down whose the state is.
    package init(keychain: PowerAuthKeychain, account: String, records: InstallationRecords) {
        self.keychain = keychain
        self.account = account
        self.records = records
    }

    /// The accounts that a state can be in.
    static func accounts(instanceId: String) -> [String] { [instanceId, unusable(instanceId)] }

    private static func unusable(_ account: String) -> String { account + ".unusable" }

    /// Writes down that the state is this installation's. Call before the first save.
    func noteOwner() throws(SaveFailure) {
        let status = records.note()
        guard status == errSecSuccess else { throw SaveFailure(status: status) }
    }

    package func load() -> Reading {
        let reading = keychain.system.read(
            service: keychain.identifier, account: account, accessGroup: keychain.accessGroup)
        if let value = reading.value, let revision = reading.revision { return .state(value, revision: revision) }
        return switch reading.status {
        case errSecItemNotFound: .absent
        case errSecDecode: .damaged
        default: .unavailable(reading.status)
        }
    }

    /// Stores the state only if the item still is the one that was loaded.
    ///
    /// - Parameters:
    ///   - state: the serialized session.
    ///   - revision: stamp of the item that was loaded; nil when there was none.
    /// - Returns: the stamp of this write.
    package func save(_ state: Data, replacing revision: Int64?) throws(SaveFailure) -> Int64 {
        let writing =
            if let revision {
                keychain.system.update(
                    state, service: keychain.identifier, account: account, accessGroup: keychain.accessGroup,
                    expectedRevision: revision)
            } else {
                keychain.system.add(
                    state, service: keychain.identifier, account: account, accessGroup: keychain.accessGroup)
            }
        guard let revision = writing.revision else { throw SaveFailure(status: writing.status) }
        return revision
    }

    /// Keeps bytes that this SDK cannot read in an item of their own, from which another version can bring them back.
    package func setAside(_ state: Data) {
        let status = keychain.set(state, forKey: Self.unusable(account))
        if status != errSecSuccess {
            PowerAuthLog.write("ERROR: The unusable session state could not be kept (status \(status)).")
        }
    }

    /// Stores the state regardless of the current item.
    package func overwrite(_ state: Data) throws(SaveFailure) {
        let status = keychain.set(state, forKey: account)
        guard status == errSecSuccess else { throw SaveFailure(status: status) }
    }
}
