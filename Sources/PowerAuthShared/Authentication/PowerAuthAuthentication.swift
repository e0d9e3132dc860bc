public import Foundation

/// The factors of one signature, or of a new activation (sdk.md, section 5.18).
///
/// Immutable. The password object is shared with the caller: do not clear it before the operation ends.
public final class PowerAuthAuthentication: @unchecked Sendable {
    // Safe to share: all properties are constants; the password guards its own bytes.

    /// What the object was made for.
    package enum Usage: Sendable {
        /// Persisting a new activation.
        case persist
        /// Signing, and everything that signs.
        case sign
    }

    package let usage: Usage
    /// True for every object that the factories make: possession is part of every signature.
    public let usePossession: Bool
    /// True when the biometry factor takes part.
    public let useBiometry: Bool
    /// The knowledge factor, or nil.
    public let password: PowerAuthCorePassword?
    /// Text of the biometric dialog, or nil.
    public let biometryPrompt: String?
    /// Key of 16 bytes that replaces the possession key of the device.
    public let overridenPossessionKey: Data?
    /// Key of 16 bytes that replaces the stored biometry key; no dialog opens.
    public let overridenBiometryKey: Data?

    init(
        usage: Usage,
        password: PowerAuthCorePassword? = nil,
        useBiometry: Bool = false,
        biometryPrompt: String? = nil,
        customPossessionKey: Data? = nil,
        customBiometryKey: Data? = nil
    ) {
        self.usage = usage
        usePossession = true
        self.useBiometry = useBiometry
        self.password = password
        self.biometryPrompt = biometryPrompt
        overridenPossessionKey = customPossessionKey
        overridenBiometryKey = customBiometryKey
    }

    /// The mask stored with tokens: possession 1, knowledge 2, biometry 4 (sharing.md, section 15.1).
    package var tokenFactorMask: Int {
        (usePossession ? 1 : 0) | (password != nil ? 2 : 0) | (useBiometry ? 4 : 0)
    }
}

// MARK: - Persisting an activation

extension PowerAuthAuthentication {
    /// Protects a new activation with possession and a password.
    ///
    /// - Parameters:
    ///   - password: at least 4 UTF-8 bytes.
    ///   - customPossessionKey: 16 bytes instead of the device's possession key.
    public static func persistWithPassword(
        password: String, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        persistWithPassword(
            password: PowerAuthCorePassword(string: password), customPossessionKey: customPossessionKey)
    }

    /// As ``persistWithPassword(password:customPossessionKey:)-(String,_)`` with a password object.
    public static func persistWithPassword(
        password: PowerAuthCorePassword, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        PowerAuthAuthentication(usage: .persist, password: password, customPossessionKey: customPossessionKey)
    }

    /// Protects a new activation with possession, a password and biometry.
    ///
    /// - Parameters:
    ///   - password: at least 4 UTF-8 bytes.
    ///   - customBiometryKey: 16 bytes instead of a new random key.
    ///   - customPossessionKey: 16 bytes instead of the device's possession key.
    public static func persistWithPasswordAndBiometry(
        password: String, customBiometryKey: Data? = nil, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        persistWithPasswordAndBiometry(
            password: PowerAuthCorePassword(string: password), customBiometryKey: customBiometryKey,
            customPossessionKey: customPossessionKey)
    }

    /// As the other form, with a password object.
    public static func persistWithPasswordAndBiometry(
        password: PowerAuthCorePassword, customBiometryKey: Data? = nil, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        PowerAuthAuthentication(
            usage: .persist, password: password, useBiometry: true, customPossessionKey: customPossessionKey,
            customBiometryKey: customBiometryKey)
    }
}

// MARK: - Signing

extension PowerAuthAuthentication {
    /// Signs with possession only.
    ///
    /// - Parameter customPossessionKey: 16 bytes instead of the device's possession key.
    public static func possession(customPossessionKey: Data? = nil) -> PowerAuthAuthentication {
        PowerAuthAuthentication(usage: .sign, customPossessionKey: customPossessionKey)
    }

    /// Signs with possession and knowledge.
    ///
    /// - Parameters:
    ///   - password: the user's password.
    ///   - customPossessionKey: 16 bytes instead of the device's possession key.
    public static func possessionWithPassword(
        password: String, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        possessionWithPassword(
            password: PowerAuthCorePassword(string: password), customPossessionKey: customPossessionKey)
    }

    /// As the other form, with a password object.
    public static func possessionWithPassword(
        password: PowerAuthCorePassword, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        PowerAuthAuthentication(usage: .sign, password: password, customPossessionKey: customPossessionKey)
    }

    /// Signs with possession and biometry; the key is read without opening a dialog.
    public static func possessionWithBiometry() -> PowerAuthAuthentication {
        PowerAuthAuthentication(usage: .sign, useBiometry: true)
    }

    /// Signs with possession and biometry after the user confirms a dialog.
    ///
    /// - Parameters:
    ///   - prompt: text of the dialog.
    ///   - customPossessionKey: 16 bytes instead of the device's possession key.
    public static func possessionWithBiometry(
        prompt: String, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        PowerAuthAuthentication(
            usage: .sign, useBiometry: true, biometryPrompt: prompt, customPossessionKey: customPossessionKey)
    }

    /// Signs with possession and a biometry key that the application keeps itself.
    ///
    /// - Parameters:
    ///   - customBiometryKey: 16 bytes; nil reads the stored key.
    ///   - customPossessionKey: 16 bytes instead of the device's possession key.
    public static func possessionWithBiometry(
        customBiometryKey: Data?, customPossessionKey: Data?
    ) -> PowerAuthAuthentication {
        PowerAuthAuthentication(
            usage: .sign, useBiometry: true, customPossessionKey: customPossessionKey,
            customBiometryKey: customBiometryKey)
    }
}
