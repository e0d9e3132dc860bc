// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LocalAuthentication
import Synchronization

/// The factors of one signature, or of a new activation (sdk.md, section 5.18).
///
/// Thread rule: any thread. Objects of the factories are not meant to be changed; the setters are for the style up to
/// 1.7, and an operation keeps the values at the time of its call. The password object is shared with the caller: do
/// not clear it before the operation ends.
public final class PowerAuthAuthentication: Sendable {
    /// What the object was made for.
    package enum Usage: Sendable {
        /// Persisting a new activation.
        case persist
        /// Signing, and everything that signs.
        case sign
        /// Either, in the style up to 1.7.
        case any
    }

    struct Values: Sendable {
        var usage: Usage
        var usePossession = true
        var useBiometry = false
        var password: PowerAuthCorePassword?
        var biometryPrompt: String?
        var biometryContext: LAContext?
        var overridenPossessionKey: Data?
        var overridenBiometryKey: Data?
    }

    private let values: Mutex<Values>

    init(_ values: Values) { self.values = Mutex(values) }

    convenience init(
        usage: Usage, password: PowerAuthCorePassword? = nil, useBiometry: Bool = false, biometryPrompt: String? = nil,
        biometryContext: LAContext? = nil, customPossessionKey: Data? = nil, customBiometryKey: Data? = nil
    ) {
        self.init(
            Values(
                usage: usage, useBiometry: useBiometry, password: password, biometryPrompt: biometryPrompt,
                biometryContext: biometryContext, overridenPossessionKey: customPossessionKey,
                overridenBiometryKey: customBiometryKey))
    }

    package var usage: Usage { values.withLock { $0.usage } }

    /// True for every object that the factories make: possession is part of every signature.
    public var usePossession: Bool {
        get { values.withLock { $0.usePossession } }
        @available(*, deprecated, message: "Use a factory") set { values.withLock { $0.usePossession = newValue } }
    }

    /// True when the biometry factor takes part.
    public var useBiometry: Bool {
        get { values.withLock { $0.useBiometry } }
        @available(*, deprecated, message: "Use a factory") set { values.withLock { $0.useBiometry = newValue } }
    }

    /// The knowledge factor, or nil.
    public internal(set) var password: PowerAuthCorePassword? {
        get { values.withLock { $0.password } }
        set { values.withLock { $0.password = newValue } }
    }

    /// Text of the biometric dialog, or nil.
    public var biometryPrompt: String? {
        get { values.withLock { $0.biometryPrompt } }
        @available(*, deprecated, message: "Use a factory") set { values.withLock { $0.biometryPrompt = newValue } }
    }

    /// The application's own conversation with the owner of the device, or nil; wins over the prompt.
    public var biometryContext: LAContext? { values.withLock { $0.biometryContext } }

    /// Key of 16 bytes that replaces the possession key of the device.
    public var overridenPossessionKey: Data? {
        get { values.withLock { $0.overridenPossessionKey } }
        @available(*, deprecated, message: "Use a factory")
        set { values.withLock { $0.overridenPossessionKey = newValue } }
    }

    /// Key of 16 bytes that replaces the stored biometry key; no dialog opens.
    public var overridenBiometryKey: Data? {
        get { values.withLock { $0.overridenBiometryKey } }
        @available(*, deprecated, message: "Use a factory")
        set { values.withLock { $0.overridenBiometryKey = newValue } }
    }

    /// An object with the values of this moment.
    package func copy() -> PowerAuthAuthentication { PowerAuthAuthentication(values.withLock { $0 }) }

    /// The mask stored with tokens: possession 1, knowledge 2, biometry 4 (sharing.md, section 15.1).
    package var tokenFactorMask: Int { (usePossession ? 1 : 0) | (password != nil ? 2 : 0) | (useBiometry ? 4 : 0) }
}

// MARK: - Persisting an activation

extension PowerAuthAuthentication {
    /// Protects a new activation with possession and a password.
    /// - Parameters:
    ///   - password: at least 4 UTF-8 bytes.
    ///   - customPossessionKey: 16 bytes instead of the device's possession key.
    public static func persistWithPassword(
        password: String, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        persistWithPassword(password: PowerAuthCorePassword(string: password), customPossessionKey: customPossessionKey)
    }

    /// As ``persistWithPassword(password:customPossessionKey:)-(String,_)`` with a password object.
    public static func persistWithPassword(
        password: PowerAuthCorePassword, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        PowerAuthAuthentication(usage: .persist, password: password, customPossessionKey: customPossessionKey)
    }

    /// Protects a new activation with possession, a password and biometry.
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
    /// - Parameter customPossessionKey: 16 bytes instead of the device's possession key.
    public static func possession(customPossessionKey: Data? = nil) -> PowerAuthAuthentication {
        PowerAuthAuthentication(usage: .sign, customPossessionKey: customPossessionKey)
    }

    /// Signs with possession and knowledge.
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

    /// Signs with possession and biometry after the user confirms a dialog without a text of the application.
    public static func possessionWithBiometry() -> PowerAuthAuthentication {
        PowerAuthAuthentication(usage: .sign, useBiometry: true)
    }

    /// Signs with possession and biometry after the user confirms a dialog.
    /// - Parameters:
    ///   - prompt: text of the dialog.
    ///   - customPossessionKey: 16 bytes instead of the device's possession key.
    public static func possessionWithBiometry(
        prompt: String, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        PowerAuthAuthentication(
            usage: .sign, useBiometry: true, biometryPrompt: prompt, customPossessionKey: customPossessionKey)
    }

    /// Signs with possession and biometry within a conversation of the application, which may have been confirmed
    /// already.
    /// - Parameters:
    ///   - context: the conversation; its dialog shows its `localizedReason`.
    ///   - customPossessionKey: 16 bytes instead of the device's possession key.
    public static func possessionWithBiometry(
        context: LAContext, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        PowerAuthAuthentication(
            usage: .sign, useBiometry: true, biometryContext: context, customPossessionKey: customPossessionKey)
    }

    /// Signs with possession and a biometry key that the application keeps itself.
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
