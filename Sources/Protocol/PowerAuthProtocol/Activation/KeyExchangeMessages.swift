// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The inner layer of an activation request: the device's half of the key exchange (protocol.md, section 6.1). Its JSON
/// is encrypted with ``EciesSharedInfo1/activationLayer2``. The SDK writes this message, the server reads it.
public struct KeyExchangeRequest: Sendable, Equatable {
    /// The device's public key, 33 bytes from a client. A message without any is refused while it is read.
    public var devicePublicKey: SentPublicKey
    /// Name of the activation, shown to the user.
    public var activationName: String?
    /// Identifier by which the application's backend knows the activation.
    public var externalId: String?
    /// Text for the application's backend.
    public var extras: String?
    /// Additional one-time password, for activation codes only.
    public var activationOtp: String?
    /// Operating system, for example `iOS`; servers store it in lower case.
    public var platform: String?
    /// Model of the device, for example `iPhone14,5`.
    public var deviceInfo: String?

    /// Takes the device's key; everything else is optional.
    public init(
        devicePublicKey: SentPublicKey, activationName: String? = nil, externalId: String? = nil,
        extras: String? = nil, activationOtp: String? = nil, platform: String? = nil, deviceInfo: String? = nil
    ) {
        self.devicePublicKey = devicePublicKey
        self.activationName = activationName
        self.externalId = externalId
        self.extras = extras
        self.activationOtp = activationOtp
        self.platform = platform
        self.deviceInfo = deviceInfo
    }
}

extension KeyExchangeRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case devicePublicKey, activationName, externalId, extras, activationOtp, platform, deviceInfo
    }

    /// Reads the JSON form; members that are not known are ignored.
    /// - Throws: ``ProtocolError/missing(field:)`` for an absent or blank device key, `DecodingError` for JSON of another
    ///   shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let deviceKeyText = try container.decodeIfPresent(String.self, forKey: .devicePublicKey)
        activationName = try container.decodeIfPresent(String.self, forKey: .activationName)
        externalId = try container.decodeIfPresent(String.self, forKey: .externalId)
        extras = try container.decodeIfPresent(String.self, forKey: .extras)
        activationOtp = try container.decodeIfPresent(String.self, forKey: .activationOtp)
        platform = try container.decodeIfPresent(String.self, forKey: .platform)
        deviceInfo = try container.decodeIfPresent(String.self, forKey: .deviceInfo)
        devicePublicKey = try SentPublicKey(text: deviceKeyText ?? "", field: "devicePublicKey")
    }

    /// Writes the JSON form; members that are not set are left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(devicePublicKey.text, forKey: .devicePublicKey)
        try container.encodeIfPresent(activationName, forKey: .activationName)
        try container.encodeIfPresent(externalId, forKey: .externalId)
        try container.encodeIfPresent(extras, forKey: .extras)
        try container.encodeIfPresent(activationOtp, forKey: .activationOtp)
        try container.encodeIfPresent(platform, forKey: .platform)
        try container.encodeIfPresent(deviceInfo, forKey: .deviceInfo)
    }
}

extension KeyExchangeRequest: CustomReflectable {
    /// Leaves the one-time password out.
    public var customMirror: Mirror {
        Mirror(self, children: ["activationName": activationName as Any, "platform": platform as Any])
    }
}

/// The inner layer of the answer: the server's half of the key exchange (protocol.md, section 6.1).
public struct KeyExchangeResponse: Sendable, Equatable {
    /// Id of the activation, a UUID.
    public let activationId: String
    /// The server's public key of this activation, 65 bytes from a server. ``ActivationKeyExchange`` checks
    /// that it is a point of the curve.
    public let serverPublicKey: Data
    /// `ctrData`, 16 bytes.
    public let counter: CounterData
    /// Recovery code and PUK, if the server issues them.
    public let recovery: RecoveryData?

    /// Takes the parts.
    public init(activationId: String, serverPublicKey: PublicKey, counter: CounterData, recovery: RecoveryData? = nil) {
        self.activationId = activationId
        self.serverPublicKey = serverPublicKey.uncompressed
        self.counter = counter
        self.recovery = recovery
    }
}

extension KeyExchangeResponse: Codable {
    private enum CodingKeys: String, CodingKey {
        case activationId, serverPublicKey, ctrData, activationRecovery
    }

    /// Reads the JSON form.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        activationId = try container.decode(String.self, forKey: .activationId)
        guard !activationId.isEmpty else { throw ProtocolError.missing(field: "activationId") }
        serverPublicKey = try container.requiredBase64(.serverPublicKey)
        counter = try CounterData(container.requiredBase64(.ctrData))
        recovery = try container.decodeIfPresent(RecoveryData.self, forKey: .activationRecovery)
    }

    /// Writes the JSON form; a server that issues no recovery data writes `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(activationId, forKey: .activationId)
        try container.encode(StrictBase64.encode(serverPublicKey), forKey: .serverPublicKey)
        try container.encode(StrictBase64.encode(counter.rawData), forKey: .ctrData)
        try container.encode(recovery, forKey: .activationRecovery)
    }
}

extension KeyedDecodingContainer {
    /// Strict Base64 that is not empty.
    fileprivate func requiredBase64(_ key: Key) throws -> Data {
        let data = try StrictBase64.decode(decodeIfPresent(String.self, forKey: key) ?? "", field: key.stringValue)
        guard !data.isEmpty else { throw ProtocolError.missing(field: key.stringValue) }
        return data
    }
}

/// A public key as a message carries it: the text that was sent, and the key it means, if it means one.
///
/// Text that is not a key differs from missing text. Without text a message is refused without effect; with text that
/// is not a key, a server spends the activation of the message (server.md, section 30, item 17).
public struct SentPublicKey: Sendable, Equatable {
    /// Base64, exactly as sent; never blank.
    public let text: String
    /// Nil when the text is not strict Base64 of a point of P-256.
    public let key: PublicKey?

    /// What a sender writes: the compressed point.
    public init(_ key: PublicKey) {
        text = StrictBase64.encode(key.compressed)
        self.key = key
    }

    /// Takes received text.
    /// - Parameter field: the name an error shall carry.
    /// - Throws: ``ProtocolError/missing(field:)`` for text that is empty or white space, and nothing else.
    public init(text: String, field: String) throws {
        guard !text.allSatisfy(\.isWhitespace) else { throw ProtocolError.missing(field: field) }
        self.text = text
        key = StrictBase64.decode(text).flatMap { try? PublicKey(encoded: $0, field: field) }
    }
}
