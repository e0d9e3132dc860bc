/// The outer layer of an activation request: the user's identity (protocol.md, section 6.1).
///
/// Its JSON is encrypted with ``EciesSharedInfo1/applicationGeneric`` for the application's backend.
/// `CustomAttributes` is the application's own type; the protocol only passes it on. The SDK writes this message, the
/// server reads it.
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
    public init(
        activationData: EciesResponse, customAttributes: CustomAttributes? = nil, userInfo: UserInfo? = nil
    ) {
        self.activationData = activationData
        self.customAttributes = customAttributes
        self.userInfo = userInfo
    }
}

extension ActivationResponse: Equatable where CustomAttributes: Equatable, UserInfo: Equatable {}

extension ActivationResponse: Codable {
    private enum CodingKeys: String, CodingKey {
        case activationData, customAttributes, userInfo
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try activationData.encodeWithNulls(to: container.superEncoder(forKey: .activationData))
        try container.encode(customAttributes, forKey: .customAttributes)
        try container.encode(userInfo, forKey: .userInfo)
    }
}
