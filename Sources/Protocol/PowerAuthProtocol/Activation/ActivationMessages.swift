// SPDX-License-Identifier: Apache-2.0

/// The outer layer of an activation request: the user's identity (protocol.md, section 6.1).
///
/// Its JSON is encrypted with ``EciesSharedInfo1/applicationGeneric`` for the application's backend. `CustomAttributes`
/// is the application's own type; the protocol only passes it on. The SDK writes this message, the server reads it.
public struct ActivationRequest<CustomAttributes: Codable & Sendable>: Sendable {
    /// The user's identity.
    public let identity: ActivationIdentity
    /// What the application adds for its backend.
    public let customAttributes: CustomAttributes?
    /// The inner layer, a ``KeyExchangeRequest``, encrypted for the PowerAuth server.
    public let activationData: EciesRequest

    /// Takes the parts.
    public init(identity: ActivationIdentity, customAttributes: CustomAttributes? = nil, activationData: EciesRequest) {
        self.identity = identity
        self.customAttributes = customAttributes
        self.activationData = activationData
    }
}

extension ActivationRequest: Equatable where CustomAttributes: Equatable {}

extension ActivationRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, identityAttributes, customAttributes, activationData
    }

    /// Reads the JSON form.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        identity = try ActivationIdentity(
            type: container.decode(String.self, forKey: .type),
            attributes: container.decodeIfPresent([String: String].self, forKey: .identityAttributes) ?? [:])
        customAttributes = try container.decodeIfPresent(CustomAttributes.self, forKey: .customAttributes)
        activationData = try container.decode(EciesRequest.self, forKey: .activationData)
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identity.type, forKey: .type)
        try container.encode(identity.attributes, forKey: .identityAttributes)
        try container.encodeIfPresent(customAttributes, forKey: .customAttributes)
        try container.encode(activationData, forKey: .activationData)
    }
}

/// The outer layer of the answer to an activation request (protocol.md, section 6.1).
///
/// Members that the backend omits are `null`, as are those that the inner layer lacks before protocol 3.2.
public struct ActivationResponse<CustomAttributes: Codable & Sendable, UserInfo: Codable & Sendable>: Sendable {
    /// The inner layer, a ``KeyExchangeResponse``, encrypted by the PowerAuth server.
    public let activationData: EciesResponse
    /// What the backend adds for the application.
    public let customAttributes: CustomAttributes?
    /// Claims about the user.
    public let userInfo: UserInfo?

    /// Takes the parts.
    public init(activationData: EciesResponse, customAttributes: CustomAttributes? = nil, userInfo: UserInfo? = nil) {
        self.activationData = activationData
        self.customAttributes = customAttributes
        self.userInfo = userInfo
    }
}

extension ActivationResponse: Equatable where CustomAttributes: Equatable, UserInfo: Equatable {}

extension ActivationResponse: Codable {
    private enum CodingKeys: String, CodingKey { case activationData, customAttributes, userInfo }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try activationData.encodeWithNulls(to: container.superEncoder(forKey: .activationData))
        try container.encode(customAttributes, forKey: .customAttributes)
        try container.encode(userInfo, forKey: .userInfo)
    }
}

/// How an activation identifies the user: `type` and `identityAttributes` of the outer layer (protocol.md, section
/// 6.1).
public enum ActivationIdentity: Sendable, Equatable {
    /// An activation code the server issued. Its signature is checked on the device and not sent.
    case code(ActivationCode)
    /// Credentials that only the application's own backend understands.
    case custom([String: String])
    /// A recovery code and one of its PUKs.
    case recovery(RecoveryData)
    /// An authorization code of an OpenID Connect provider.
    case openIDConnect(OpenIDConnectGrant)
    /// A direct activation by a method other than OpenID Connect; servers treat it as custom.
    case direct([String: String])

    /// The value of `type`: `CODE`, `CUSTOM`, `RECOVERY` or `DIRECT`.
    public var type: String {
        switch self {
        case .code: "CODE"
        case .custom: "CUSTOM"
        case .recovery: "RECOVERY"
        case .openIDConnect, .direct: "DIRECT"
        }
    }

    /// The value of `identityAttributes`.
    public var attributes: [String: String] {
        switch self {
        case .code(let code): ["code": code.text]
        case .custom(let attributes), .direct(let attributes): attributes
        case .recovery(let recovery): ["recoveryCode": recovery.code.text, "puk": recovery.puk.text]
        case .openIDConnect(let grant): grant.attributes
        }
    }

    /// Reads both values; attributes an identity does not know are ignored.
    /// - Throws: ``ProtocolError/missing(field:)`` for an absent or empty attribute,
    ///   ``ProtocolError/invalidFormat(field:reason:)`` for a wrong code, PUK or type.
    public init(type: String, attributes: [String: String]) throws {
        guard ["CODE", "CUSTOM", "RECOVERY", "DIRECT"].contains(type) else {
            throw ProtocolError.invalidFormat(
                field: "type", reason: "activation type \(type) is not one of CODE, CUSTOM, RECOVERY and DIRECT")
        }
        guard !attributes.isEmpty else { throw ProtocolError.missing(field: "identityAttributes") }
        switch type {
        case "CODE": self = .code(try ActivationCode(attributes.required("code")))
        case "CUSTOM": self = .custom(attributes)
        case "RECOVERY":
            self = .recovery(
                try RecoveryData(
                    recoveryCode: attributes.required("recoveryCode"), puk: attributes.required("puk")))
        default:
            self =
                attributes["method"] == OpenIDConnectGrant.method
                ? .openIDConnect(try OpenIDConnectGrant(attributes: attributes)) : .direct(attributes)
        }
    }
}

/// What an application got from an OpenID Connect provider; the server exchanges it for the user's identity.
public struct OpenIDConnectGrant: Sendable, Equatable {
    /// The provider, as it is configured on the server.
    public let providerId: String
    /// Authorization code of the provider.
    public let code: String
    /// The nonce of the authorization request; the server compares it with the one in the ID token.
    public let nonce: String
    /// The PKCE verifier, when the authorization request carried a challenge.
    public let codeVerifier: String?

    static let method = "oidc"

    /// Takes the four values.
    public init(providerId: String, code: String, nonce: String, codeVerifier: String? = nil) {
        self.providerId = providerId
        self.code = code
        self.nonce = nonce
        self.codeVerifier = codeVerifier
    }

    init(attributes: [String: String]) throws {
        self.init(
            providerId: try attributes.required("providerId"), code: try attributes.required("code"),
            nonce: try attributes.required("nonce"), codeVerifier: attributes["codeVerifier"])
    }

    var attributes: [String: String] {
        var attributes = ["method": Self.method, "providerId": providerId, "code": code, "nonce": nonce]
        attributes["codeVerifier"] = codeVerifier
        return attributes
    }
}

extension [String: String] {
    fileprivate func required(_ name: String) throws -> String {
        guard let value = self[name], !value.isEmpty else { throw ProtocolError.missing(field: name) }
        return value
    }
}
