package import SimulatedDevice

/// Removes what an earlier installation left in the keychain (sharing.md, section 14).
///
/// The platform keeps keychain items when an application is deleted, but not its preferences. So a missing flag in
/// the preferences means a fresh installation.
package struct InstallationCheck: Sendable {
    let keychains: [PowerAuthKeychain]
    let suiteName: String?
    let sandbox: Sandbox

    /// - Parameters:
    ///   - keychains: the services of status, possession, biometry and tokens.
    ///   - suiteName: the preferences with the flag; nil for the standard ones.
    ///   - sandbox: the device.
    package init(keychains: [PowerAuthKeychain], suiteName: String?, sandbox: Sandbox) {
        self.keychains = keychains
        self.suiteName = suiteName
        self.sandbox = sandbox
    }

    /// Wipes the services and sets the flag, unless it is set.
    ///
    /// Only the access groups that the SDK object uses are wiped. The original deletes from every group that the
    /// process may use, so that a fresh application of the vendor destroys the activations of the others
    /// (sharing.md, D9).
    func run() {
        guard let defaults = sandbox.defaults(suite: suiteName) else {
            PowerAuthLog.criticalWarning(
                "The preferences '\(suiteName ?? "")' do not exist, so a reinstallation cannot be recognised.")
            return
        }
        guard !defaults.bool(forKey: PowerAuthKeychain_Initialized) else { return }
        try? sandbox.pass(.wipeBegun)
        for keychain in keychains {
            let group = keychain.accessGroup ?? sandbox.identity.keychainAccessGroups.first
            keychain.system.deleteAll(service: keychain.identifier, accessGroup: group)
        }
        try? sandbox.pass(.wipeDone)
        defaults.set(true, forKey: PowerAuthKeychain_Initialized)
        defaults.synchronize()
        try? sandbox.pass(.wipeFlagWritten)
        PowerAuthLog.write("Fresh installation: the keychain services of the SDK were emptied.")
    }
}
