// SPDX-License-Identifier: Apache-2.0

public import LocalAuthentication
package import SimulatedDevice

/// Outcome of storing an item (sdk.md, section 5.5).
public enum PowerAuthKeychainStoreItemResult: Int, Sendable {
    /// The item was stored.
    case ok = 0
    /// The item needs biometry and the device has no usable one.
    case biometryNotAvailable = 1
    /// An item with the same key exists.
    case duplicate = 2
    /// There is no item to update.
    case notFound = 3
    /// The keychain refused for another reason.
    case other = 4
}

/// What protects the reading of an item (sdk.md, section 5.5).
public enum PowerAuthKeychainItemAccess: Int, Sendable {
    /// Nothing besides the unlocked device.
    case none = 0
    /// Biometry as enrolled when the item was stored.
    case currentBiometricSet = 1
    /// Biometry, with any enrolment.
    case anyBiometricSet = 2
    /// Biometry or the device passcode.
    case anyBiometricSetOrDevicePasscode = 3
}

/// Kinds of biometry (sdk.md, section 5.5).
public enum PowerAuthBiometricAuthenticationType: Int, Sendable {
    /// No biometry.
    case none = 0
    /// Fingerprint, and any hardware that is not known.
    case touchID = 1
    /// Face recognition.
    case faceID = 2
}

/// Whether biometry can be used now (sdk.md, section 5.5).
public enum PowerAuthBiometricAuthenticationStatus: Int, Sendable {
    /// The device has no biometry.
    case notSupported = 0
    /// The device has biometry that cannot be used at the moment.
    case notAvailable = 1
    /// The user has not enrolled.
    case notEnrolled = 2
    /// Too many failed attempts; the passcode must be entered first.
    case lockout = 3
    /// Ready to use.
    case available = 4
}

/// State and kind of the device's biometry.
public struct PowerAuthBiometricAuthenticationInfo: Sendable, Equatable {
    /// Whether biometry can be used now.
    public let currentStatus: PowerAuthBiometricAuthenticationStatus
    /// The kind of biometry.
    public let biometryType: PowerAuthBiometricAuthenticationType
}

extension PowerAuthKeychainItemAccess {
    /// The protection that the device's keychain gives.
    var protection: KeychainProtection {
        switch self {
        case .none: .none
        case .currentBiometricSet: .currentBiometricSet
        case .anyBiometricSet: .anyBiometricSet
        case .anyBiometricSetOrDevicePasscode: .anyBiometricSetOrDevicePasscode
        }
    }
}

/// How the owner of the device is asked when a protected item is read (sdk.md, section 5.5).
///
/// Immutable. Thread rule: any thread.
public final class PowerAuthKeychainAuthentication: Sendable {
    /// Text of the dialog, or nil.
    public let prompt: String?
    /// A conversation of the application, or nil; wins over the prompt.
    public let context: LAContext?

    /// - Parameter prompt: text of the dialog.
    public convenience init(prompt: String) { self.init(prompt: prompt, context: nil) }
    /// - Parameter context: a conversation of the application, which may have been confirmed already.
    public convenience init(context: LAContext) { self.init(prompt: nil, context: context) }

    package init(prompt: String?, context: LAContext?) {
        self.prompt = prompt
        self.context = context
    }

    /// The conversation to read with; nil when there is neither text nor context, or no dialog may open.
    /// - Parameter service: the service of the app, for a conversation with the given text.
    func conversation(_ service: AuthenticationService?) -> LAContext? {
        if let context { return context.interactionNotAllowed ? nil : context }
        return prompt.map { LAContext(service: service, prompt: $0) }
    }
}

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
