// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
package import SimulatedDevice

/// The keychain item with the biometry key, kept in step with the factor in the session's state.
///
/// State and key are two items, and the process can die between any two writes. So a key is never written over the key
/// that is in force: it is kept beside it under a name that identifies its factor, until the state with the factor is
/// saved.
///
///     state        <account>    <account>.factor-<name of F2>
///     F1           K1                                           before
///     F1           K1           K2                              ``keep(_:for:)``
///     F2           K1           K2                              the task ends, the state is saved
///     F2                        K2                              ``putInPlace(_:of:)`` …
///     F2           K2           K2
///     F2           K2                                           the form that every version of the SDK reads
///
/// In every line the state determines which key is in force: the one beside if it has the name of the state's factor,
/// else the one in the account. No key has to be read to find out, which would ask the user. A process that died leaves
/// one of the lines; the next one continues from it, and puts the key in its place when it reads the key anyway.
///
/// Thread rule: any thread. Functions that take no session open a session task; reading may block while the user is asked
/// and therefore never belongs into a task (sharing.md, D6).
package final class BiometryKeyStore: Sendable {
    private static let infix = ".factor-"
    private static let nameLength = 32

    private let keychain: PowerAuthKeychain
    private let account: String
    private let access: PowerAuthKeychainItemAccess
    private let session: any SessionInterface
    private let sandbox: Sandbox

    /// - Parameters:
    ///   - keychain: the biometry service.
    ///   - account: where the key is when nothing is in between.
    ///   - access: what protects keys that are stored from now on.
    ///   - session: has the factor.
    ///   - sandbox: the device.
    package init(
        keychain: PowerAuthKeychain, account: String, access: PowerAuthKeychainItemAccess,
        session: any SessionInterface, sandbox: Sandbox
    ) {
        self.keychain = keychain
        self.account = account
        self.access = access
        self.session = session
        self.sandbox = sandbox
    }

    /// State and kind of the device's biometry.
    var deviceBiometry: PowerAuthBiometricAuthenticationInfo { keychain.deviceBiometry }

    // MARK: Which key is in force

    /// Whether the key of the session's factor is stored, without opening a dialog. Call inside a task.
    package func hasKey(of core: PowerAuthCoreSession) -> Bool {
        keychain.containsData(forKey: accountInForce(for: core.biometryFactorIdentity))
    }

    /// The account of the key in force. Without a key, the account in which it would be.
    private func accountInForce(for identity: BiometryFactorIdentity) -> String {
        let beside = accountsBeside()
        switch identity {
        case .none: return account
        case .named(let name): return beside.contains(self.account(beside: name)) ? self.account(beside: name) : account
        // Neither can sign now; only the presence of a key counts.
        case .hidden: return keychain.accounts().contains(account) ? account : beside.first ?? account
        }
    }

    private func accountInForce() -> (account: String, factor: BiometryFactorIdentity) {
        session.readTask { core in
            let factor = core.biometryFactorIdentity
            return (accountInForce(for: factor), factor)
        } ?? (account, .none)
    }

    private func account(beside name: String) -> String { account + Self.infix + name }

    /// The accounts beside the own one, including those that are no longer needed.
    private func accountsBeside() -> [String] {
        keychain.accounts().filter { $0 != account && Self.owner(of: $0) == account }
    }

    /// The account that a key belongs to, whether it is in it or kept beside it.
    static func owner(of account: String) -> String {
        guard account.utf8.count > infix.utf8.count + nameLength else { return account }
        let (owner, name) = (account.dropLast(infix.count + nameLength), account.suffix(nameLength))
        guard account.dropLast(nameLength).hasSuffix(infix), name.allSatisfy(\.isHexDigit) else { return account }
        return String(owner)
    }

    // MARK: Reading

    /// Reads the key in force.
    /// - Parameter dialog: how the user is asked; nil leaves the text to the system.
    /// - Returns: the keychain's answer, the key if it is ``errSecSuccess``, and the factor that it is the key of. Another
    ///   process may have replaced the factor while the user was asked.
    func read(
        _ dialog: PowerAuthKeychainAuthentication?
    ) -> (status: OSStatus, key: Data?, factor: BiometryFactorIdentity) {
        var inForce = accountInForce()
        var reading = read(inForce.account, dialog)
        if reading.status == errSecItemNotFound, inForce.account != account {
            // Another process has put the key in its place meanwhile; no dialog was opened yet.
            inForce = accountInForce()
            reading = read(inForce.account, dialog)
        }
        if let key = reading.key, inForce.account != account { putInPlace(key, of: inForce.factor) }
        return (reading.status, reading.key, inForce.factor)
    }

    private func read(_ account: String, _ dialog: PowerAuthKeychainAuthentication?) -> (status: OSStatus, key: Data?) {
        var status = errSecSuccess
        let key =
            if let dialog {
                keychain.data(forKey: account, status: &status, authentication: dialog)
            } else {
                keychain.data(forKey: account, status: &status)
            }
        return (status, key)
    }

    /// Reads every key of the service, by the accounts in which they are when nothing is in between.
    /// - Parameter dialog: how the user is asked.
    /// - Returns: the keychain's answer, and the keys if it is ``errSecSuccess``.
    func readAll(_ dialog: PowerAuthKeychainAuthentication) -> (status: OSStatus, keys: [String: Data]?) {
        let inForce = accountInForce()
        var status = errSecSuccess
        guard var keys = keychain.allValues(with: dialog, status: &status) else { return (status, nil) }
        if inForce.account != account, let key = keys[inForce.account] {
            keys[account] = key
            putInPlace(key, of: inForce.factor)
        }
        return (status, keys.filter { Self.owner(of: $0.key) == $0.key })
    }

    // MARK: Changes

    /// Keeps the key of a factor that the session has got in the open write task, until the state is saved.
    /// - Returns: false when it could not be stored, which the original does not notice (sdk.md, section 15, item 7).
    package func keep(_ key: Data, for core: PowerAuthCoreSession) -> Bool {
        guard case .named(let name) = core.biometryFactorIdentity else { return false }
        guard keychain.addValue(key, forKey: account(beside: name), access: access) == .ok else {
            guard sandbox.keeps(.lostBiometryKey) else { return false }
            keychain.deleteData(forKey: account)
            return true
        }
        try? sandbox.pass(.biometryKeyKept)
        return true
    }

    /// Brings a key that is kept beside, and in force, to the account where every version of the SDK looks for it. What
    /// cannot be done stays for the next time: the key beside is as good.
    /// - Parameters:
    ///   - key: the key.
    ///   - factor: the factor that it is the key of.
    package func putInPlace(_ key: Data, of factor: BiometryFactorIdentity) {
        session.readVoidTask { core in
            // Meanwhile another process may have done it, or have replaced the factor.
            guard case .named(let name) = factor, core.biometryFactorIdentity == factor,
                accountsBeside().contains(account(beside: name))
            else { return }
            keychain.deleteData(forKey: account)
            try? sandbox.pass(.biometryKeyDropped)
            guard keychain.addValue(key, forKey: account, access: access) == .ok else { return }
            try? sandbox.pass(.biometryKeyInPlace)
            removeKeysBeside()
        }
    }

    /// Stores the key of an activation that is persisted in the open write task, after ``removeAll()``. Until the
    /// task's end no state exists, and so no key is in force.
    /// - Returns: false when it could not be stored, which the original does not notice (sdk.md, section 15, item 7).
    package func storeFirst(_ key: Data) -> Bool {
        keychain.addValue(key, forKey: account, access: access) == .ok || sandbox.keeps(.lostBiometryKey)
    }

    /// Deletes every key of this instance. Call inside a write task, for a session without an activation.
    package func removeAll() {
        keychain.deleteData(forKey: account)
        removeKeysBeside()
    }

    /// Deletes the keys once the saved state has no factor; one that another process has added since stays.
    package func removeKeyOfRemovedFactor() {
        try? sandbox.pass(.biometryFactorRemoved)
        session.readVoidTask { core in
            if core.biometryFactorIdentity == .none { removeAll() }
        }
    }

    /// Removes the leftovers of a process that died while it replaced the factor, so that other versions of the SDK do
    /// not take an old key for the factor's. Without leftovers nothing is opened.
    package func removeLeftovers() {
        guard !accountsBeside().isEmpty else { return }
        session.readVoidTask { core in
            switch core.biometryFactorIdentity {
            case .none:
                // A state that this version cannot read looks like none, and may need its key again.
                if core.hasValidActivation { removeAll() }
            case .named(let name):
                let accounts = keychain.accounts()
                if accounts.contains(account(beside: name)) {
                    keychain.deleteData(forKey: account)
                    removeKeysBeside(except: name)
                } else if accounts.contains(account) {
                    removeKeysBeside()
                }
            case .hidden: return
            }
        }
    }

    private func removeKeysBeside(except name: String? = nil) {
        for beside in accountsBeside() where name.map({ beside != account(beside: $0) }) ?? true {
            keychain.deleteData(forKey: beside)
        }
    }
}
