// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `X-PowerAuth-Authorization` (protocol.md, section 9.5).
public struct SignatureHeader: Sendable, Equatable {
    /// Name of the HTTP header.
    public static let name = "X-PowerAuth-Authorization"

    /// Protocol version; decides about the form of the signature.
    public let version: ProtocolVersion
    /// Activation id as sent.
    public let activationId: String
    /// Base64 text of the application key.
    public let applicationKey: String
    /// Base64 text of 16 bytes; the signature covers this text.
    public let nonce: String
    /// The factors that signed.
    public let signatureType: SignatureType
    /// Base64 or decimal.
    public let signature: String

    /// Takes the values to write.
    public init(
        version: ProtocolVersion, activationId: String, applicationKey: String, nonce: String,
        signatureType: SignatureType, signature: String
    ) {
        self.version = version
        self.activationId = activationId
        self.applicationKey = applicationKey
        self.nonce = nonce
        self.signatureType = signatureType
        self.signature = signature
    }

    /// Reads and validates a header value.
    /// - Parameter value: the header's value, nil when the request has none.
    public init(parsing value: String?) throws(SignatureHeaderError) {
        let reader = try HeaderReader(value, orThrow: SignatureHeaderError.empty)
        activationId = try reader.read(
            "pa_activation_id", missing: .activationIdEmpty, invalid: .activationIdInvalid, HeaderValue.uuid)
        nonce = try reader.read("pa_nonce", missing: .nonceEmpty, invalid: .nonceInvalid, HeaderValue.base64Of16)
        signatureType = try reader.read(
            "pa_signature_type", missing: .signatureTypeEmpty, invalid: .signatureTypeInvalid
        ) { SignatureType(rawValue: $0.lowercased()) }
        signature = try reader.read("pa_signature", missing: .signatureEmpty, invalid: .signatureInvalid) {
            Self.isSignature($0) ? $0 : nil
        }
        applicationKey = try reader.read(
            "pa_application_key", missing: .applicationEmpty, invalid: .applicationInvalid, HeaderValue.base64Of16)
        version = try reader.read("pa_version", missing: .versionEmpty, invalid: .versionInvalid, HeaderValue.version)
    }

    /// The header's value.
    public var value: String {
        PowerAuthHeader.format([
            ("pa_version", version.rawValue), ("pa_activation_id", activationId),
            ("pa_application_key", applicationKey), ("pa_nonce", nonce),
            ("pa_signature_type", signatureType.rawValue), ("pa_signature", signature),
        ])
    }

    /// Base64 of 16, 32 or 48 bytes, or one to three groups of eight digits.
    private static func isSignature(_ text: String) -> Bool {
        if let bytes = StrictBase64.decode(text), [16, 32, 48].contains(bytes.count) { return true }
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.count <= 3
            && groups.allSatisfy { $0.utf8.count == 8 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }
}

/// Why a signature header is refused. The raw value is a diagnostic code for logs.
public enum SignatureHeaderError: String, Error, Sendable, CaseIterable {
    /// Missing or not parseable.
    case empty = "POWER_AUTH_SIGNATURE_INVALID_EMPTY"
    /// No activation id.
    case activationIdEmpty = "POWER_AUTH_ACTIVATION_ID_EMPTY"
    /// The activation id is not a UUID.
    case activationIdInvalid = "POWER_AUTH_ACTIVATION_ID_INVALID"
    /// No nonce.
    case nonceEmpty = "POWER_AUTH_NONCE_EMPTY"
    /// The nonce is not Base64 of 16 bytes.
    case nonceInvalid = "POWER_AUTH_NONCE_INVALID"
    /// No signature type.
    case signatureTypeEmpty = "POWER_AUTH_SIGNATURE_TYPE_EMPTY"
    /// An unknown signature type.
    case signatureTypeInvalid = "POWER_AUTH_SIGNATURE_TYPE_INVALID"
    /// No signature.
    case signatureEmpty = "POWER_AUTH_SIGNATURE_EMPTY"
    /// The signature has neither form.
    case signatureInvalid = "POWER_AUTH_SIGNATURE_INVALID"
    /// No application key.
    case applicationEmpty = "POWER_AUTH_APPLICATION_EMPTY"
    /// The application key is not Base64 of 16 bytes.
    case applicationInvalid = "POWER_AUTH_APPLICATION_INVALID"
    /// No version.
    case versionEmpty = "POWER_AUTH_SIGNATURE_VERSION_EMPTY"
    /// A version that is not supported.
    case versionInvalid = "POWER_AUTH_SIGNATURE_VERSION_INVALID"
}
