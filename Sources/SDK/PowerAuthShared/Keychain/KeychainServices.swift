package import SimulatedDevice

/// The keychain services of an SDK object (sharing.md, section 12.2).
package struct KeychainServices: Sendable {
    /// The session state.
    package let status: PowerAuthKeychain
    /// The possession key, one for all SDK objects that use the service.
    package let possession: PowerAuthKeychain
    /// Biometry keys.
    package let biometry: PowerAuthKeychain
    /// Tokens.
    package let tokens: PowerAuthKeychain

    /// - Parameters:
    ///   - configuration: names of the services, and the access group.
    ///   - isShared: whether the activation is shared.
    ///   - system: the keychain of the device.
    package init(_ configuration: PowerAuthKeychainConfiguration, isShared: Bool, system: SystemKeychain) {
        func service(_ name: String, _ group: String?) -> PowerAuthKeychain {
            PowerAuthKeychain(identifier: name, accessGroup: group, system: system)
        }
        let group = configuration.keychainAttribute_AccessGroup
        status = service(configuration.keychainInstanceName_Status, group)
        possession = service(configuration.keychainInstanceName_Possession, group)
        // The access group protects the biometry key only when the activation is shared (sdk.md, section 5.4).
        biometry = service(configuration.keychainInstanceName_Biometry, isShared ? group : nil)
        tokens = service(configuration.keychainInstanceName_TokenStore, group)
    }

    var all: [PowerAuthKeychain] { [status, possession, biometry, tokens] }
}
