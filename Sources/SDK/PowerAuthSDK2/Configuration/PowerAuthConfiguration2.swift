// SPDX-License-Identifier: Apache-2.0

import PowerAuthPostQuantum
import PowerAuthProtocol
public import PowerAuthShared

/// The algorithms of new activations (protocol-4.md, section 1). An activation keeps the ones that it was made with.
public enum PowerAuthAlgorithm: String, Sendable, CaseIterable {
    /// P-256: activations of protocol 3 alone, as SDK 1.9 makes them. One of protocol 4 cannot be used.
    case LEGACY_P256
    /// P-384, without algorithms that resist quantum computers.
    case EC_P384
    /// P-384 with ML-KEM-768 and ML-DSA-65.
    case EC_P384_ML_L3
    /// P-384 with ML-KEM-1024 and ML-DSA-87.
    case EC_P384_ML_L5

    /// The suites of protocol 4 that an SDK object knows: first that of new activations, then those that an earlier
    /// activation may have.
    var suites: [CryptographySuite] {
        guard let own = CryptographySuite.Name(rawValue: rawValue) else { return [] }
        return ([own] + CryptographySuite.Name.allCases.filter { $0 != own }).map { .named($0) }
    }
}

/// The settings of one activation of the application.
///
/// Thread rule: one thread at a time; an SDK object keeps a deep copy.
public final class PowerAuthConfiguration {
    /// Name of the activation on the device, unique in the application; also the keychain account of its state and the
    /// address of its watch packets. Not empty.
    public let instanceId: String
    /// URL of the enrolment server, without a trailing path of an endpoint. Not empty.
    public let baseEndpointUrl: String
    /// Base64 text with application key, application secret and the master keys (protocol-4.md, section 5).
    public let configuration: String
    /// The algorithms of new activations. ``configuration`` must have their master keys.
    public var algorithm = PowerAuthAlgorithm.EC_P384_ML_L3
    /// Keychain account of the biometry key; ``instanceId`` when nil.
    public var keychainKey_Biometry: String!
    /// Digits of each component of an authentication code without a connection, from 4 to 8.
    public var offlineAuthenticationCodeComponentLength: UInt = 8
    /// Set it to share the activation with other applications of the vendor, of this SDK and of SDK 1.9.
    public var sharingConfiguration: PowerAuthSharingConfiguration?

    /// - Parameters:
    ///   - instanceId: name of the activation on the device.
    ///   - baseEndpointUrl: URL of the enrolment server.
    ///   - configuration: the text that the server shows for the mobile application.
    public init(instanceId: String, baseEndpointUrl: String, configuration: String) {
        self.instanceId = instanceId
        self.baseEndpointUrl = baseEndpointUrl
        self.configuration = configuration
    }

    /// True when an SDK object would accept the values, as far as they do not depend on the device.
    public func validate() -> Bool {
        guard (try? base.check()) != nil else { return false }
        guard let suite = algorithm.suites.first else { return true }
        return (try? SdkConfigurationV4(configuration).masterKeys(suite: suite)) != nil
    }

    /// A copy whose sharing configuration is a copy too.
    public func copy() -> PowerAuthConfiguration {
        let copy = PowerAuthConfiguration(
            instanceId: instanceId, baseEndpointUrl: baseEndpointUrl, configuration: configuration)
        copy.algorithm = algorithm
        copy.keychainKey_Biometry = keychainKey_Biometry
        copy.offlineAuthenticationCodeComponentLength = offlineAuthenticationCodeComponentLength
        copy.sharingConfiguration = sharingConfiguration?.copy()
        return copy
    }

    /// The values as the part in common with SDK 1.9 has them.
    var base: PowerAuthShared.PowerAuthConfiguration {
        let base = PowerAuthShared.PowerAuthConfiguration(
            instanceId: instanceId, baseEndpointUrl: baseEndpointUrl, configuration: configuration)
        base.keychainKey_Biometry = keychainKey_Biometry
        base.offlineSignatureComponentLength = offlineAuthenticationCodeComponentLength
        base.sharingConfiguration = sharingConfiguration?.copy()
        return base
    }
}

/// How the biometry factor is protected; wins over the same members of a keychain configuration.
///
/// Thread rule: one thread at a time; an SDK object keeps the values.
public final class PowerAuthBiometricConfiguration {
    /// Newly stored biometry keys die when the enrolled biometry changes.
    public var linkBiometricItemsToCurrentSet = false
    /// Newly stored biometry keys can be read with the device passcode too; wins over
    /// ``linkBiometricItemsToCurrentSet``.
    public var allowBiometricAuthenticationFallbackToDevicePasscode = false
    /// A local authentication context is invalidated once a key was read with it.
    public var invalidateLocalAuthenticationContextAfterUse = true

    /// A configuration with the default values.
    public init() {}

    /// A keychain configuration with these values.
    func applied(to keychain: PowerAuthKeychainConfiguration) -> PowerAuthKeychainConfiguration {
        let copy = keychain.copy()
        copy.linkBiometricItemsToCurrentSet = linkBiometricItemsToCurrentSet
        copy.allowBiometricAuthenticationFallbackToDevicePasscode = allowBiometricAuthenticationFallbackToDevicePasscode
        copy.invalidateLocalAuthenticationContextAfterUse = invalidateLocalAuthenticationContextAfterUse
        return copy
    }
}
