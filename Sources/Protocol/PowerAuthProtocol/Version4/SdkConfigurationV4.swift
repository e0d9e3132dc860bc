// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The values of an application version in one Base64 string, with the master keys of protocol 4 (protocol-4.md, section
/// 5). The string is that of version 3, see ``MobileSdkConfiguration``, with further keys.
public struct SdkConfigurationV4: Sendable, Equatable {
    /// The kinds of master keys; the raw value is the identifier in the string.
    public enum KeyKind: UInt8, Sendable, CaseIterable {
        /// For protocol 3.
        case p256 = 1
        /// For all suites of protocol 4.
        case p384 = 2
        /// For `EC_P384_ML_L3`.
        case mldsa65 = 3
        /// For `EC_P384_ML_L5`.
        case mldsa87 = 4
    }

    /// `APP_KEY`, 16 bytes.
    public let applicationKey: Data
    /// `APP_SECRET`.
    public let applicationSecret: ApplicationSecretKey
    /// The master keys as given: points, and containers of ML-DSA. They are not checked before they are used.
    public let keys: [KeyKind: Data]

    /// Takes the values.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for an application key that is not 16 bytes, or a
    ///   master key that is too long to be counted.
    public init(applicationKey: Data, applicationSecret: ApplicationSecretKey, keys: [KeyKind: Data]) throws {
        guard applicationKey.count == 16 else {
            throw ProtocolError.invalidLength(
                field: "applicationKey", expected: "16 bytes", actual: applicationKey.count)
        }
        for key in keys.values where CountEncoding.encode(key.count) == nil {
            throw ProtocolError.invalidLength(field: "master key", expected: "a countable size", actual: key.count)
        }
        self.applicationKey = applicationKey
        self.applicationSecret = applicationSecret
        self.keys = keys
    }

    /// Reads a configuration string. Keys of other kinds and bytes after the last key are ignored, the last key of a kind
    /// wins.
    /// - Throws: ``ProtocolError`` naming the part that is wrong.
    public init(_ string: String) throws {
        guard let data = StrictBase64.decode(string) else {
            throw ProtocolError.invalidEncoding(field: "configuration")
        }
        var reader = CountedReader(data)
        guard reader.byte() == 1 else {
            throw ProtocolError.invalidFormat(field: "configuration", reason: "its version is not 1")
        }
        let truncated = ProtocolError.invalidFormat(field: "configuration", reason: "it ends too early")
        guard let key = reader.counted(), let secret = reader.counted(), let count = reader.count() else {
            throw truncated
        }
        var keys: [KeyKind: Data] = [:]
        for _ in 0..<count {
            guard let identifier = reader.byte(), let bytes = reader.counted() else { throw truncated }
            if let kind = KeyKind(rawValue: identifier) { keys[kind] = bytes }
        }
        try self.init(applicationKey: key, applicationSecret: ApplicationSecretKey(secret), keys: keys)
    }

    /// The configuration string, with the keys in the order of their identifiers.
    public var string: String {
        var data = Data([1])
        for value in [applicationKey, applicationSecret.rawData] { data += Self.counted(value) }
        data.append(UInt8(keys.count))
        for (kind, key) in keys.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            data += [kind.rawValue] + Self.counted(key)
        }
        return StrictBase64.encode(data)
    }

    /// The master keys of a suite; that of ML-DSA is a container (protocol-4.md, section 17, item 8).
    /// - Throws: ``ProtocolError/missing(field:)`` for a key that the string lacks, ``ProtocolError/invalidKey(_:)`` for
    ///   an unusable one.
    public func masterKeys(suite: CryptographySuite) throws -> SuitePublicKeys {
        guard let ecdsa = keys[.p384] else { throw ProtocolError.missing(field: "master key of P-384") }
        let kind: KeyKind? =
            switch suite.name {
            case .ecP384: nil
            case .ecP384MLL3: .mldsa65
            case .ecP384MLL5: .mldsa87
            }
        let mldsa = kind.flatMap { keys[$0] }
        if kind != nil, mldsa == nil, let algorithm = suite.signature?.algorithm {
            throw ProtocolError.missing(field: "master key of \(algorithm.rawValue)")
        }
        return try SuitePublicKeys(EncodedSuiteKeys(ecdsa: ecdsa, mldsa: mldsa), suite: suite)
    }

    /// The initialiser has checked that every value can be counted.
    private static func counted(_ data: Data) -> Data { (CountEncoding.encode(data.count) ?? Data()) + data }
}

extension SdkConfigurationV4: CustomStringConvertible, CustomReflectable {
    /// Names the application, not the secret.
    public var description: String { "SdkConfigurationV4(applicationKey: \(StrictBase64.encode(applicationKey)))" }
    /// Shows the application key only.
    public var customMirror: Mirror { Mirror(self, children: ["applicationKey": StrictBase64.encode(applicationKey)]) }
}
