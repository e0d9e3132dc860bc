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
        case "CODE":
            self = .code(try ActivationCode(attributes.required("code")))
        case "CUSTOM":
            self = .custom(attributes)
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
