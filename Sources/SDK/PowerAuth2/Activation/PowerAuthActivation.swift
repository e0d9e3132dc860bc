// SPDX-License-Identifier: Apache-2.0

import Foundation
package import PowerAuthProtocol

/// What a new activation is made of (sdk.md, section 5.16).
///
/// The `with…` functions change the object and return it. Thread rule: one thread at a time;
/// ``PowerAuthSDK/createActivation(_:callback:)`` keeps its own copy.
public final class PowerAuthActivation {
    package let identity: ActivationIdentity
    /// How the user is identified: `CODE`, `CUSTOM`, `RECOVERY` or `DIRECT`.
    public var activationType: String { identity.type }
    /// What identifies the user, as it is sent; the members depend on ``activationType`` (sdk.md, section 5.16).
    public var identityAttributes: [String: String] { identity.attributes }
    /// The parsed activation code, for activations by code only.
    public let activationCode: PowerAuthActivationCode?
    /// Name that the server shows for the activation.
    public private(set) var name: String?
    /// Text for the server, opaque to the SDK.
    public private(set) var extras: String?
    /// Attributes for the application's server; they must be a JSON object.
    public private(set) var customAttributes: [String: Any]?
    /// One-time password that confirms the activation at once; for activations by code only.
    public private(set) var additionalActivationOtp: String?

    private init(_ identity: ActivationIdentity, code: PowerAuthActivationCode? = nil, name: String? = nil) {
        self.identity = identity
        activationCode = code
        self.name = name
    }

    /// An activation by code.
    /// - Parameters:
    ///   - activationCode: the code, with or without its signature.
    ///   - name: name that the server shows.
    /// - Throws: `invalidActivationCode` for an invalid code.
    public convenience init(activationCode: String, name: String? = nil) throws {
        guard let code = PowerAuthActivationCodeUtil.parse(fromActivationCode: activationCode),
            let identity = try? ActivationCode(code.activationCode)
        else { throw NSError.powerAuth(.invalidActivationCode) }
        self.init(.code(identity), code: code, name: name)
    }

    /// An activation by code, for callers that chain with `?.`; a wrong code throws here too.
    @_disfavoredOverload
    public convenience init?(activationCode: String, name: String? = nil, _ unused: StaticString = #file) throws {
        try self.init(activationCode: activationCode, name: name)
    }

    /// An activation by credentials the application's server understands.
    /// - Throws: `invalidActivationData` without any attribute.
    public convenience init(identityAttributes: [String: String], name: String? = nil) throws {
        guard !identityAttributes.isEmpty else {
            throw NSError.powerAuth(.invalidActivationData, "Empty identity attributes")
        }
        self.init(.custom(identityAttributes), name: name)
    }

    /// An activation that replaces a lost one.
    /// - Parameters:
    ///   - recoveryCode: the code, with or without the prefix `R:`.
    ///   - recoveryPuk: the PUK, ten digits.
    ///   - name: name that the server shows.
    /// - Throws: `invalidActivationCode` for an invalid code or PUK.
    public convenience init(recoveryCode: String, recoveryPuk: String, name: String? = nil) throws {
        guard let code = PowerAuthActivationCodeUtil.parse(fromRecoveryCode: recoveryCode) else {
            throw NSError.powerAuth(.invalidActivationCode, "Invalid recovery code")
        }
        guard let recovery = try? RecoveryData(recoveryCode: code.activationCode, puk: recoveryPuk) else {
            throw NSError.powerAuth(.invalidActivationCode, "Invalid recovery PUK")
        }
        self.init(.recovery(recovery), name: name)
    }

    /// An activation by an OpenID Connect provider.
    /// - Throws: `invalidActivationCode` for an empty text.
    public convenience init(
        oidcProviderId providerId: String, code: String, nonce: String, codeVerifier: String? = nil
    ) throws {
        guard ![providerId, code, nonce, codeVerifier ?? " "].contains("") else {
            throw NSError.powerAuth(.invalidActivationCode, "Empty activation parameter")
        }
        self.init(
            .openIDConnect(
                OpenIDConnectGrant(providerId: providerId, code: code, nonce: nonce, codeVerifier: codeVerifier)))
    }

    /// Sets the name that the server shows.
    @discardableResult
    public func with(activationName: String) -> PowerAuthActivation {
        name = activationName
        return self
    }

    /// Sets a text for the server.
    @discardableResult
    public func with(extras: String) -> PowerAuthActivation {
        self.extras = extras
        return self
    }

    /// Sets attributes for the application's server.
    @discardableResult
    public func with(customAttributes: [String: Any]) -> PowerAuthActivation {
        self.customAttributes = customAttributes
        return self
    }

    /// Sets the one-time password that confirms the activation.
    @discardableResult
    public func with(additionalActivationOtp: String) -> PowerAuthActivation {
        self.additionalActivationOtp = additionalActivationOtp
        return self
    }

    /// Whether the object can be used.
    public func validate() -> Bool { validateAndGetError() == nil }

    /// The reason why the object cannot be used: `invalidActivationData` for a one-time password that is empty or does
    /// not belong to an activation by code, `wrongParameter` for custom attributes that are not JSON.
    public func validateAndGetError() -> (any Error)? {
        if let additionalActivationOtp {
            guard activationCode != nil else {
                return NSError.powerAuth(
                    .invalidActivationData, "Only regular activation can be used with additional activation OTP.")
            }
            if additionalActivationOtp.isEmpty {
                return NSError.powerAuth(.invalidActivationData, "Additional activation OTP is empty.")
            }
        }
        if let customAttributes, !JSONSerialization.isValidJSONObject(customAttributes) {
            return NSError.powerAuth(.wrongParameter, "Custom attributes cannot be written as JSON.")
        }
        return nil
    }
}

/// What a successful key exchange brings (sdk.md, section 5.17). Immutable. Thread rule: any thread.
public final class PowerAuthActivationResult: @unchecked Sendable {
    // Safe to share: the attributes hold only values that the JSON parser made, which are never mutated.

    /// Eight digits that the user may compare with those the server shows.
    public let activationFingerprint: String
    /// Recovery code and PUK, if the server issued them.
    public let activationRecovery: PowerAuthActivationRecoveryData?
    /// Attributes from the application's server.
    public let customAttributes: [String: Any]?
    /// Claims about the user, if the server sent them.
    public let userInfo: PowerAuthUserInfo?

    init(
        fingerprint: String, recovery: PowerAuthActivationRecoveryData?, customAttributes: [String: Any]?,
        userInfo: PowerAuthUserInfo?
    ) {
        activationFingerprint = fingerprint
        activationRecovery = recovery
        self.customAttributes = customAttributes
        self.userInfo = userInfo
    }
}

/// Recovery code and PUK for the user to keep (sdk.md, section 5.13). Immutable. Thread rule: any thread.
public final class PowerAuthActivationRecoveryData: Sendable {
    /// Recovery code without the prefix `R:`.
    public let recoveryCode: String
    /// PUK, ten digits.
    public let puk: String

    init(_ data: PowerAuthCoreRecoveryData) {
        recoveryCode = data.recoveryCode
        puk = data.puk
    }
}
