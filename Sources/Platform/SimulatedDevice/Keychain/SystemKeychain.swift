// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabCore
import LabPoints

/// The keychain of the simulated device, as one app may use it (sharing.md, sections 12.3, 12.4 and 21.4).
///
/// All apps of a device share one database; every call is one transaction and visible to all processes at once. An
/// item is identified by service, account and access group. A call that names an access group works on that group
/// only and needs the entitlement; without a group, an addition goes to the app's first group and everything else
/// covers all groups of the app.
///
/// Thread rule: any thread. A call may wait for another process' transaction, so it must not run on the
/// concurrency runtime's cooperative pool. The database is opened by the first call.
public final class SystemKeychain: Sendable {
    private let database: KeychainDatabase
    /// Asks the owner of the device; nil for a keychain without a device around it, whose protected items stay closed.
    package let authentication: AuthenticationService?
    private let accessGroups: [String]
    private let creator: String
    private let hooks: KeychainHooks
    /// Kept alive as long as the keychain: the private device of a test.
    private let owner: (any AnyObject & Sendable)?

    init(
        path: String, accessGroups: [String], creator: String, hooks: KeychainHooks,
        authentication: AuthenticationService? = nil, owner: (any AnyObject & Sendable)? = nil
    ) {
        self.owner = owner
        self.authentication = authentication
        database = KeychainDatabase(path: path)
        self.accessGroups = accessGroups
        self.creator = creator
        self.hooks = hooks
    }

    /// The outcome of reading an item.
    public struct Reading: Sendable {
        /// ``errSecSuccess``, or the reason why there is no value.
        public let status: OSStatus
        /// The stored bytes; present exactly if the status is ``errSecSuccess``.
        public let value: Data?
        /// Stamp of the last write. Stamps are unique on a device and grow, also across deletion and re-creation.
        public let revision: Int64?
    }

    /// The outcome of a call that writes a value.
    public struct Writing: Sendable {
        /// ``errSecSuccess``, or the reason why nothing was written.
        public let status: OSStatus
        /// Stamp of this write; present exactly if the status is ``errSecSuccess``.
        public let revision: Int64?
    }

    /// Adds an item.
    /// - Parameters:
    ///   - value: The bytes to keep; any size.
    ///   - accessGroup: Owner of the item; nil means the app's first access group.
    ///   - protection: The authentication that is required to read the value.
    ///   - accessibility: When the item can be read, and whether a backup brings it to another device.
    /// - Returns: ``errSecDuplicateItem`` if the item exists, ``errSecMissingEntitlement`` for a foreign group,
    ///   ``errSecAuthFailed`` for a protection that the device cannot give, ``errSecDiskFull`` or ``errSecReadOnly`` for a
    ///   storage that takes nothing, ``errSecInteractionNotAllowed`` for an item that a locked device closes,
    ///   ``errSecIO`` when the database failed.
    @discardableResult
    public func add(
        _ value: Data, service: String, account: String, accessGroup: String? = nil,
        protection: KeychainProtection = .none, accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly
    ) -> Writing {
        perform(.keychainWrite, service, account, failed: { Writing(status: $0, revision: nil) }) {
            guard let group = accessGroup ?? accessGroups.first, accessGroups.contains(group) else {
                return Writing(status: errSecMissingEntitlement, revision: nil)
            }
            guard !isClosed(accessibility) else {
                return Writing(status: errSecInteractionNotAllowed, revision: nil)
            }
            let key = KeychainKey(service: service, account: account, accessGroup: group)
            let enrolment = authentication?.enrolment
            guard protection != .currentBiometricSet || enrolment != nil else {
                return Writing(status: errSecAuthFailed, revision: nil)
            }
            let linked = protection == .currentBiometricSet ? enrolment ?? 0 : 0
            try hooks.takeRoom(value.count)
            guard
                let revision = try database.insert(
                    value, at: key, creator: creator, protection: protection, enrolment: linked,
                    accessibility: accessibility)
            else { return Writing(status: errSecDuplicateItem, revision: nil) }
            hooks.written(key)
            return Writing(status: errSecSuccess, revision: revision)
        }
    }

    /// Reads an item. A protected one opens the system's dialog and blocks the thread until it is answered.
    /// - Parameter accessGroup: Where to look; nil means the first match in all groups of the app, in their order.
    /// - Returns: ``errSecItemNotFound``, ``errSecMissingEntitlement``, ``errSecDecode`` when the stored bytes do
    ///   not match their checksum, ``errSecIO``, ``errSecInteractionNotAllowed`` before the first unlock of the device,
    ///   and for protected items also ``errSecUserCanceled`` or ``errSecAuthFailed``.
    public func read(service: String, account: String, accessGroup: String? = nil) -> Reading {
        read(service: service, account: account, accessGroup: accessGroup, authentication: .systemDialog)
    }

    /// As ``read(service:account:accessGroup:)``, with a say in how the owner of the device is asked.
    package func read(
        service: String, account: String, accessGroup: String? = nil, authentication: KeychainAuthentication
    ) -> Reading {
        perform(.keychainRead, service, account, failed: { Reading(status: $0, value: nil, revision: nil) }) {
            guard let groups = groups(for: accessGroup) else {
                return Reading(status: errSecMissingEntitlement, value: nil, revision: nil)
            }
            guard let item = try database.first(service: service, account: account, groups: groups) else {
                return Reading(status: errSecItemNotFound, value: nil, revision: nil)
            }
            guard item.isIntact else {
                hooks.damaged(item.key)
                return Reading(status: errSecDecode, value: nil, revision: nil)
            }
            let status = open(item, authentication)
            guard status == errSecSuccess else { return Reading(status: status, value: nil, revision: nil) }
            return Reading(status: errSecSuccess, value: item.value, revision: item.revision)
        }
    }

    /// Replaces the value of an item.
    /// - Parameters:
    ///   - accessGroup: Where the item lives; nil means every match in the groups of the app.
    ///   - accessibility: When the item can be read from now on; nil changes nothing.
    ///   - expectedRevision: If given, the write happens only while the item still carries this stamp; otherwise the
    ///     call answers ``errSecBadReq`` and changes nothing.
    /// - Returns: ``errSecItemNotFound``, ``errSecMissingEntitlement``, ``errSecBadReq``, ``errSecDiskFull``,
    ///   ``errSecReadOnly`` or ``errSecIO``.
    @discardableResult
    public func update(
        _ value: Data, service: String, account: String, accessGroup: String? = nil,
        accessibility: KeychainAccessibility? = nil, expectedRevision: Int64? = nil
    ) -> Writing {
        perform(.keychainWrite, service, account, failed: { Writing(status: $0, revision: nil) }) {
            guard let groups = groups(for: accessGroup) else {
                return Writing(status: errSecMissingEntitlement, revision: nil)
            }
            try hooks.takeRoom(value.count)
            let outcome = try database.update(
                value, service: service, account: account, groups: groups, accessibility: accessibility,
                expectedRevision: expectedRevision)
            switch outcome {
            case .notFound: return Writing(status: errSecItemNotFound, revision: nil)
            case .otherRevision: return Writing(status: errSecBadReq, revision: nil)
            case .written(let revision, let keys):
                keys.forEach(hooks.written)
                return Writing(status: errSecSuccess, revision: revision)
            }
        }
    }

    /// Deletes an item: in the given group, or in every group of the app.
    /// - Returns: ``errSecItemNotFound`` if nothing was there, ``errSecMissingEntitlement`` or ``errSecIO``.
    @discardableResult
    public func delete(service: String, account: String, accessGroup: String? = nil) -> OSStatus {
        remove(service: service, account: account, accessGroup: accessGroup)
    }

    /// Deletes all items of a service: in the given group, or in every group of the app.
    /// - Returns: ``errSecItemNotFound`` if nothing was there, ``errSecMissingEntitlement`` or ``errSecIO``.
    @discardableResult
    public func deleteAll(service: String, accessGroup: String? = nil) -> OSStatus {
        remove(service: service, account: nil, accessGroup: accessGroup)
    }

    /// Deletes every item that the app may reach, of any service.
    /// - Returns: ``errSecItemNotFound`` if nothing was there, or ``errSecIO``.
    @discardableResult
    public func deleteEverything() -> OSStatus { remove(service: nil, account: nil, accessGroup: nil) }

    /// Account and value of all items of a service, in the given group or in every group of the app.
    ///
    /// Of two groups that hold the same account, the group that comes first in the app's list wins. Damaged items
    /// are left out and traced.
    /// - Returns: The status (``errSecItemNotFound`` for an empty service) and, on success, the values.
    public func items(service: String, accessGroup: String? = nil) -> (status: OSStatus, values: [String: Data]?) {
        items(service: service, accessGroup: accessGroup, authentication: .systemDialog)
    }

    /// As ``items(service:accessGroup:)``, with a say in how the owner of the device is asked. A refusal of the owner
    /// gives no item at all.
    package func items(
        service: String, accessGroup: String? = nil, authentication: KeychainAuthentication
    ) -> (status: OSStatus, values: [String: Data]?) {
        perform(.keychainRead, service, failed: { ($0, nil) }) {
            guard let groups = groups(for: accessGroup) else { return (errSecMissingEntitlement, nil) }
            let items = try database.all(service: service, groups: groups)
            guard !items.isEmpty else { return (errSecItemNotFound, nil) }
            var values: [String: Data] = [:]
            for item in items where values[item.key.account] == nil {
                guard item.isIntact else {
                    hooks.damaged(item.key)
                    continue
                }
                let status = open(item, authentication)
                if status == errSecItemNotFound { continue }
                guard status == errSecSuccess else { return (status, nil) }
                values[item.key.account] = item.value
            }
            if values.isEmpty { return (items.contains { !$0.isIntact } ? errSecDecode : errSecItemNotFound, nil) }
            return (errSecSuccess, values)
        }
    }

    /// The accounts of all items of a service, in the given group or in every group of the app. Protected items are
    /// included without a dialog: only their values are protected.
    /// - Returns: The status (``errSecItemNotFound`` for an empty service) and, on success, each account once.
    public func accounts(service: String, accessGroup: String? = nil) -> (status: OSStatus, accounts: [String]?) {
        perform(.keychainRead, service, failed: { ($0, nil) }) {
            guard let groups = groups(for: accessGroup) else { return (errSecMissingEntitlement, nil) }
            let accounts = Set(try database.all(service: service, groups: groups).map(\.key.account))
            return accounts.isEmpty ? (errSecItemNotFound, nil) : (errSecSuccess, accounts.sorted())
        }
    }

    /// An item that a query describes.
    package struct Match: Sendable {
        /// Identity of the item.
        package let key: KeychainKey
        /// When it can be read.
        package let accessibility: KeychainAccessibility
        /// The stored bytes, if they were asked for.
        package let value: Data?
    }

    /// The items that a query of the platform's Security framework describes, group by group in the app's order.
    /// - Parameters:
    ///   - service: Service of the items; nil means any.
    ///   - account: Account of the items; nil means any.
    ///   - accessGroup: Where to look; nil means all groups of the app.
    ///   - accessibility: When the items can be read; nil means any.
    ///   - limit: The most items, from 1.
    ///   - authentication: How the owner of the device is asked for protected values; nil reads no values.
    /// - Returns: The status, as that of ``read(service:account:accessGroup:)``, and the items; none with another status
    ///   than ``errSecSuccess``.
    package func matches(
        service: String?, account: String?, accessGroup: String?, accessibility: KeychainAccessibility?, limit: Int,
        authentication: KeychainAuthentication?
    ) -> (status: OSStatus, items: [Match]) {
        perform(.keychainRead, service, account, failed: { ($0, []) }) {
            guard let groups = groups(for: accessGroup) else { return (errSecMissingEntitlement, []) }
            let found = try database.all(service: service, groups: groups).filter {
                (account == nil || $0.key.account == account)
                    && (accessibility == nil || $0.accessibility == accessibility)
            }.prefix(limit)
            guard !found.isEmpty else { return (errSecItemNotFound, []) }
            var matches: [Match] = []
            for item in found {
                if let authentication {
                    guard item.isIntact else {
                        hooks.damaged(item.key)
                        return (errSecDecode, [])
                    }
                    let status = open(item, authentication)
                    guard status == errSecSuccess else { return (status, []) }
                }
                let value = authentication == nil ? nil : item.value
                matches.append(Match(key: item.key, accessibility: item.accessibility, value: value))
            }
            return (errSecSuccess, matches)
        }
    }

    /// Whether items of an accessibility are out of reach, because the device is locked.
    package func isClosed(_ accessibility: KeychainAccessibility) -> Bool {
        accessibility.needsUnlockedDevice && authentication?.security.state.isLocked == true
    }

    private func remove(service: String?, account: String?, accessGroup: String?) -> OSStatus {
        perform(.keychainDelete, service, account, failed: { $0 }) {
            guard let groups = groups(for: accessGroup) else { return errSecMissingEntitlement }
            try hooks.takeRoom(0)
            let deleted = try database.delete(service: service, account: account, groups: groups)
            deleted.forEach(hooks.deleted)
            return deleted.isEmpty ? errSecItemNotFound : errSecSuccess
        }
    }

    /// The groups a call works on; nil when the named one is not in the app's list.
    private func groups(for accessGroup: String?) -> [String]? {
        guard let accessGroup else { return accessGroups }
        return accessGroups.contains(accessGroup) ? [accessGroup] : nil
    }

    /// Asks the owner of the device if an item requires it; ``errSecSuccess`` if the value may be read.
    private func open(_ item: KeychainItem, _ authentication: KeychainAuthentication) -> OSStatus {
        if isClosed(item.accessibility) { return errSecInteractionNotAllowed }
        guard let policy = item.protection.policy else { return errSecSuccess }
        guard let service = self.authentication else { return errSecInteractionNotAllowed }
        // Another set than the enrolled one: the item's key is lost for good (sharing.md, section 21.4).
        if item.protection == .currentBiometricSet, item.enrolment != service.enrolment { return errSecItemNotFound }
        let context: AuthenticationContext
        switch authentication {
        case .forbidden: return errSecInteractionNotAllowed
        case .systemDialog: context = AuthenticationContext(service: service)
        case .context(let given): context = given
        }
        do throws(AuthenticationFailure) {
            _ = try service.authenticate(policy, in: context)
            return errSecSuccess
        } catch {
            return OSStatus(refusal: error)
        }
    }

    private func perform<T>(
        _ point: FaultPoint, _ service: String?, _ account: String? = nil, failed: (OSStatus) -> T,
        _ body: () throws -> T
    ) -> T {
        do {
            try hooks.pass(point) { [service, account].compactMap(\.self).joined(separator: "/") }
            hooks.touch(point != .keychainRead)
            // Every item is accessible after the first unlock only (sharing.md, section 12.3).
            if authentication?.security.state.isUnlockedSinceBoot == false {
                return failed(errSecInteractionNotAllowed)
            }
            return try body()
        } catch {
            hooks.failed(error)
            return failed((error as? DeviceDisk.Refusal)?.status ?? errSecIO)
        }
    }
}

extension DeviceDisk.Refusal {
    /// The keychain's status when the storage refuses a write.
    fileprivate var status: OSStatus {
        switch self {
        case .full: errSecDiskFull
        case .readOnly: errSecReadOnly
        }
    }
}

extension OSStatus {
    /// The keychain's status when the owner of the device was not confirmed (sharing.md, section 21.4).
    fileprivate init(refusal: AuthenticationFailure) {
        self =
            switch refusal {
            case .userCancel, .appCancel, .systemCancel, .userFallback: errSecUserCanceled
            case .notInteractive: errSecInteractionNotAllowed
            case .invalidContext: errSecInvalidContext
            case .authenticationFailed, .passcodeNotSet, .biometryNotAvailable, .biometryNotEnrolled, .biometryLockout:
                errSecAuthFailed
            }
    }
}

/// What a keychain reports to its environment; closures, so that the keychain needs no sandbox.
struct KeychainHooks: Sendable {
    /// Passes a fault point with the item that the call is about; throws what was armed there.
    var pass: @Sendable (FaultPoint, () -> String) throws -> Void = { _, _ in }
    /// Called before each access to the items, with whether it is a write.
    var touch: @Sendable (Bool) -> Void = { _ in }
    /// Reserves so many bytes of the storage; throws if it is full.
    var takeRoom: @Sendable (Int) throws -> Void = { _ in }
    /// An item was added or changed.
    var written: @Sendable (KeychainKey) -> Void = { _ in }
    /// An item was deleted.
    var deleted: @Sendable (KeychainKey) -> Void = { _ in }
    /// An item's bytes do not match their checksum.
    var damaged: @Sendable (KeychainKey) -> Void = { _ in }
    /// The database, or an armed fault, made a call fail.
    var failed: @Sendable (any Error) -> Void = { _ in }
}

extension KeychainHooks {
    /// Hooks that write to a trace; nil drops the events.
    static func tracing(
        _ trace: TraceWriter?, storage: AppStorage, touch: @escaping @Sendable (Bool) -> Void,
        pass: @escaping @Sendable (FaultPoint, () -> String) throws -> Void
    ) -> KeychainHooks {
        KeychainHooks(
            pass: pass, touch: touch, takeRoom: { bytes in try storage.takeRoom(bytes, for: "keychain") },
            written: { trace?.emit(.keychainWritten, $0.fields) },
            deleted: { trace?.emit(.keychainDeleted, $0.fields) },
            damaged: { trace?.emit(.keychainCorrupted, $0.fields) }, failed: { trace?.emitFailure("keychain", $0) })
    }
}

extension KeychainKey {
    /// The identity as fields of a trace event.
    fileprivate var fields: [String: JSONValue] {
        ["service": .string(service), "account": .string(account), "accessGroup": .string(accessGroup)]
    }
}
