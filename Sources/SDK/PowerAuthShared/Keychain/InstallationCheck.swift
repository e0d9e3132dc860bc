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
    ///
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
        defer { try? lock.unlock() }
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
