// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An encrypted request as its JSON carries it (protocol.md, section 7.4).
public struct EciesRequest: Sendable, Equatable {
    /// Id of the temporary key the message is encrypted for (3.3).
    public var temporaryKeyId: String?
    /// The sender's ephemeral public key, exactly as sent.
    public var ephemeralPublicKey: Data
    /// Cipher text, whole blocks of 16 bytes.
    public var encryptedData: Data
    /// Authentication code, 32 bytes.
    public var mac: Data
    /// 16 bytes (3.1 and later).
    public var nonce: Data?
    /// Milliseconds since 1970 (3.2 and later).
    public var timestamp: UInt64?

    /// Takes the members as they are; see ``validate(for:)``.
    public init(
        temporaryKeyId: String? = nil, ephemeralPublicKey: Data, encryptedData: Data, mac: Data,
        nonce: Data? = nil, timestamp: UInt64? = nil
    ) {
        self.temporaryKeyId = temporaryKeyId
        self.ephemeralPublicKey = ephemeralPublicKey
        self.encryptedData = encryptedData
        self.mac = mac
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// Applies the presence and size rules of a version: required members must be present, unknown ones absent.
    /// - Throws: ``ProtocolError`` naming the member.
    public func validate(for version: ProtocolVersion) throws {
        try EciesRules.presence(of: temporaryKeyId, "temporaryKeyId", required: version.usesTemporaryKey)
        try EciesRules.presence(of: nonce, "nonce", required: version.usesRequestNonce)
        try EciesRules.presence(of: timestamp, "timestamp", required: version.usesTimestamp)
        guard ephemeralPublicKey.count == 33 || ephemeralPublicKey.count == 65 else {
            throw ProtocolError.invalidKey("ephemeralPublicKey")
        }
        try EciesRules.sizes(encryptedData: encryptedData, mac: mac, nonce: nonce)
    }

    /// The value a server remembers to refuse a second arrival of the same message (protocol.md, section 7.6).
    public func replayValue(activationId: String?) -> String {
        StrictBase64.encode(ephemeralPublicKey + (nonce ?? Data()) + Data((activationId ?? "").utf8))
    }
}

/// An encrypted response as its JSON carries it (protocol.md, section 7.4).
public struct EciesResponse: Sendable, Equatable {
    /// Cipher text, whole blocks of 16 bytes.
    public var encryptedData: Data
    /// Authentication code, 32 bytes.
    public var mac: Data
    /// 16 bytes (3.2 and later).
    public var nonce: Data?
    /// Milliseconds since 1970 (3.2 and later).
    public var timestamp: UInt64?

    /// Takes the members as they are; see ``validate(for:)``.
    public init(encryptedData: Data, mac: Data, nonce: Data? = nil, timestamp: UInt64? = nil) {
        self.encryptedData = encryptedData
        self.mac = mac
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// Applies the presence and size rules of a version.
    /// - Throws: ``ProtocolError`` naming the member.
    public func validate(for version: ProtocolVersion) throws {
        try EciesRules.presence(of: nonce, "nonce", required: version.usesResponseNonce)
        try EciesRules.presence(of: timestamp, "timestamp", required: version.usesTimestamp)
        try EciesRules.sizes(encryptedData: encryptedData, mac: mac, nonce: nonce)
    }
}

enum EciesRules {
    static func presence<Value>(of value: Value?, _ field: String, required: Bool) throws {
        switch (value != nil, required) {
        case (false, true): throw ProtocolError.missing(field: field)
        case (true, false): throw ProtocolError.unexpected(field: field)
        default: break
        }
    }

    static func sizes(encryptedData: Data, mac: Data, nonce: Data?) throws {
        guard encryptedData.count >= 16, encryptedData.count % 16 == 0 else {
            throw ProtocolError.invalidLength(
                field: "encryptedData", expected: "a multiple of 16 bytes", actual: encryptedData.count)
        }
        guard mac.count == 32 else {
            throw ProtocolError.invalidLength(field: "mac", expected: "32 bytes", actual: mac.count)
        }
        // Exactly 16: the original core accepts longer ones (protocol.md, section 22, item 9).
        if let nonce, nonce.count != 16 {
            throw ProtocolError.invalidLength(field: "nonce", expected: "16 bytes", actual: nonce.count)
        }
    }
}

extension EciesRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case temporaryKeyId, ephemeralPublicKey, encryptedData, mac, nonce, timestamp
    }

    /// Reads the JSON form; binary members are strict Base64.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        temporaryKeyId = try container.decodeIfPresent(String.self, forKey: .temporaryKeyId)
        if temporaryKeyId?.isEmpty == true { throw ProtocolError.missing(field: "temporaryKeyId") }
        ephemeralPublicKey = try container.base64(.ephemeralPublicKey)
        encryptedData = try container.base64(.encryptedData)
        mac = try container.base64(.mac)
        nonce = try container.base64IfPresent(.nonce)
        timestamp = try container.decodeIfPresent(UInt64.self, forKey: .timestamp)
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(temporaryKeyId, forKey: .temporaryKeyId)
        try container.encode(StrictBase64.encode(ephemeralPublicKey), forKey: .ephemeralPublicKey)
        try container.encode(StrictBase64.encode(encryptedData), forKey: .encryptedData)
        try container.encode(StrictBase64.encode(mac), forKey: .mac)
        try container.encodeIfPresent(nonce.map { StrictBase64.encode($0) }, forKey: .nonce)
        try container.encodeIfPresent(timestamp, forKey: .timestamp)
    }
}

extension EciesResponse: Codable {
    private enum CodingKeys: String, CodingKey { case encryptedData, mac, nonce, timestamp }

    /// Reads the JSON form; binary members are strict Base64.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        encryptedData = try container.base64(.encryptedData)
        mac = try container.base64(.mac)
        nonce = try container.base64IfPresent(.nonce)
        timestamp = try container.decodeIfPresent(UInt64.self, forKey: .timestamp)
    }

    /// Writes the JSON form; members that a version lacks are left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(StrictBase64.encode(encryptedData), forKey: .encryptedData)
        try container.encode(StrictBase64.encode(mac), forKey: .mac)
        try container.encodeIfPresent(nonce.map { StrictBase64.encode($0) }, forKey: .nonce)
        try container.encodeIfPresent(timestamp, forKey: .timestamp)
    }

    /// Writes the JSON form as a member of another answer, where members that a version lacks are `null`.
    func encodeWithNulls(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(StrictBase64.encode(encryptedData), forKey: .encryptedData)
        try container.encode(StrictBase64.encode(mac), forKey: .mac)
        try container.encode(nonce.map { StrictBase64.encode($0) }, forKey: .nonce)
        try container.encode(timestamp, forKey: .timestamp)
    }
}

extension KeyedDecodingContainer {
    fileprivate func base64(_ key: Key) throws -> Data {
        try StrictBase64.decode(decode(String.self, forKey: key), field: key.stringValue)
    }

    fileprivate func base64IfPresent(_ key: Key) throws -> Data? {
        try decodeIfPresent(String.self, forKey: key).map { try StrictBase64.decode($0, field: key.stringValue) }
    }
}
