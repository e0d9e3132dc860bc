import PowerAuthShared
import SimulatedDevice

/// What an SDK object makes of its keychain configuration, with the default names of the services.
struct Installed {
    let services: KeychainServices
    let check: InstallationCheck
    let store: SessionStateStore

    init(
        in sandbox: Sandbox, instanceId: String, accessGroup: String? = nil, suiteName: String? = nil,
        isShared: Bool = false
    ) {
        let configuration = PowerAuthKeychainConfiguration()
        configuration.keychainAttribute_AccessGroup = accessGroup
        services = KeychainServices(configuration, isShared: isShared, system: sandbox.keychain)
        check = InstallationCheck(
            services: services, instanceId: instanceId, suiteName: suiteName, sandbox: sandbox)
        store = SessionStateStore(keychain: services.status, account: instanceId, records: check.records)
    }

    /// A session without sharing.
    func session(in sandbox: Sandbox) throws(InvalidConfiguration) -> DefaultSessionInterface {
        try DefaultSessionInterface(
            session: SharingApp.newSession(), store: store, installation: check, sandbox: sandbox)
    }
}
