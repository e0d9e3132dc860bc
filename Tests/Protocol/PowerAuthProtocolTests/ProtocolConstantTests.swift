// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// What both sides take from the same declaration, so that a round trip cannot notice a change of it.
@Suite("Constants of the protocol", .endsInTime)
struct ProtocolConstantTests {
    @Test func `Every version has its own set of features (protocol.md, section 1)`() {
        let features = ProtocolVersion.allCases.map { version in
            [
                version.usesRequestNonce, version.usesStatusChallenge, version.usesTimestamp, version.usesResponseNonce,
                version.usesTemporaryKey,
            ]
        }
        #expect(
            features == [
                [false, false, false, false, false], [true, true, false, false, false],
                [true, true, true, true, false],
                [true, true, true, true, true],
            ])
        #expect(ProtocolVersion.allCases.map(\.rawValue) == ["3.0", "3.1", "3.2", "3.3"])
        #expect(ProtocolVersion.allCases.map { SignatureForm.online($0) == .base64 } == [false, true, true, true])
        #expect(SignatureForm.online(.v3_0) == .decimal(length: 8))
    }

    @Test func `Every defined purpose has its text and its scope (protocol.md, section 7.1)`() {
        let purposes: [(EciesSharedInfo1, String, EciesScope?)] = [
            (.applicationGeneric, "/pa/generic/application", .application),
            (.activationGeneric, "/pa/generic/activation", .activation),
            (.activationLayer2, "/pa/activation", .application), (.upgrade, "/pa/upgrade", .activation),
            (.vaultUnlock, "/pa/vault/unlock", .activation), (.createToken, "/pa/token/create", .activation),
            (.confirmRecovery, "/pa/recovery/confirm", .activation),
            (EciesSharedInfo1(bytes: Data()), "", nil), (EciesSharedInfo1(rawValue: "/pa"), "/pa", nil),
        ]
        for (purpose, text, scope) in purposes {
            #expect(String(decoding: purpose.bytes, as: UTF8.self) == text)
            #expect(purpose.scope == scope, "\(text)")
        }
    }

    @Test func `Only six masks are factor combinations, each with its name (protocol.md, section 9.4)`() {
        let names: [Int: String] = [
            0x001: "possession", 0x010: "knowledge", 0x100: "biometry", 0x011: "possession_knowledge",
            0x101: "possession_biometry", 0x111: "possession_knowledge_biometry",
        ]
        for mask in Array(0...0x3FF) + [0x1001, 0x1111, -1] {
            let factors = SignatureFactors(rawValue: mask)
            #expect(SignatureType(factors)?.rawValue == names[mask], "\(mask)")
            #expect(factors.isValid == (names[mask] != nil), "\(mask)")
        }
        for type in SignatureType.allCases {
            #expect(names[type.factors.rawValue] == type.rawValue)
            #expect(SignatureType(header: type.rawValue.uppercased()) == type)
        }
    }

    @Test func `Every reason to refuse a header has its diagnostic code`() {
        #expect(
            SignatureHeaderError.allCases.map(\.rawValue) == [
                "POWER_AUTH_SIGNATURE_INVALID_EMPTY", "POWER_AUTH_ACTIVATION_ID_EMPTY",
                "POWER_AUTH_ACTIVATION_ID_INVALID", "POWER_AUTH_NONCE_EMPTY", "POWER_AUTH_NONCE_INVALID",
                "POWER_AUTH_SIGNATURE_TYPE_EMPTY", "POWER_AUTH_SIGNATURE_TYPE_INVALID", "POWER_AUTH_SIGNATURE_EMPTY",
                "POWER_AUTH_SIGNATURE_INVALID", "POWER_AUTH_APPLICATION_EMPTY", "POWER_AUTH_APPLICATION_INVALID",
                "POWER_AUTH_SIGNATURE_VERSION_EMPTY", "POWER_AUTH_SIGNATURE_VERSION_INVALID",
            ])
        #expect(
            EncryptionHeaderError.allCases.map(\.rawValue) == [
                "POWER_AUTH_ENCRYPTION_INVALID_EMPTY", "POWER_AUTH_ENCRYPTION_APPLICATION_KEY_EMPTY",
                "POWER_AUTH_ENCRYPTION_APPLICATION_KEY_INVALID", "POWER_AUTH_ENCRYPTION_ACTIVATION_ID_MISSING",
                "POWER_AUTH_ENCRYPTION_ACTIVATION_ID_INVALID", "POWER_AUTH_ENCRYPTION_ACTIVATION_ID_NOT_EXPECTED",
                "POWER_AUTH_ENCRYPTION_VERSION_EMPTY", "POWER_AUTH_ENCRYPTION_VERSION_INVALID",
            ])
        #expect(
            TokenHeaderError.allCases.map(\.rawValue) == [
                "POWER_AUTH_TOKEN_INVALID_EMPTY", "POWER_AUTH_TOKEN_ID_EMPTY", "POWER_AUTH_TOKEN_ID_INVALID",
                "POWER_AUTH_TOKEN_DIGEST_EMPTY", "POWER_AUTH_TOKEN_DIGEST_INVALID", "POWER_AUTH_TOKEN_NONCE_EMPTY",
                "POWER_AUTH_TOKEN_NONCE_INVALID", "POWER_AUTH_TOKEN_TIMESTAMP_EMPTY",
                "POWER_AUTH_TOKEN_TIMESTAMP_INVALID", "POWER_AUTH_TOKEN_VERSION_EMPTY",
                "POWER_AUTH_TOKEN_VERSION_INVALID",
            ])
        #expect(SignatureHeader.name == "X-PowerAuth-Authorization" && TokenHeader.name == "X-PowerAuth-Token")
        #expect(EncryptionHeader.name == "X-PowerAuth-Encryption")
    }

    @Test func `An error states the field, and what is wrong with it`() {
        let texts: [(ProtocolError, String)] = [
            (.invalidKey("key"), "key is not a valid key"),
            (.invalidLength(field: "mac", expected: "32 bytes", actual: 31), "mac has length 31, expected 32 bytes"),
            (.invalidEncoding(field: "mac"), "mac is not validly encoded"),
            (.invalidFormat(field: "puk", reason: "short"), "puk is not valid: short"),
            (
                .macMismatch,
                "the message authentication code does not match; the message or its parameters were changed"
            ),
            (.decryptionFailed, "the cipher text cannot be decrypted with this key"),
            (.signatureMismatch, "the signature does not verify with this key"),
            (.wrongState("twice"), "not possible in this state: twice"),
            (.unsupportedVersion("4"), "protocol version \"4\" is not one of 3.0, 3.1, 3.2, 3.3"),
            (.missing(field: "nonce"), "nonce is required by this protocol version and absent"),
            (.unexpected(field: "nonce"), "nonce is not known to this protocol version and must be absent"),
            (.cryptographicFailure("ECDH"), "OpenSSL failed in ECDH"),
        ]
        for (error, text) in texts { #expect("\(error)" == text) }
    }

    @Test func `Descriptions and dumps of secrets show none of their bytes`() throws {
        let configuration = try MobileSdkConfiguration(
            applicationKeyText: LabExample.applicationKeyText, applicationSecretText: LabExample.applicationSecretText,
            masterServerPublicKeyText: "AAAA")
        let key = try LabExample.deviceKey()
        let secrets: [(Any, String)] = [
            (try LabExample.keys().vault, "Vault(16 bytes)"), (try LabExample.counter(), "CounterData(16 bytes)"),
            (SecretBytes(Data(count: 5)), "SecretBytes(5 bytes)"),
            (try RecoveryPuk("0123456789"), "RecoveryPuk(10 digits)"),
            (key, "PrivateKey(of PublicKey(AlmrZjRHEQrL9oOQNq1R/KuwmPQMWQ4UWKDMjhu405i5))"),
        ]
        for (secret, description) in secrets {
            #expect("\(secret)" == description)
            #expect(Mirror(reflecting: secret).children.isEmpty, "\(description)")
        }
        #expect(Mirror(reflecting: try key.sharedSecret(with: key.publicKey)).children.isEmpty)
        #expect("\(configuration)" == "MobileSdkConfiguration(applicationKey: \(LabExample.applicationKeyText))")
        let shown = Mirror(reflecting: configuration).children.map { "\($0.label ?? "")=\($0.value)" }
        #expect(shown == ["applicationKey=\(LabExample.applicationKeyText)"])
    }
}
