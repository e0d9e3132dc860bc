// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The purpose of a message, `SHARED_INFO_1` of protocol 4 (protocol-4.md, section 7).
public enum AeadPurpose: String, Sendable, CaseIterable {
    /// A message of the application without an activation.
    case applicationGeneric = "/pa/generic/application"
    /// A message of the application about its activation; also the status (protocol-4.md, section 17, item 3).
    case activationGeneric = "/pa/generic/activation"
    /// The inner layer of an activation, in application scope.
    case activationLayer2 = "/pa/activation"
    /// The start of an upgrade, in application scope (protocol-4.md, section 17, item 4).
    case upgradeStart = "/pa/upgrade/start"
    /// A key of the vault.
    case vaultUnlock = "/pa/vault/unlock"
    /// A token.
    case tokenCreate = "/pa/token/create"
    /// Another password.
    case passwordChange = "/pa/password/change"
    /// A biometry factor.
    case biometryAdd = "/pa/biometry/add"
}

/// What both sides must agree on before a message of protocol 4 is encrypted (protocol-4.md, section 7).
public struct AeadParameters: Sendable {
    /// The purpose of the message.
    public let purpose: AeadPurpose
    /// Base64 text of the application key, as sent.
    public let applicationKey: String
    /// The activation id as sent, nil in application scope.
    public let activationId: String?
    /// The temporary key's id as sent.
    public let temporaryKeyId: String
    /// The secret of the temporary key.
    let secret: TemporaryKeySecret
    /// `SH2`.
    private let sharedInfo2: Data
    /// What all messages of these parameters have in front of their contexts, and of their associated data.
    private let contextStart, associatedStart: Data

    /// Application scope.
    /// - Parameters:
    ///   - secret: what was exchanged for the temporary key.
    public init(
        purpose: AeadPurpose, applicationKey: String, applicationSecret: ApplicationSecretKey,
        temporaryKeyId: String, secret: TemporaryKeySecret
    ) {
        self.init(
            purpose, applicationKey, nil, temporaryKeyId, secret,
            applicationSecret.withUnsafeBytes { SHA3.sha256(Data($0)) })
    }

    /// Activation scope.
    /// - Parameters:
    ///   - key: `KEY_E2EE_SHARED_INFO2` of the activation.
    ///   - secret: what was exchanged for the temporary key.
    public init(
        purpose: AeadPurpose, applicationKey: String, applicationSecret: ApplicationSecretKey, activationId: String,
        key: Key256<KeyPurpose.SharedInfo2>, temporaryKeyId: String, secret: TemporaryKeySecret
    ) {
        self.init(
            purpose, applicationKey, activationId, temporaryKeyId, secret,
            KMAC256.code(key, .sharedInfo2, applicationSecret.rawData))
    }

    private init(
        _ purpose: AeadPurpose, _ applicationKey: String, _ activationId: String?, _ temporaryKeyId: String,
        _ secret: TemporaryKeySecret, _ sharedInfo2: Data
    ) {
        self.purpose = purpose
        self.applicationKey = applicationKey
        self.activationId = activationId
        self.temporaryKeyId = temporaryKeyId
        self.secret = secret
        self.sharedInfo2 = sharedInfo2
        contextStart = Data(CryptographySuite.version.utf8) + Data(purpose.rawValue.utf8)
        let names = [CryptographySuite.version, applicationKey] + (activationId.map { [$0] } ?? []) + [temporaryKeyId]
        associatedStart = BinaryLayout.join(names.map { Data($0.utf8) })
    }

    /// Bytes of the nonces of request and response together.
    static let noncesSize = 2 * AEAD.nonceSize

    /// The context of the message keys, which is that of the request for the response, too.
    func keyContext(nonces: Data) -> Data { contextStart + nonces }

    /// `AD` of a message.
    /// - Parameter timestamp: milliseconds since 1970, of the sender.
    func associatedData(nonces: Data, timestamp: UInt64) -> Data {
        BinaryLayout.join([BinaryLayout.bigEndian(timestamp), nonces, sharedInfo2], behind: associatedStart)
    }
}

extension FreshnessWindow {
    /// A message of protocol 4: five minutes to either side.
    public static let aead = Self(past: 300_000, future: 300_000)
}

extension AeadParameters: CustomReflectable {
    /// Shows the names only: `SH2` is made from the application's secret.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "purpose": purpose.rawValue, "applicationKey": applicationKey, "activationId": activationId as Any,
                "temporaryKeyId": temporaryKeyId,
            ])
    }
}
