public import LabKit
public import PowerAuthShared

extension PowerAuthConfiguration {
    /// The configuration that a topology gives to an app; what it leaves open comes from the lab's own server.
    ///
    /// - Parameters:
    ///   - spec: the app's part of the topology.
    ///   - server: where the lab's server listens; asked only when the topology leaves something open.
    public convenience init(_ spec: PowerAuthSpec, server: () throws -> ServerReady) throws {
        try self.init(
            instanceId: spec.instanceId,
            baseEndpointUrl: spec.baseEndpointUrl ?? server().enrollmentURL,
            configuration: spec.configuration ?? server().configuration)
        sharingConfiguration = spec.sharing.map { sharing in
            let configuration = PowerAuthSharingConfiguration(
                appGroup: sharing.appGroup, appIdentifier: sharing.appIdentifier,
                keychainAccessGroup: sharing.keychainAccessGroup)
            configuration.sharedMemoryIdentifier = sharing.sharedMemoryIdentifier
            return configuration
        }
    }
}

extension PowerAuthKeychainConfiguration {
    /// The keychain settings that a topology gives to an app.
    public convenience init(_ spec: PowerAuthSpec) {
        self.init()
        keychainAttribute_AccessGroup = spec.keychainAccessGroup
        keychainAttribute_UserDefaultsSuiteName = spec.userDefaultsSuiteName
        linkBiometricItemsToCurrentSet = spec.biometryKey == .currentSet
        allowBiometricAuthenticationFallbackToDevicePasscode = spec.biometryKey == .anySetOrPasscode
    }
}

extension PowerAuthClientConfiguration {
    /// The settings of the HTTP client that a topology gives to an app.
    public convenience init(_ spec: PowerAuthSpec) {
        self.init()
        if let timeout = spec.requestTimeout { defaultRequestTimeout = timeout.seconds }
        switch spec.sslValidation {
        case .system: break
        case .noValidation: sslValidationStrategy = PowerAuthClientSslNoValidationStrategy()
        }
    }
}
