// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
import PowerAuthProtocol
public import SimulatedDevice

/// The style up to 1.7, and the names of the factories then (sdk.md, section 2, and extensions-and-legacy-names.md,
/// section 5.2).
extension PowerAuthAuthentication {
    /// An object without any factor, accepted for persisting and for signing.
    @available(*, deprecated, message: "Use a factory")
    public convenience init() { self.init(Values(usage: .any, usePossession: false)) }

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
    public convenience init() { self.init(instanceId: "", baseEndpointUrl: "", configuration: "") }

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

/// The asynchronous forms, up to 1.7 (extensions-and-legacy-names.md, section 5.5). Completions are called on a background
/// queue.
@available(*, deprecated, message: "Call the synchronous form on a queue of your own")
extension PowerAuthKeychain {
    private func perform<Value: Sendable>(
        _ completion: @escaping (Value) -> Void, _ work: @escaping @Sendable (PowerAuthKeychain) -> Value
    ) {
        let completion = Callback(completion)
        DispatchQueue.global().async { completion(work(self)) }
    }

    /// As ``addValue(_:forKey:access:)``.
    public func addValue(
        _ data: Data, forKey key: String, access: PowerAuthKeychainItemAccess = .none,
        completion: @escaping (PowerAuthKeychainStoreItemResult) -> Void
    ) {
        perform(completion) { $0.addValue(data, forKey: key, access: access) }
    }

    /// As ``updateValue(_:forKey:)``.
    public func updateValue(
        _ data: Data, forKey key: String, completion: @escaping (PowerAuthKeychainStoreItemResult) -> Void
    ) {
        perform(completion) { $0.updateValue(data, forKey: key) }
    }

    /// As ``deleteData(forKey:)``.
    public func deleteData(forKey key: String, completion: @escaping (Bool) -> Void) {
        perform(completion) { $0.deleteData(forKey: key) }
    }

    /// As ``containsData(forKey:)``.
    public func containsData(forKey key: String, completion: @escaping (Bool) -> Void) {
        perform(completion) { $0.containsData(forKey: key) }
    }

    // MARK: With a dialog

    /// As ``data(forKey:status:authentication:)`` with a text for the dialog.
    public func data(forKey key: String, status: UnsafeMutablePointer<OSStatus>? = nil, prompt: String) -> Data? {
        data(forKey: key, status: status, authentication: PowerAuthKeychainAuthentication(prompt: prompt))
    }

    /// As ``data(forKey:status:authentication:)`` with a text for the dialog; nil opens none.
    /// - Parameter completion: takes the value or nil, and the system's status code.
    public func data(forKey key: String, prompt: String? = nil, completion: @escaping (Data?, OSStatus) -> Void) {
        perform({ completion($0.value, $0.status) }) { keychain in
            var status = errSecSuccess
            let value =
                if let prompt {
                    keychain.data(
                        forKey: key, status: &status, authentication: PowerAuthKeychainAuthentication(prompt: prompt))
                } else {
                    keychain.data(forKey: key, status: &status)
                }
            return (value: value, status: status)
        }
    }

    /// As ``allItems(with:withStatus:)`` with a text for the dialog.
    public func allItems(
        withPrompt prompt: String, withStatus status: UnsafeMutablePointer<OSStatus>? = nil
    ) -> [AnyHashable: Any]? {
        allItems(with: PowerAuthKeychainAuthentication(prompt: prompt), withStatus: status)
    }
}

extension PowerAuthTokenStore {
    /// Cancels a request, as up to 1.7.
    /// - Parameter task: what the request returned.
    @available(*, deprecated, message: "Cancel the task itself")
    public func cancelTask(_ task: any PowerAuthOperationTask) { task.cancel() }
}
