import PowerAuthProtocol
package import SimulatedDevice

/// Chooses and opens the session interface for a configuration (sharing.md, section 3.7, steps 5 and 6).
package enum SessionInterfaceFactory {
    /// Opens the interface: the shared one when the configuration has a sharing part, else the default one.
    ///
    /// - Parameters:
    ///   - session: the session, not loaded yet.
    ///   - configuration: the SDK's own copy, checked before. A missing shared memory identifier is filled in.
    ///   - services: the keychain services of the SDK object.
    ///   - installation: the check for a reinstallation, made before the state is loaded.
    ///   - sandbox: the device.
    package static func make(
        session: PowerAuthCoreSession, configuration: PowerAuthConfiguration, services: KeychainServices,
        installation: InstallationCheck, sandbox: Sandbox
    ) throws(InvalidConfiguration) -> any SessionInterface {
        if let group = services.status.accessGroup, !sandbox.identity.keychainAccessGroups.contains(group),
            !sandbox.keeps(.uncheckedEntitlement)
        {
            // Otherwise every store would fail later, with the activation lost at the next start (sharing.md, D23).
            throw .keychainAccessGroupNotEntitled(group)
        }
        let store = SessionStateStore(
            keychain: services.status, account: configuration.instanceId, records: installation.records)
        guard let sharing = configuration.sharingConfiguration else {
            return try DefaultSessionInterface(
                session: session, store: store, installation: installation, sandbox: sandbox)
        }
        if sharing.sharedMemoryIdentifier == nil {
            sharing.sharedMemoryIdentifier = SharedNames.computedMemoryIdentifier(
                instanceId: configuration.instanceId)
        }
        return try SharedSessionInterface(
            session: session, store: store, sharing: sharing, instanceId: configuration.instanceId,
            installation: installation, sandbox: sandbox)
    }
}
