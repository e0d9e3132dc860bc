// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import LocalAuthentication
public import SimulatedDevice

/// The generic passwords of one keychain service (sdk.md, section 5.5, and sharing.md, section 12.4).
///
/// Thread rule: any thread. A call may wait for another process, so never make it on the concurrency
/// runtime's cooperative pool.
public final class PowerAuthKeychain: Sendable {
    /// The keychain service.
    public let identifier: String
    /// Access group of the items; nil for the application's default group.
    public let accessGroup: String?

    let system: SystemKeychain

    /// - Parameter identifier: the keychain service.
    public convenience init(identifier: String) { self.init(identifier: identifier, accessGroup: nil) }

    /// - Parameters:
    ///   - identifier: the keychain service.
    ///   - accessGroup: access group of the items; nil for the application's default group.
    public convenience init(identifier: String, accessGroup: String?) {
        self.init(identifier: identifier, accessGroup: accessGroup, system: Sandbox.current.keychain)
    }

    /// - Parameters:
    ///   - identifier: the keychain service.
    ///   - accessGroup: access group of the items; nil for the application's default group.
    ///   - system: the keychain of the device.
    package init(identifier: String, accessGroup: String?, system: SystemKeychain) {
        self.identifier = identifier
        self.accessGroup = accessGroup
        self.system = system
    }

    /// Stores a new item.
    /// - Parameters:
    ///   - data: the value.
    ///   - key: the account.
    ///   - access: what protects its reading.
    @discardableResult
    public func addValue(
        _ data: Data, forKey key: String, access: PowerAuthKeychainItemAccess = .none
    ) -> PowerAuthKeychainStoreItemResult {
        if containsData(forKey: key) { return .duplicate }
        if access != .none && deviceBiometry.currentStatus != .available { return .biometryNotAvailable }
        let written = system.add(
            data, service: identifier, account: key, accessGroup: accessGroup, protection: access.protection)
        switch written.status {
        case errSecSuccess: return .ok
        case errSecDuplicateItem: return .duplicate
        default: return .other
        }
    }

    /// Replaces the value of an existing item.
    /// - Parameters:
    ///   - data: the value.
    ///   - key: the account.
    @discardableResult
    public func updateValue(_ data: Data, forKey key: String) -> PowerAuthKeychainStoreItemResult {
        switch system.update(data, service: identifier, account: key, accessGroup: accessGroup).status {
        case errSecSuccess: .ok
        case errSecItemNotFound: .notFound
        default: .other
        }
    }

    /// Deletes an item.
    /// - Parameter key: the account.
    /// - Returns: false when nothing was deleted.
    @discardableResult
    public func deleteData(forKey key: String) -> Bool {
        system.delete(service: identifier, account: key, accessGroup: accessGroup) == errSecSuccess
    }

    /// Deletes all items of the service, in every access group that the process may use.
    public func deleteAllData() { system.deleteAll(service: identifier) }

    /// Deletes everything in the keychain that the process may use.
    public static func deleteAllData() { Sandbox.current.keychain.deleteEverything() }

    /// The value of an item, or nil.
    /// - Parameters:
    ///   - key: the account.
    ///   - status: takes the system's status code when given.
    public func data(forKey key: String, status: UnsafeMutablePointer<OSStatus>? = nil) -> Data? {
        let reading = system.read(service: identifier, account: key, accessGroup: accessGroup)
        status?.pointee = reading.status
        return reading.value
    }

    /// The value of an item, or nil. Blocks the thread while the owner of the device is asked.
    /// - Parameters:
    ///   - key: the account.
    ///   - status: takes the system's status code when given; ``errSecInvalidContext``, without a dialog, for an
    ///     authentication that has neither text nor context, or whose context allows no dialog.
    ///   - authentication: how the owner is asked.
    public func data(
        forKey key: String, status: UnsafeMutablePointer<OSStatus>? = nil,
        authentication: PowerAuthKeychainAuthentication
    ) -> Data? {
        guard let context = authentication.conversation(system.authentication) else {
            status?.pointee = errSecInvalidContext
            return nil
        }
        let reading = system.read(
            service: identifier, account: key, accessGroup: accessGroup, authentication: .context(context.conversation))
        status?.pointee = reading.status
        return reading.value
    }

    /// True when an item may exist: false only for the statuses that say that it does not, so that a protected
    /// item counts as present (sharing.md, section 12.4).
    /// - Parameter key: the account.
    public func containsData(forKey key: String) -> Bool {
        let reading = system.read(
            service: identifier, account: key, accessGroup: accessGroup, authentication: .forbidden)
        switch reading.status {
        case errSecItemNotFound, errSecUnimplemented, errSecParam, errSecUserCanceled, errSecBadReq,
            errSecNotAvailable, errSecDecode:
            return false
        default: return true
        }
    }

    /// Account and value of every item of the service; nil on any failure and without items.
    public func allItems() -> [AnyHashable: Any]? { system.items(service: identifier, accessGroup: accessGroup).values }

    /// Account and value of every item of the service; nil on any failure and without items. Blocks the thread while
    /// the owner of the device is asked.
    /// - Parameters:
    ///   - authentication: how the owner is asked.
    ///   - status: takes the system's status code when given; see ``data(forKey:status:authentication:)``.
    public func allItems(
        with authentication: PowerAuthKeychainAuthentication, withStatus status: UnsafeMutablePointer<OSStatus>? = nil
    ) -> [AnyHashable: Any]? {
        allValues(with: authentication, status: status)
    }

    /// As ``allItems(with:withStatus:)`` with the types of the values.
    package func allValues(
        with authentication: PowerAuthKeychainAuthentication, status: UnsafeMutablePointer<OSStatus>? = nil
    ) -> [String: Data]? {
        guard let context = authentication.conversation(system.authentication) else {
            status?.pointee = errSecInvalidContext
            return nil
        }
        let items = system.items(
            service: identifier, accessGroup: accessGroup, authentication: .context(context.conversation))
        status?.pointee = items.status
        return items.values
    }

    /// Whether the items can be listed; false before the first unlock of the device, and while reading fails.
    var isReadable: Bool {
        [errSecSuccess, errSecItemNotFound].contains(
            system.accounts(service: identifier, accessGroup: accessGroup).status)
    }

    /// As ``allItems()`` with the types of the values.
    package func allValues() -> [String: Data] {
        system.items(service: identifier, accessGroup: accessGroup).values ?? [:]
    }

    /// The accounts of the service's items, protected ones included, without a dialog. Empty on any failure.
    func accounts() -> [String] { system.accounts(service: identifier, accessGroup: accessGroup).accounts ?? [] }

    /// Stores an item whether it exists or not.
    /// - Returns: ``errSecSuccess`` or the reason why nothing was stored.
    package func set(_ data: Data, forKey key: String) -> OSStatus {
        let status = system.update(data, service: identifier, account: key, accessGroup: accessGroup).status
        guard status == errSecItemNotFound else { return status }
        return system.add(data, service: identifier, account: key, accessGroup: accessGroup).status
    }
}

/// What biometry the device has, and one request at a time (sdk.md, section 5.5).
extension PowerAuthKeychain {
    /// State and kind of the device's biometry.
    public static var biometricAuthenticationInfo: PowerAuthBiometricAuthenticationInfo {
        PowerAuthBiometricAuthenticationInfo(LAContext())
    }

    /// True when biometry can be used now.
    public static var canUseBiometricAuthentication: Bool { biometricAuthenticationInfo.currentStatus == .available }

    /// The kind of biometry, `.none` unless it can be used now.
    public static var supportedBiometricAuthentication: PowerAuthBiometricAuthenticationType {
        let info = biometricAuthenticationInfo
        return info.currentStatus == .available ? info.biometryType : .none
    }

    /// Runs `block` unless another biometric request of the process is running.
    /// - Parameter block: called on the calling thread, before the function returns.
    /// - Returns: false when the block was not run, as always on a platform without local authentication.
    @discardableResult
    public static func tryLockBiometryAndExecute(_ block: () -> Void) -> Bool {
        guard let service = Sandbox.currentIfEntered?.authentication, service.sensor != nil else { return false }
        return service.exclusively(block) != nil
    }

    /// State and kind of the biometry of the device whose keychain this is.
    var deviceBiometry: PowerAuthBiometricAuthenticationInfo {
        PowerAuthBiometricAuthenticationInfo(LAContext(service: system.authentication))
    }
}

extension PowerAuthBiometricAuthenticationInfo {
    /// The biometry that a dialog on the device would use (sharing.md, section 12.5).
    package init(_ context: LAContext) {
        let type: PowerAuthBiometricAuthenticationType =
            switch context.biometryType {
            case .none: .none
            case .touchID: .touchID
            case .faceID: .faceID
            }
        let status: PowerAuthBiometricAuthenticationStatus =
            switch context.obstacle(to: .deviceOwnerAuthenticationWithBiometrics) {
            case nil: .available
            case _ where type == .none: .notSupported
            case .biometryLockout: .lockout
            case .biometryNotEnrolled: .notEnrolled
            default: .notAvailable
            }
        self.init(currentStatus: status, biometryType: type)
    }
}
