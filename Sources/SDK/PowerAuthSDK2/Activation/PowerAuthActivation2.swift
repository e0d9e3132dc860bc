// SPDX-License-Identifier: Apache-2.0

public import PowerAuth2
public import PowerAuthShared

/// What a new activation is made of: a code, credentials that the application's server understands, or an OpenID Connect
/// grant.
///
/// The `with…` functions change the object and return it. Thread rule: one thread at a time;
/// ``PowerAuthSDK/createActivation(_:callback:)`` keeps its own copy.
public final class PowerAuthActivation {
    /// The same object of SDK 1.9, which has the rules for what can be used.
    let base: PowerAuth2.PowerAuthActivation

    private init(_ base: PowerAuth2.PowerAuthActivation) { self.base = base }

    /// An activation by code.
    /// - Parameters:
    ///   - activationCode: the code, with or without its signature.
    ///   - name: name that the server shows.
    /// - Throws: `invalidActivationCode` for an invalid code.
    public convenience init(activationCode: String, name: String? = nil) throws {
        self.init(try PowerAuth2.PowerAuthActivation(activationCode: activationCode, name: name))
    }

    /// An activation by credentials that the application's server understands.
    /// - Throws: `invalidActivationData` without any attribute.
    public convenience init(identityAttributes: [String: String], name: String? = nil) throws {
        self.init(try PowerAuth2.PowerAuthActivation(identityAttributes: identityAttributes, name: name))
    }

    /// An activation by an OpenID Connect provider.
    /// - Throws: `invalidActivationCode` for an empty text.
    public convenience init(
        oidcProviderId providerId: String, code: String, nonce: String, codeVerifier: String? = nil
    ) throws {
        self.init(
            try PowerAuth2.PowerAuthActivation(
                oidcProviderId: providerId, code: code, nonce: nonce, codeVerifier: codeVerifier))
    }

    /// How the user is identified: `CODE`, `CUSTOM` or `DIRECT`.
    public var activationType: String { base.activationType }
    /// What identifies the user, as it is sent.
    public var identityAttributes: [String: String] { base.identityAttributes }
    /// The parsed activation code, for activations by code only.
    public var activationCode: PowerAuthActivationCode? { base.activationCode }
    /// Name that the server shows for the activation.
    public var name: String? { base.name }
    /// Text for the server, opaque to the SDK.
    public var extras: String? { base.extras }
    /// Attributes for the application's server.
    public var customAttributes: [String: Any]? { base.customAttributes }
    /// One-time password that confirms the activation at once; for activations by code only.
    public var additionalActivationOtp: String? { base.additionalActivationOtp }

    /// Sets the name that the server shows.
    @discardableResult
    public func with(activationName: String) -> PowerAuthActivation {
        base.with(activationName: activationName)
        return self
    }

    /// Sets a text for the server.
    @discardableResult
    public func with(extras: String) -> PowerAuthActivation {
        base.with(extras: extras)
        return self
    }

    /// Sets attributes for the application's server; they must be a JSON object.
    @discardableResult
    public func with(customAttributes: [String: Any]) -> PowerAuthActivation {
        base.with(customAttributes: customAttributes)
        return self
    }

    /// Sets the one-time password that confirms the activation.
    @discardableResult
    public func with(additionalActivationOtp: String) -> PowerAuthActivation {
        base.with(additionalActivationOtp: additionalActivationOtp)
        return self
    }

    /// Whether the object can be used.
    public func validate() -> Bool { base.validate() }
}

/// What a successful key exchange brings. Immutable. Thread rule: any thread.
public final class PowerAuthActivationResult: @unchecked Sendable {
    // Safe to share: the attributes hold only values that the JSON parser made, which are never mutated.

    /// Eight digits that the user may compare with those the server shows.
    public let activationFingerprint: String
    /// Attributes from the application's server.
    public let customAttributes: [String: Any]?
    /// Claims about the user, if the server sent them.
    public let userInfo: PowerAuthUserInfo?

    init(fingerprint: String, customAttributes: [String: Any]?, userInfo: PowerAuthUserInfo?) {
        activationFingerprint = fingerprint
        self.customAttributes = customAttributes
        self.userInfo = userInfo
    }

    convenience init(_ result: PowerAuth2.PowerAuthActivationResult) {
        self.init(
            fingerprint: result.activationFingerprint, customAttributes: result.customAttributes,
            userInfo: result.userInfo)
    }
}
