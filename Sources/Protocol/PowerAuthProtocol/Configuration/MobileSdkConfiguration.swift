// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The three values of an application version in one Base64 string (protocol.md, section 5).
public struct MobileSdkConfiguration: Sendable, Equatable {
    /// `APP_KEY`, 16 bytes.
    public let applicationKey: Data
    /// `APP_SECRET`, 16 bytes.
    public let applicationSecret: Data
    /// The master server public key as given, 33 or 65 bytes. The point is not checked before it is used.
    public let masterServerPublicKey: Data

    /// The reader of a string: the client skips unknown keys, the server refuses them.
    public enum Reader: Sendable {
        /// Unknown key ids are skipped and the last P-256 key wins.
        case client
        /// Exactly one key, the P-256 one.
        case server
    }

    /// Takes the three values.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for a key or secret that is not
    ///   16 bytes, ``ProtocolError/missing(field:)`` for an empty public key.
    public init(applicationKey: Data, applicationSecret: Data, masterServerPublicKey: Data) throws {
        for (field, value) in [("applicationKey", applicationKey), ("applicationSecret", applicationSecret)] {
            guard value.count == 16 else {
                throw ProtocolError.invalidLength(field: field, expected: "16 bytes", actual: value.count)
            }
        }
        guard !masterServerPublicKey.isEmpty else { throw ProtocolError.missing(field: "masterServerPublicKey") }
        guard CountEncoding.encode(masterServerPublicKey.count) != nil else {
            throw ProtocolError.invalidLength(
                field: "masterServerPublicKey", expected: "33 or 65 bytes", actual: masterServerPublicKey.count)
        }
        self.applicationKey = applicationKey
        self.applicationSecret = applicationSecret
        self.masterServerPublicKey = masterServerPublicKey
    }

    /// Takes the three values as Base64 texts, the form SDKs up to 1.8 were set up with.
    /// - Throws: ``ProtocolError`` naming the value that is wrong.
    public init(applicationKeyText: String, applicationSecretText: String, masterServerPublicKeyText: String) throws {
        try self.init(
            applicationKey: StrictBase64.decode(applicationKeyText, field: "applicationKey"),
            applicationSecret: StrictBase64.decode(applicationSecretText, field: "applicationSecret"),
            masterServerPublicKey: StrictBase64.decode(masterServerPublicKeyText, field: "masterServerPublicKey"))
    }

    /// Reads a configuration string. Bytes after the last key are ignored.
    /// - Throws: ``ProtocolError`` naming the part that is wrong.
    public init(_ string: String, reader kind: Reader = .client) throws {
        guard !string.isEmpty else { throw ProtocolError.missing(field: "configuration") }
        guard let data = StrictBase64.decode(string) else {
            throw ProtocolError.invalidEncoding(field: "configuration")
        }
        var reader = CountedReader(data)
        guard reader.byte() == Self.version else {
            throw ProtocolError.invalidFormat(field: "configuration", reason: "its version is not 1")
        }
        let truncated = ProtocolError.invalidFormat(field: "configuration", reason: "it ends too early")
        guard let key = reader.counted(), let secret = reader.counted(), let count = reader.count() else {
            throw truncated
        }
        guard kind == .client || count == 1 else {
            throw ProtocolError.invalidFormat(field: "configuration", reason: "it must hold exactly one key")
        }
        var publicKey: Data?
        for _ in 0..<count {
            guard let identifier = reader.byte(), let bytes = reader.counted() else { throw truncated }
            if identifier == Self.p256KeyIdentifier {
                publicKey = bytes
            } else if kind == .server {
                throw ProtocolError.invalidFormat(field: "configuration", reason: "it holds a key of unknown kind")
            }
        }
        guard let publicKey else { throw ProtocolError.missing(field: "masterServerPublicKey") }
        try self.init(applicationKey: key, applicationSecret: secret, masterServerPublicKey: publicKey)
    }

    /// The configuration string.
    public var string: String {
        var data = Data([Self.version])
        for value in [applicationKey, applicationSecret] { data += Self.counted(value) }
        data += [1, Self.p256KeyIdentifier] + Self.counted(masterServerPublicKey)
        return StrictBase64.encode(data)
    }

    /// Base64 text of the application key, as headers carry it.
    public var applicationKeyText: String { StrictBase64.encode(applicationKey) }
    /// Base64 text of the application secret, as signatures and ECIES use it.
    public var applicationSecretText: String { StrictBase64.encode(applicationSecret) }
    /// Base64 text of the master server public key.
    public var masterServerPublicKeyText: String { StrictBase64.encode(masterServerPublicKey) }

    /// The master server public key as a checked point.
    /// - Throws: ``ProtocolError/invalidKey(_:)``.
    public func masterServerKey() throws -> PublicKey {
        try PublicKey(encoded: masterServerPublicKey, field: "masterServerPublicKey")
    }

    private static let version: UInt8 = 1
    private static let p256KeyIdentifier: UInt8 = 1

    /// The initialisers have checked that every value can be counted.
    private static func counted(_ data: Data) -> Data { (CountEncoding.encode(data.count) ?? Data()) + data }
}

extension MobileSdkConfiguration: CustomStringConvertible, CustomReflectable {
    /// Names the application, not the secret.
    public var description: String { "MobileSdkConfiguration(applicationKey: \(applicationKeyText))" }
    /// Shows the application key only.
    public var customMirror: Mirror { Mirror(self, children: ["applicationKey": applicationKeyText]) }
}
