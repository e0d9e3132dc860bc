// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// The scope of an encrypted exchange (protocol.md, section 7.1).
public enum EciesScope: String, Sendable, CaseIterable {
    /// The application: the master server key or an application temporary key.
    case application
    /// One activation: its server key or an activation temporary key.
    case activation
}

/// `sharedInfo1`: the purpose of an encrypted message. Applications may define their own.
public struct EciesSharedInfo1: Sendable, Hashable {
    /// The bytes that enter the key derivation; ASCII in all identifiers the protocol defines.
    public let bytes: Data

    /// An identifier of an application's own endpoint.
    public init(bytes: Data) { self.bytes = bytes }
    /// The same for an identifier that is text, which enters as UTF-8.
    public init(rawValue: String) { self.init(bytes: Data(rawValue.utf8)) }

    /// An application's own endpoint in application scope; layer 1 of an activation.
    public static let applicationGeneric = Self(rawValue: "/pa/generic/application")
    /// An application's own endpoint in activation scope; user info.
    public static let activationGeneric = Self(rawValue: "/pa/generic/activation")
    /// Layer 2 of an activation (application scope).
    public static let activationLayer2 = Self(rawValue: "/pa/activation")
    /// Start of a protocol upgrade.
    public static let upgrade = Self(rawValue: "/pa/upgrade")
    /// Vault unlock.
    public static let vaultUnlock = Self(rawValue: "/pa/vault/unlock")
    /// Token creation.
    public static let createToken = Self(rawValue: "/pa/token/create")
    /// Confirmation of a recovery code.
    public static let confirmRecovery = Self(rawValue: "/pa/recovery/confirm")

    /// The scope of an identifier the protocol itself defines; nil for an application's own.
    public var scope: EciesScope? {
        switch self {
        case .applicationGeneric, .activationLayer2: .application
        case .activationGeneric, .upgrade, .vaultUnlock, .createToken, .confirmRecovery: .activation
        default: nil
        }
    }
}

/// `S2base`: what only the two parties know, besides the keys (protocol.md, section 7.1). Both functions
/// take the application secret as the Base64 text of its 16 bytes and answer 32 bytes.
public enum SharedInfo2 {
    /// Application scope.
    public static func application(_ applicationSecretText: String) -> Data {
        Digest.sha256(Data(applicationSecretText.utf8))
    }

    /// Activation scope.
    public static func activation(_ transportKey: TransportKey, _ applicationSecretText: String) -> Data {
        Digest.hmacSHA256(key: transportKey, data: Data(applicationSecretText.utf8))
    }
}

/// What both sides must agree on before a message is encrypted (protocol.md, section 7.2).
public struct EciesParameters: Sendable, Equatable {
    /// Decides about nonces, timestamps and associated data.
    public let version: ProtocolVersion
    /// The purpose of the message.
    public let sharedInfo1: EciesSharedInfo1
    /// Base64 text of the application key, as sent.
    public let applicationKey: String
    /// The activation id as sent, nil in application scope.
    public let activationId: String?
    /// The temporary key's id as sent; required by 3.3, nil before.
    public let temporaryKeyId: String?
    /// `AD`: empty before 3.2.
    public let associatedData: Data

    /// Takes the parameters; an empty activation id counts as none.
    public init(
        version: ProtocolVersion, sharedInfo1: EciesSharedInfo1, applicationKey: String,
        activationId: String? = nil, temporaryKeyId: String? = nil
    ) {
        self.version = version
        self.sharedInfo1 = sharedInfo1
        self.applicationKey = applicationKey
        self.activationId = activationId?.isEmpty == true ? nil : activationId
        self.temporaryKeyId = temporaryKeyId
        var items: [String] = []
        if version.usesTimestamp {
            items = [version.rawValue, applicationKey]
            if let activationId = self.activationId { items.append(activationId) }
            if version.usesTemporaryKey { items.append(temporaryKeyId ?? "") }
        }
        associatedData = BinaryLayout.join(items.map { Data($0.utf8) })
    }

    /// Application scope has no activation id.
    public var scope: EciesScope { activationId == nil ? .application : .activation }

    /// Key derivation information for an ephemeral public key exactly as sent.
    func derivationInfo(ephemeralPublicKey: Data) -> Data {
        var info = Data(capacity: 3 + sharedInfo1.bytes.count + ephemeralPublicKey.count)
        if version.usesTimestamp { info.append(contentsOf: version.rawValue.utf8) }
        info.append(sharedInfo1.bytes)
        info.append(ephemeralPublicKey)
        return info
    }

    /// `S2`, the part of the authenticated bytes behind the cipher text.
    /// - Parameter ephemeralPublicKey: nil in a response.
    package func macSuffix(sharedInfo2: Data, nonce: Data?, timestamp: UInt64?, ephemeralPublicKey: Data?) -> Data {
        guard version.usesTimestamp else { return sharedInfo2 }
        return BinaryLayout.join([
            sharedInfo2, nonce ?? Data(), timestamp.map { BinaryLayout.bigEndian($0) } ?? Data(),
            ephemeralPublicKey ?? Data(), associatedData,
        ])
    }

    func requireTemporaryKeyRule() throws {
        switch (version.usesTemporaryKey, temporaryKeyId) {
        case (true, nil): throw ProtocolError.missing(field: "temporaryKeyId")
        case (false, .some): throw ProtocolError.unexpected(field: "temporaryKeyId")
        default: break
        }
    }
}

/// The 48 bytes derived for one exchange: encryption, authentication and vector key
/// (protocol.md, section 7.3). A server may hand them to an integration server.
public struct EciesEnvelope: Sendable {
    typealias Key = SymmetricKey<KeyPurpose.Envelope>

    let encryptionKey: Key
    let macKey: Key
    let vectorKey: Key

    /// Takes over 48 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    public init(_ data: Data) throws { try self.init(SecretBytes(data)) }

    /// Derives the envelope from a shared secret.
    /// - Parameters:
    ///   - secret: ECDH of the ephemeral key and the server's key.
    ///   - parameters: version and purpose of the exchange.
    ///   - ephemeralPublicKey: the key exactly as sent.
    public init(secret: SharedSecret, parameters: EciesParameters, ephemeralPublicKey: Data) throws {
        let info = parameters.derivationInfo(ephemeralPublicKey: ephemeralPublicKey)
        try self.init(KDF.x963(secret: secret.bytes, info: info, length: 48))
    }

    private init(_ bytes: SecretBytes) throws {
        guard bytes.count == 48 else {
            throw ProtocolError.invalidLength(field: "envelope key", expected: "48 bytes", actual: bytes.count)
        }
        func part(_ index: Int) -> Key {
            Key { output in
                bytes.withUnsafeBytes {
                    output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[(index * 16)..<(index * 16 + 16)]))
                }
            }
        }
        encryptionKey = part(0)
        macKey = part(1)
        vectorKey = part(2)
    }

    /// An ordinary copy of the 48 bytes, for an integration server.
    public var rawData: Data { encryptionKey.rawData + macKey.rawData + vectorKey.rawData }

    /// The initialisation vector: zero in 3.0, derived from a nonce later.
    package func vector(nonce: Data?) throws -> Data { try vector(nonce: nonce, HMACSHA256()) }

    /// Encrypts, then authenticates cipher text and suffix.
    func seal(_ plaintext: Data, nonce: Data?, macSuffix: Data) throws -> (encryptedData: Data, mac: Data) {
        let hmac = HMACSHA256()
        let encryptedData = try AESCBC.encrypt(
            plaintext, key: encryptionKey, iv: vector(nonce: nonce, hmac), padding: .pkcs7)
        var code = Data(count: 32)
        code.withUnsafeMutableBytes { authenticate(encryptedData, macSuffix, hmac, into: $0) }
        return (encryptedData, code)
    }

    /// Compares the authentication code in constant time and only then decrypts.
    func open(_ encryptedData: Data, mac expected: Data, nonce: Data?, macSuffix: Data) throws -> Data {
        let hmac = HMACSHA256()
        let isAuthentic = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { code in
            authenticate(encryptedData, macSuffix, hmac, into: code)
            return expected.withUnsafeBytes { constantTimeEquals(UnsafeRawBufferPointer(code), $0) }
        }
        guard isAuthentic else { throw ProtocolError.macMismatch }
        return try AESCBC.decrypt(encryptedData, key: encryptionKey, iv: vector(nonce: nonce, hmac), padding: .pkcs7)
    }

    private func vector(nonce: Data?, _ hmac: borrowing HMACSHA256) throws -> Data {
        guard let nonce else { return AESCBC.zeroIV }
        return try KDF.internalDeriveBytes(vectorKey, data: nonce, hmac)
    }

    private func authenticate(
        _ encryptedData: Data, _ suffix: Data, _ hmac: borrowing HMACSHA256, into output: UnsafeMutableRawBufferPointer
    ) {
        macKey.withUnsafeBytes { key in
            encryptedData.withUnsafeBytes { first in
                suffix.withUnsafeBytes { hmac.compute(key: key, first, $0, into: output) }
            }
        }
    }
}
