// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The inner layer of an activation request of protocol 4 (protocol-4.md, section 8). Its JSON is encrypted for
/// ``AeadPurpose/activationLayer2``. The start of an upgrade has the first two members, too (protocol-4.md, section 14).
public struct KeyExchangeRequestV4: Sendable, Equatable, Codable {
    /// The client's half of the key exchange.
    public var sharedSecretRequest: SharedSecretRequest
    /// The device's public keys.
    public var devicePublicKeys: EncodedSuiteKeys
    /// Name of the activation, shown to the user.
    public var activationName: String?
    /// Additional one-time password, for activation codes only.
    public var activationOtp: String?
    /// Operating system, for example `iOS`.
    public var platform: String?
    /// Model of the device, for example `iPhone14,5`.
    public var deviceInfo: String?
    /// Text for the application's backend.
    public var extras: String?

    /// Takes the keys; everything else is optional.
    public init(
        sharedSecretRequest: SharedSecretRequest, devicePublicKeys: EncodedSuiteKeys, activationName: String? = nil,
        activationOtp: String? = nil, platform: String? = nil, deviceInfo: String? = nil, extras: String? = nil
    ) {
        self.sharedSecretRequest = sharedSecretRequest
        self.devicePublicKeys = devicePublicKeys
        self.activationName = activationName
        self.activationOtp = activationOtp
        self.platform = platform
        self.deviceInfo = deviceInfo
        self.extras = extras
    }
}

extension KeyExchangeRequestV4: CustomReflectable {
    /// Leaves the one-time password out.
    public var customMirror: Mirror {
        Mirror(self, children: ["activationName": activationName as Any, "platform": platform as Any])
    }
}

/// The inner layer of the answer (protocol-4.md, section 8).
public struct KeyExchangeResponseV4: Sendable, Equatable {
    /// The server's half of the key exchange.
    public let sharedSecretResponse: SharedSecretResponse
    /// The server's public keys of this activation.
    public let serverPublicKeys: EncodedSuiteKeys
    /// Id of the activation, a UUID.
    public let activationId: String
    /// `ctrData`, 32 bytes.
    public let counter: HashBasedCounter

    /// Takes the parts.
    public init(
        sharedSecretResponse: SharedSecretResponse, serverPublicKeys: EncodedSuiteKeys, activationId: String,
        counter: HashBasedCounter
    ) {
        self.sharedSecretResponse = sharedSecretResponse
        self.serverPublicKeys = serverPublicKeys
        self.activationId = activationId
        self.counter = counter
    }
}

extension KeyExchangeResponseV4: Codable {
    private enum CodingKeys: String, CodingKey {
        case sharedSecretResponse, serverPublicKeys, activationId, ctrData
    }

    /// Reads the JSON form.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sharedSecretResponse = try container.decode(SharedSecretResponse.self, forKey: .sharedSecretResponse)
        serverPublicKeys = try container.decode(EncodedSuiteKeys.self, forKey: .serverPublicKeys)
        activationId = try container.decode(String.self, forKey: .activationId)
        guard !activationId.isEmpty else { throw ProtocolError.missing(field: "activationId") }
        counter = try HashBasedCounter(
            StrictBase64.decode(container.decode(String.self, forKey: .ctrData), field: "ctrData"))
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sharedSecretResponse, forKey: .sharedSecretResponse)
        try container.encode(serverPublicKeys, forKey: .serverPublicKeys)
        try container.encode(activationId, forKey: .activationId)
        try container.encode(StrictBase64.encode(counter.rawData), forKey: .ctrData)
    }
}
