// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol

/// A request that is to be signed (protocol.md, section 9.1). A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreHTTPRequestData {
    /// Body as it will be sent; `nil` is the same as empty.
    public var body: Data?
    /// HTTP method in upper case: `GET`, `POST`, `HEAD`, `PUT`, `DELETE` or `PATCH`.
    public var method: String
    /// Identifier of the operation agreed with the server (not the URL); not empty.
    public var uri: String
    /// Base64 of the 16-byte nonce given by the server. Its presence makes the signature an offline one.
    public var offlineNonce: String?
    /// Digits of one component of an offline signature, 4 to 8.
    public var offlineSignatureSize: UInt

    /// Makes the description of a request.
    public init(
        method: String, uri: String, body: Data? = nil, offlineNonce: String? = nil, offlineSignatureSize: UInt = 8
    ) {
        self.method = method
        self.uri = uri
        self.body = body
        self.offlineNonce = offlineNonce
        self.offlineSignatureSize = offlineSignatureSize
    }
}

/// A computed signature of a request. Immutable. Thread rule: any thread.
public final class PowerAuthCoreHTTPRequestDataSignature: Sendable {
    /// Protocol version the signature belongs to, for example `3.3`.
    public let version: String
    /// Identifier of the activation.
    public let activationId: String
    /// Base64 of the application key, or `offline` for an offline signature.
    public let applicationKey: String
    /// Base64 of the 16-byte nonce.
    public let nonce: String
    /// Factors as the header spells them, for example `possession_knowledge`.
    public let factor: String
    /// The signature: Base64, or decimal digits for an offline one.
    public let signature: String
    private let usedCounter: CounterData

    init(
        version: String, activationId: String, applicationKey: String, nonce: String, factor: String,
        signature: String, usedCounter: CounterData
    ) {
        self.version = version
        self.activationId = activationId
        self.applicationKey = applicationKey
        self.nonce = nonce
        self.factor = factor
        self.signature = signature
        self.usedCounter = usedCounter
    }

    /// Identifies the counter value that was used, without revealing it: 16 hexadecimal digits for traces.
    package var counterLabel: String { Self.label(of: usedCounter.rawData) }

    /// The label of a counter value of either generation of the protocol. The prefix keeps the digest different from the
    /// one that makes the next counter.
    static func label(of counter: Data) -> String {
        Digest.sha256(Data("counter label".utf8) + counter).prefix(8)
            .map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Complete value of the `X-PowerAuth-Authorization` header.
    public var authHeaderValue: String {
        PowerAuthHeader.format([
            ("pa_version", version), ("pa_activation_id", activationId), ("pa_application_key", applicationKey),
            ("pa_nonce", nonce), ("pa_signature_type", factor), ("pa_signature", signature),
        ])
    }
}

/// Authentication factors of a signature. The names are those that Swift's importer makes of the vendor's C constants
/// (sdk.md, section 6.4).
public struct PowerAuthCoreSignatureFactor: OptionSet, Sendable {
    /// Bit mask as the vendor defines it.
    public let rawValue: UInt

    /// Makes a set from its bit mask.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Something the user has: the key bound to the device.
    public static let possession = PowerAuthCoreSignatureFactor(rawValue: 0x001)
    /// Something the user knows: the password.
    public static let knowledge = PowerAuthCoreSignatureFactor(rawValue: 0x010)
    /// Something the user is: the key protected by biometry.
    public static let biometry = PowerAuthCoreSignatureFactor(rawValue: 0x100)
    /// Possession and knowledge.
    public static let possession_Knowledge: PowerAuthCoreSignatureFactor = [.possession, .knowledge]
    /// Possession and biometry.
    public static let possession_Biometry: PowerAuthCoreSignatureFactor = [.possession, .biometry]
    /// All three factors.
    public static let possession_Knowledge_Biometry: PowerAuthCoreSignatureFactor = [
        .possession, .knowledge, .biometry,
    ]
}

/// Keys that unlock the factor keys stored in a session (protocol.md, section 14.1).
/// A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreSignatureUnlockKeys {
    /// 16 bytes derived from the device's identity; not all zero. Unlocks the possession factor and the transport key.
    public var possessionUnlockKey: Data?
    /// 16 bytes that protect the transport key of an activation that is being completed, when the possession factor
    /// gets another key than the device's; nil takes ``possessionUnlockKey``. Status, encryption and vault unlock it
    /// later with the device's key, regardless of the signing key.
    package var transportUnlockKey: Data?
    /// 16 random bytes kept behind the device's biometry; not all zero.
    public var biometryUnlockKey: Data?
    /// Password of the user, at least 4 bytes.
    public var userPassword: PowerAuthCorePassword?

    /// Makes a set of unlock keys; pass those that the operation needs.
    public init(
        possessionUnlockKey: Data? = nil, biometryUnlockKey: Data? = nil, userPassword: PowerAuthCorePassword? = nil
    ) {
        self.possessionUnlockKey = possessionUnlockKey
        self.biometryUnlockKey = biometryUnlockKey
        self.userPassword = userPassword
    }
}

/// Key that signs or verifies ``PowerAuthCoreSignedData``. Names as sdk.md, section 6.4, derives them.
public enum PowerAuthCoreSigningDataKey: Int, Sendable {
    /// Master server key of the application.
    case ecdsa_MasterServerKey = 0
    /// Server's key of the activation.
    case ecdsa_PersonalizedKey = 1
    /// Key known to the application and the server.
    case hmac_Application = 2
    /// Key known to the activation and the server.
    case hmac_Activation = 3
}

/// Format of an ECDSA signature. Names as sdk.md, section 6.4, derives them.
public enum PowerAuthCoreSignatureFormat: Int, Sendable {
    /// DER for ECDSA, raw bytes for HMAC.
    case `default` = 0
    /// ASN.1 DER.
    case ECDSA_DER = 1
    /// 32 bytes of r and 32 bytes of s.
    case ECDSA_JOSE = 2
}

/// Data with their signature (protocol.md, section 10). A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreSignedData {
    /// Key the signature belongs to.
    public var signingDataKey: PowerAuthCoreSigningDataKey
    /// Format of the signature.
    public var signatureFormat: PowerAuthCoreSignatureFormat
    /// The signed bytes.
    public var data: Data
    /// The signature.
    public var signature: Data

    /// Makes a holder.
    public init(
        signingDataKey: PowerAuthCoreSigningDataKey, signatureFormat: PowerAuthCoreSignatureFormat = .default,
        data: Data = Data(), signature: Data = Data()
    ) {
        self.signingDataKey = signingDataKey
        self.signatureFormat = signatureFormat
        self.data = data
        self.signature = signature
    }

    /// The signed bytes as Base64; setting something that is not Base64 empties them.
    public var dataBase64: String {
        get { data.base64EncodedString() }
        set { data = Data(base64Encoded: newValue) ?? Data() }
    }

    /// The signature as Base64; setting something that is not Base64 empties it.
    public var signatureBase64: String {
        get { signature.base64EncodedString() }
        set { signature = Data(base64Encoded: newValue) ?? Data() }
    }
}

/// A JWT signed with the private key of the device (protocol.md, section 10).
package struct DeviceToken: Sendable {
    /// What is signed: the encoded header and claims, joined by a dot.
    package let signingInput: String

    /// - Parameter claims: the claims as JSON.
    package init(claims: Data) { signingInput = JWT.signingInput(claims: claims, algorithm: .es256) }

    /// The complete token.
    /// - Parameter signature: ECDSA signature of ``signingInput`` in JOSE format, 64 bytes.
    package func signed(with signature: Data) -> String { "\(signingInput).\(Base64URL.encode(signature))" }
}
