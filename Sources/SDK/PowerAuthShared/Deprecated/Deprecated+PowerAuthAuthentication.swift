public import Foundation

/// The style up to 1.7, and the names of the factories then (sdk.md, section 2, and extensions-and-legacy-names.md,
/// section 5.2).
extension PowerAuthAuthentication {
    /// An object without any factor, accepted for persisting and for signing.
    @available(*, deprecated, message: "Use a factory")
    public convenience init() {
        self.init(Values(usage: .any, usePossession: false))
    }

    /// The knowledge factor as text.
    @available(*, deprecated, message: "Use password")
    public var usePassword: String? {
        get { password?.text }
        set { password = newValue.map { PowerAuthCorePassword(string: $0) } }
    }

    // MARK: Signing

    /// As ``possessionWithPassword(password:customPossessionKey:)-(String,_)``.
    @available(*, deprecated, renamed: "possessionWithPassword(password:)")
    public static func possession(withPassword password: String) -> PowerAuthAuthentication {
        possessionWithPassword(password: password)
    }

    /// As ``possessionWithPassword(password:customPossessionKey:)-(PowerAuthCorePassword,_)``.
    @available(*, deprecated, renamed: "possessionWithPassword(password:)")
    public static func possession(withPassword password: PowerAuthCorePassword) -> PowerAuthAuthentication {
        possessionWithPassword(password: password)
    }

    /// As ``possessionWithPassword(password:customPossessionKey:)-(String,_)``.
    @available(*, deprecated, renamed: "possessionWithPassword(password:)")
    public static func possessionWithPassword(_ password: String) -> PowerAuthAuthentication {
        possessionWithPassword(password: password)
    }

    /// As ``possessionWithBiometry(prompt:customPossessionKey:)``.
    @available(*, deprecated, renamed: "possessionWithBiometry(prompt:)")
    public static func possessionWithBiometry(withPrompt prompt: String) -> PowerAuthAuthentication {
        possessionWithBiometry(prompt: prompt)
    }

    // MARK: Persisting

    /// As ``persistWithPassword(password:customPossessionKey:)-(String,_)``.
    @available(*, deprecated, renamed: "persistWithPassword(password:customPossessionKey:)")
    public static func commitWithPassword(
        password: String, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        persistWithPassword(password: password, customPossessionKey: customPossessionKey)
    }

    /// As ``persistWithPassword(password:customPossessionKey:)-(PowerAuthCorePassword,_)``.
    @available(*, deprecated, renamed: "persistWithPassword(password:customPossessionKey:)")
    public static func commitWithPassword(
        password: PowerAuthCorePassword, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        persistWithPassword(password: password, customPossessionKey: customPossessionKey)
    }

    /// As ``persistWithPasswordAndBiometry(password:customBiometryKey:customPossessionKey:)-(String,_,_)``.
    @available(
        *, deprecated, renamed: "persistWithPasswordAndBiometry(password:customBiometryKey:customPossessionKey:)"
    )
    public static func commitWithPasswordAndBiometry(
        password: String, customBiometryKey: Data? = nil, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        persistWithPasswordAndBiometry(
            password: password, customBiometryKey: customBiometryKey, customPossessionKey: customPossessionKey)
    }

    /// As ``persistWithPasswordAndBiometry(password:customBiometryKey:customPossessionKey:)-(PowerAuthCorePassword,_,_)``.
    @available(
        *, deprecated, renamed: "persistWithPasswordAndBiometry(password:customBiometryKey:customPossessionKey:)"
    )
    public static func commitWithPasswordAndBiometry(
        password: PowerAuthCorePassword, customBiometryKey: Data? = nil, customPossessionKey: Data? = nil
    ) -> PowerAuthAuthentication {
        persistWithPasswordAndBiometry(
            password: password, customBiometryKey: customBiometryKey, customPossessionKey: customPossessionKey)
    }
}

extension PowerAuthCorePassword {
    /// The password as text, which leaves a copy in memory; for the deprecated property only.
    fileprivate var text: String {
        var text = ""
        _ = validateComplexity { bytes, _ in
            text = String(cString: bytes)
            return 0
        }
        return text
    }
}
