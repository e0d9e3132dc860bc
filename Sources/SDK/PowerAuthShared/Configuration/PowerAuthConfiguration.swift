// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol

/// The settings of one activation of the application (sdk.md, section 5.1).
///
/// Thread rule: one thread at a time; an SDK object keeps a deep copy.
public final class PowerAuthConfiguration {
    /// Name of the activation on the device, unique in the application; also the keychain account of its
    /// state and the address of its watch packets. Not empty. Set it only in the style of 1.7.
    public var instanceId: String
    /// URL of the enrolment server, without a trailing path of an endpoint. Not empty. Set it only in the style of 1.7.
    public var baseEndpointUrl: String
    /// Base64 text with application key, application secret and master server public key.
    public internal(set) var configuration: String
    /// The parts of ``configuration`` while they are set one by one, in the style of 1.7.
    var separateKeys: SeparateKeys?
    /// Keychain account of the biometry key; ``instanceId`` when nil.
    public var keychainKey_Biometry: String!
    /// Key of 16 bytes that additionally protects the knowledge and biometry factors.
    public var externalEncryptionKey: Data?
    /// Keeps an activation of an older protocol as it is.
    public var disableAutomaticProtocolUpgrade = false
    /// Digits of each component of an offline signature, from 4 to 8.
    public var offlineSignatureComponentLength: UInt = 8
    /// Set it to share the activation with other applications of the vendor.
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

    /// True when an SDK object would accept the values; see ``validateConfiguration()``.
    public func validate() -> Bool { validateConfiguration() }
    /// The Objective-C name of ``validate()``, kept for callers from 1.7.
    public func validateConfiguration() -> Bool { (try? check()) != nil }

    /// A copy whose sharing configuration is a copy too.
    public func copy() -> PowerAuthConfiguration {
        let copy = PowerAuthConfiguration(
            instanceId: instanceId, baseEndpointUrl: baseEndpointUrl, configuration: configuration)
        copy.separateKeys = separateKeys
        copy.keychainKey_Biometry = keychainKey_Biometry
        copy.externalEncryptionKey = externalEncryptionKey
        copy.disableAutomaticProtocolUpgrade = disableAutomaticProtocolUpgrade
        copy.offlineSignatureComponentLength = offlineSignatureComponentLength
        copy.sharingConfiguration = sharingConfiguration?.copy()
        return copy
    }

    /// Checks every rule that does not need the device, and names the first one that is broken.
    /// - Parameter readsConfigurationString: false for the Extensions and watch SDKs, which do not use it.
    package func check(readsConfigurationString: Bool = true) throws(InvalidConfiguration) {
        if instanceId.isEmpty { throw .instanceIdEmpty }
        if baseEndpointUrl.isEmpty { throw .baseEndpointUrlEmpty }
        if !(4...8).contains(offlineSignatureComponentLength) {
            throw .offlineSignatureComponentLength(actual: Int(clamping: offlineSignatureComponentLength))
        }
        if let key = externalEncryptionKey, !key.isEmpty, key.count != 16 {
            throw .externalEncryptionKeyLength(actual: key.count)
        }
        try sharingConfiguration?.check()
        if readsConfigurationString {
            do {
                _ = try MobileSdkConfiguration(configuration)
            } catch {
                throw .configurationString(reason: String(describing: error))
            }
        }
    }
}

/// Default service name of the session state (sharing.md, section 12.1).
public let PowerAuthKeychain_Status = "io.getlime.PowerAuthKeychain.StatusKeychain"
/// Default service name of the possession key.
public let PowerAuthKeychain_Possession = "io.getlime.PowerAuthKeychain.PossessionKeychain"
/// Default service name of the biometry key.
public let PowerAuthKeychain_Biometry = "io.getlime.PowerAuthKeychain.BiometryKeychain"
/// Default service name of the token store.
public let PowerAuthKeychain_TokenStore = "io.getlime.PowerAuthKeychain.TokenStore"
/// Default account of the possession key.
public let PowerAuthKeychainKey_Possession = "PA2KeychainKey_Possession"
/// Name of the Boolean in the user defaults that distinguishes a fresh installation from a restart.
public let PowerAuthKeychain_Initialized = "io.getlime.PowerAuthKeychain.Initialized"

/// Where the SDK keeps its data (sharing.md, section 12.1).
///
/// Thread rule: one thread at a time; an SDK object keeps a copy.
public final class PowerAuthKeychainConfiguration {
    /// Keychain access group of the status, possession and token services; nil for the application's default
    /// group. The biometry service uses it only together with activation sharing.
    public var keychainAttribute_AccessGroup: String?
    /// Defaults suite of the installation flag; nil for the standard defaults.
    public var keychainAttribute_UserDefaultsSuiteName: String?
    /// Service name of the session state.
    public var keychainInstanceName_Status = PowerAuthKeychain_Status
    /// Service name of the possession key.
    public var keychainInstanceName_Possession = PowerAuthKeychain_Possession
    /// Service name of the biometry key.
    public var keychainInstanceName_Biometry = PowerAuthKeychain_Biometry
    /// Service name of the token store.
    public var keychainInstanceName_TokenStore = PowerAuthKeychain_TokenStore
    /// Account of the possession key.
    public var keychainKey_Possession = PowerAuthKeychainKey_Possession
    /// Newly stored biometry keys die when the enrolled biometry changes.
    public var linkBiometricItemsToCurrentSet = false
    /// Newly stored biometry keys can be read with the device passcode too; wins over
    /// ``linkBiometricItemsToCurrentSet``.
    public var allowBiometricAuthenticationFallbackToDevicePasscode = false
    /// A local authentication context is invalidated once a key was read with it.
    public var invalidateLocalAuthenticationContextAfterUse = true

    /// A configuration with the default values.
    public init() {}

    // Written through by the application before it creates SDK objects, as documented for the vendor's
    // SDK; the reference itself never changes.
    nonisolated(unsafe) private static let shared = PowerAuthKeychainConfiguration()

    /// The process-wide default configuration. An SDK object copies it when it is created.
    public static func sharedInstance() -> PowerAuthKeychainConfiguration { shared }

    /// A copy with the same values.
    public func copy() -> PowerAuthKeychainConfiguration {
        let copy = PowerAuthKeychainConfiguration()
        copy.keychainAttribute_AccessGroup = keychainAttribute_AccessGroup
        copy.keychainAttribute_UserDefaultsSuiteName = keychainAttribute_UserDefaultsSuiteName
        copy.keychainInstanceName_Status = keychainInstanceName_Status
        copy.keychainInstanceName_Possession = keychainInstanceName_Possession
        copy.keychainInstanceName_Biometry = keychainInstanceName_Biometry
        copy.keychainInstanceName_TokenStore = keychainInstanceName_TokenStore
        copy.keychainKey_Possession = keychainKey_Possession
        copy.linkBiometricItemsToCurrentSet = linkBiometricItemsToCurrentSet
        copy.allowBiometricAuthenticationFallbackToDevicePasscode = allowBiometricAuthenticationFallbackToDevicePasscode
        copy.invalidateLocalAuthenticationContextAfterUse = invalidateLocalAuthenticationContextAfterUse
        return copy
    }

    /// Applies the effects of a sharing configuration (sharing.md, section 3.6).
    package func apply(_ sharing: PowerAuthSharingConfiguration) {
        keychainAttribute_UserDefaultsSuiteName = sharing.appGroup
        keychainAttribute_AccessGroup = sharing.keychainAccessGroup
    }

    /// The protection of a biometry key that is stored now.
    package var biometricItemAccess: PowerAuthKeychainItemAccess {
        if allowBiometricAuthenticationFallbackToDevicePasscode { return .anyBiometricSetOrDevicePasscode }
        return linkBiometricItemsToCurrentSet ? .currentBiometricSet : .anyBiometricSet
    }
}

/// How the applications of a vendor share one activation (sharing.md, section 3).
///
/// Thread rule: one thread at a time; an SDK object works on its own copy.
public final class PowerAuthSharingConfiguration {
    /// The app group whose container holds the lock files. At most 26 UTF-8 bytes when
    /// ``sharedMemoryIdentifier`` is computed, 30 minus its length otherwise.
    public let appGroup: String
    /// Name of this application among those that share; 1 to 127 UTF-8 bytes, different in each of them.
    public let appIdentifier: String
    /// Keychain access group, with the team prefix, that all of them are entitled to.
    public let keychainAccessGroup: String
    /// Last part of the name of the shared memory: 1 to 4 of the characters `A-Z a-z 0-9 - +`. Computed from
    /// the instance identifier when nil. All applications that share must agree on it.
    public var sharedMemoryIdentifier: String?

    /// - Parameters:
    ///   - appGroup: the app group identifier.
    ///   - appIdentifier: the name of this application.
    ///   - keychainAccessGroup: the shared keychain access group.
    public init(appGroup: String, appIdentifier: String, keychainAccessGroup: String) {
        self.appGroup = appGroup
        self.appIdentifier = appIdentifier
        self.keychainAccessGroup = keychainAccessGroup
    }

    /// True when the values obey the limits that do not depend on the instance identifier (sharing.md, section 3.2).
    public func validate() -> Bool { validateConfiguration() }
    /// The Objective-C name of ``validate()``.
    public func validateConfiguration() -> Bool { (try? check()) != nil }

    /// A copy with the same values.
    public func copy() -> PowerAuthSharingConfiguration {
        let copy = PowerAuthSharingConfiguration(
            appGroup: appGroup, appIdentifier: appIdentifier, keychainAccessGroup: keychainAccessGroup)
        copy.sharedMemoryIdentifier = sharedMemoryIdentifier
        return copy
    }

    /// Checks the limits and names the first one that is broken.
    ///
    /// The length of the memory's name is checked here although the original leaves it to the kernel
    /// (sharing.md, D10): a computed identifier always has 4 bytes, so the name's length is known.
    package func check() throws(InvalidConfiguration) {
        if appGroup.isEmpty { throw .appGroupEmpty }
        if appIdentifier.isEmpty { throw .applicationIdentifierEmpty }
        let identifierBytes = appIdentifier.utf8.count
        if identifierBytes > SharedData.applicationIdentifierLimit {
            throw .applicationIdentifierTooLong(limit: SharedData.applicationIdentifierLimit, actual: identifierBytes)
        }
        if let identifier = sharedMemoryIdentifier, !SharedNames.isValidMemoryIdentifier(identifier) {
            throw .sharedMemoryIdentifierInvalid(identifier)
        }
        let memoryIdentifierBytes = sharedMemoryIdentifier?.utf8.count ?? SharedNames.computedIdentifierLength
        let nameBytes = appGroup.utf8.count + 1 + memoryIdentifierBytes
        if nameBytes > SharedNames.memoryNameLimit {
            throw .sharedMemoryNameTooLong(limit: SharedNames.memoryNameLimit, actual: nameBytes)
        }
    }
}
