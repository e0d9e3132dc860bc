import PowerAuthProtocol

/// The style up to 1.7: an empty object whose values are set one by one (sdk.md, section 2).
extension PowerAuthConfiguration {
    /// The three values that 1.8 joined into one configuration string.
    struct SeparateKeys {
        var appKey = ""
        var appSecret = ""
        var masterServerPublicKey = ""

        /// The configuration string; empty as long as a value is missing or malformed.
        var configuration: String {
            PowerAuthCoreSessionSetup.buildConfiguration(
                appKey: appKey, appSecret: appSecret, publicKey: masterServerPublicKey) ?? ""
        }
    }

    /// An object to be filled. It can be used once ``instanceId``, ``baseEndpointUrl`` and the three keys are set.
    @available(*, deprecated, message: "Use init(instanceId:baseEndpointUrl:configuration:)")
    public convenience init() {
        self.init(instanceId: "", baseEndpointUrl: "", configuration: "")
    }

    /// Base64 of the application key, 16 bytes.
    @available(*, deprecated, message: "Part of the configuration string")
    public var appKey: String {
        get { keys.appKey }
        set { setKeys { $0.appKey = newValue } }
    }

    /// Base64 of the application secret, 16 bytes.
    @available(*, deprecated, message: "Part of the configuration string")
    public var appSecret: String {
        get { keys.appSecret }
        set { setKeys { $0.appSecret = newValue } }
    }

    /// Base64 of the application's master public key, 33 or 65 bytes.
    @available(*, deprecated, message: "Part of the configuration string")
    public var masterServerPublicKey: String {
        get { keys.masterServerPublicKey }
        set { setKeys { $0.masterServerPublicKey = newValue } }
    }

    private var keys: SeparateKeys {
        if let separateKeys { return separateKeys }
        guard let parsed = try? MobileSdkConfiguration(configuration) else { return SeparateKeys() }
        return SeparateKeys(
            appKey: parsed.applicationKeyText, appSecret: parsed.applicationSecretText,
            masterServerPublicKey: parsed.masterServerPublicKeyText)
    }

    private func setKeys(_ change: (inout SeparateKeys) -> Void) {
        var keys = keys
        change(&keys)
        separateKeys = keys
        configuration = keys.configuration
    }
}
