import Foundation

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
        copy.allowBiometricAuthenticationFallbackToDevicePasscode =
            allowBiometricAuthenticationFallbackToDevicePasscode
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
