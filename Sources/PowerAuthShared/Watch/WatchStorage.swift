package import Foundation
package import SimulatedDevice

/// What a watch keeps about the phone's activations and tokens (watch.md, section 6.3).
///
/// One lock orders the packets that arrive with the lookups of the application, so that a lookup never deletes a
/// token that has just been stored (watch.md, section 13, item 7). Thread rule: any thread.
package final class WatchStorage: TokenStoreLock, @unchecked Sendable {
    // Safe: the keychains are immutable; `lock` orders what belongs together.

    private let lock = NSRecursiveLock()
    private let status: PowerAuthKeychain
    private let tokens: PowerAuthKeychain
    private let sandbox: Sandbox

    /// - Parameters:
    ///   - configuration: names of the keychain services; access groups play no part on a watch.
    ///   - sandbox: the device.
    package init(configuration: PowerAuthKeychainConfiguration, sandbox: Sandbox) {
        self.sandbox = sandbox
        status = PowerAuthKeychain(
            identifier: configuration.keychainInstanceName_Status, accessGroup: nil, system: sandbox.keychain)
        tokens = PowerAuthKeychain(
            identifier: configuration.keychainInstanceName_TokenStore, accessGroup: nil, system: sandbox.keychain)
    }

    /// The storage of the process, with the service names of the shared keychain configuration.
    package static let shared = WatchStorage(configuration: .sharedInstance(), sandbox: .current)

    /// The token records of an instance.
    package func records(_ instanceId: String) -> TokenRecordStore {
        TokenRecordStore(keychain: tokens, instanceId: instanceId, sandbox: sandbox)
    }

    /// Identifier of the phone's activation; nil when there is none or none is known.
    package func activationId(_ instanceId: String) -> String? {
        guard let data = status.data(forKey: instanceId), let text = String(data: data, encoding: .utf8) else {
            return nil
        }
        return text.isEmpty ? nil : text
    }

    /// Takes over the phone's activation. Tokens go with an activation that ended, in the same step; the original
    /// looks for them in the wrong place and keeps them (watch.md, section 6.2 and section 13, item 1).
    ///
    /// - Returns: false when the keychain refused.
    @discardableResult
    package func update(activationId new: String?, of instanceId: String) -> Bool {
        guard !instanceId.isEmpty else {
            PowerAuthLog.write("Watch: a status without an instance identifier was ignored.")
            return true
        }
        lock.lock()
        defer { lock.unlock() }
        let stored = activationId(instanceId)
        if let new, stored == nil || stored == new {
            return stored == new || status.set(Data(new.utf8), forKey: instanceId) == errSecSuccess
        }
        records(instanceId).removeAll()
        guard let new else {
            status.deleteData(forKey: instanceId)
            return true
        }
        return status.set(Data(new.utf8), forKey: instanceId) == errSecSuccess
    }

    /// Stores a received record as it is.
    ///
    /// - Returns: false when the keychain refused.
    package func storeToken(_ data: Data, named name: String, of instanceId: String) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return records(instanceId).store(data, named: name)
    }

    /// Removes a record; nothing happens when there is none.
    package func removeToken(named name: String, of instanceId: String) {
        lock.lock()
        defer { lock.unlock() }
        records(instanceId).remove(named: name)
    }

    /// Always false: a watch caches nothing.
    package func lockTokenStore() -> Bool {
        lock.lock()
        return false
    }

    package func tokenStoreWillChange() {}

    package func unlockTokenStore() { lock.unlock() }
}
