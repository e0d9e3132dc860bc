// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("HTTP headers", .endsInTime)
struct HeaderTests {
    private let signatureValue = """
        PowerAuth pa_version="3.3", pa_activation_id="7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11", \
        pa_application_key="AAECAwQFBgcICQoLDA0ODw==", pa_nonce="ICEiIyQlJicoKSorLC0uLw==", \
        pa_signature_type="possession_knowledge", pa_signature="+eltToL7I9TJWc1WOAMFZBtVWAJixkkHTCmj4ul3BMc="
        """
    private let encryptionValue = """
        PowerAuth version="3.3", application_key="AAECAwQFBgcICQoLDA0ODw==", \
        activation_id="7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11"
        """

    @Test func `Headers are read by their grammar`() {
        let pairs = ["a": "1", "b_c": "x=y, z"]
        for text in [
            #"PowerAuth a="1", b_c="x=y, z""#, #"  PowerAuth  b_c="x=y, z",a=1  "#, "PowerAuth a=1\t,, b_c=\"x=y, z\"",
            #"PowerAuth ,a="1" b_c="x=y, z","#,
        ] {
            #expect(PowerAuthHeader(text)?.attributes == pairs, "\(text)")
        }
        for text in [
            "", "PowerAuth", "PowerAuth ", "powerauth a=1", "Bearer a=1", #"PowerAuthX a=1"#, "PowerAuth a",
            #"PowerAuth a="1"#, #"PowerAuth ="1""#, #"PowerAuth a="1", a="2""#, "PowerAuth a-b=1", #"PowerAuth a=1"x"#,
        ] {
            #expect(PowerAuthHeader(text) == nil, "\(text)")
        }
        #expect(PowerAuthHeader(#"PowerAuth a="""#)?["a"] == nil)
    }

    @Test func `A signature header is written and read`() throws {
        let header = try SignatureHeader(parsing: signatureValue)
        #expect(header.value == signatureValue)
        #expect(header.version == .v3_3 && header.signatureType == .possessionKnowledge)
        #expect(header.activationId == LabExample.activationId && header.nonce == LabExample.nonceText)
        #expect(throws: SignatureHeaderError.empty) { try SignatureHeader(parsing: nil) }
        #expect(throws: SignatureHeaderError.empty) { try SignatureHeader(parsing: "nonsense") }

        let codes: [(String, String, SignatureHeaderError)] = [
            ("pa_activation_id", "", .activationIdEmpty), ("pa_activation_id", "1", .activationIdInvalid),
            ("pa_nonce", "", .nonceEmpty), ("pa_nonce", "AAAA", .nonceInvalid),
            ("pa_signature_type", "", .signatureTypeEmpty), ("pa_signature_type", "x", .signatureTypeInvalid),
            ("pa_signature", "", .signatureEmpty), ("pa_signature", "AAAA", .signatureInvalid),
            ("pa_signature", "1234567", .signatureInvalid), ("pa_signature", "12345678-", .signatureInvalid),
            ("pa_signature", "12345678-12345678-12345678-12345678", .signatureInvalid),
            ("pa_signature", Data(count: 24).base64, .signatureInvalid),
            ("pa_application_key", "", .applicationEmpty), ("pa_application_key", "AAAA", .applicationInvalid),
            ("pa_version", "", .versionEmpty), ("pa_version", "2.1", .versionInvalid),
        ]
        for (name, value, expected) in codes {
            #expect(throws: expected, "\(name)=\(value)") {
                try SignatureHeader(parsing: replacing(name, by: value, in: signatureValue))
            }
            if value.isEmpty {
                #expect(throws: expected, "no \(name)") {
                    try SignatureHeader(parsing: signatureValue.replacingOccurrences(of: name + "=", with: "x="))
                }
            }
        }
        for signature in ["12345678", "12345678-12345678", "12345678-12345678-12345678", Data(count: 48).base64] {
            #expect(throws: Never.self) {
                try SignatureHeader(parsing: replacing("pa_signature", by: signature, in: signatureValue))
            }
        }
        #expect(
            try SignatureHeader(parsing: replacing("pa_signature_type", by: "POSSESSION", in: signatureValue))
                .signatureType == .possession)
    }

    @Test func `An encryption header is written and read`() throws {
        let header = try EncryptionHeader(parsing: encryptionValue, scope: .activation)
        #expect(header.value == encryptionValue)
        let application = EncryptionHeader(version: .v3_2, applicationKey: LabExample.applicationKeyText)
        #expect(application.value == #"PowerAuth version="3.2", application_key="AAECAwQFBgcICQoLDA0ODw==""#)
        #expect(try EncryptionHeader(parsing: application.value, scope: .application) == application)

        #expect(throws: EncryptionHeaderError.empty) { try EncryptionHeader(parsing: nil, scope: .application) }
        #expect(throws: EncryptionHeaderError.activationIdNotExpected) {
            try EncryptionHeader(parsing: encryptionValue, scope: .application)
        }
        #expect(throws: EncryptionHeaderError.activationIdMissing) {
            try EncryptionHeader(parsing: application.value, scope: .activation)
        }
        for (name, value, expected) in [
            ("application_key", "", EncryptionHeaderError.applicationKeyEmpty),
            ("application_key", "AA==", .applicationKeyInvalid), ("activation_id", "", .activationIdMissing),
            ("activation_id", "1", .activationIdInvalid), ("version", "", .versionEmpty),
            ("version", "3.4", .versionInvalid),
        ] {
            #expect(throws: expected, "\(name)=\(value)") {
                try EncryptionHeader(parsing: replacing(name, by: value, in: encryptionValue), scope: .activation)
            }
        }
    }

    @Test func `A token header is written and read`() throws {
        let secret = TokenSecret.random()
        let header = TokenHeader(
            version: .v3_3, tokenId: LabExample.activationId, secret: secret, timestamp: LabExample.timestamp)
        let read = try TokenHeader(parsing: header.value)
        #expect(read == header)
        #expect(read.timestamp == LabExample.timestamp)
        #expect(read.isAuthentic(secret: secret))
        #expect(!read.isAuthentic(secret: .random()))
        #expect(read.replayValue == (header.nonce + LabExample.activationId.utf8Data).base64)
        #expect(throws: TokenHeaderError.empty) { try TokenHeader(parsing: nil) }
        for (name, value, expected) in [
            ("token_id", "", TokenHeaderError.tokenIdEmpty), ("token_id", "1", .tokenIdInvalid),
            ("token_digest", "", .digestEmpty), ("token_digest", "AAAA", .digestInvalid), ("nonce", "", .nonceEmpty),
            ("nonce", "AAAA", .nonceInvalid), ("timestamp", "", .timestampEmpty),
            ("timestamp", "12345678", .timestampInvalid), ("timestamp", "1234567890123456", .timestampInvalid),
            ("timestamp", "12345678x", .timestampInvalid), ("version", "", .versionEmpty),
            ("version", "3", .versionInvalid),
        ] {
            #expect(throws: expected, "\(name)=\(value)") {
                try TokenHeader(parsing: replacing(name, by: value, in: header.value))
            }
        }
    }

    @Test func `Every binary value of a header has its size, and a timestamp nine to fifteen digits`() throws {
        let token = TokenHeader(
            version: .v3_3, tokenId: LabExample.activationId, secret: .random(), timestamp: LabExample.timestamp
        ).value
        func reads(_ name: String, _ value: String, of header: String) -> Bool {
            let changed = replacing(name, by: value, in: header)
            return switch header {
            case signatureValue: (try? SignatureHeader(parsing: changed)) != nil
            case encryptionValue: (try? EncryptionHeader(parsing: changed, scope: .activation)) != nil
            default: (try? TokenHeader(parsing: changed)) != nil
            }
        }
        for count in 0...64 {
            let text = Data(count: count).base64
            #expect(reads("pa_nonce", text, of: signatureValue) == (count == 16), "\(count)")
            #expect(reads("pa_application_key", text, of: signatureValue) == (count == 16), "\(count)")
            #expect(reads("pa_signature", text, of: signatureValue) == [16, 32, 48].contains(count), "\(count)")
            #expect(reads("application_key", text, of: encryptionValue) == (count == 16), "\(count)")
            #expect(reads("nonce", text, of: token) == (count == 16), "\(count)")
            #expect(reads("token_digest", text, of: token) == (count == 32), "\(count)")
            let digits = String(repeating: "1", count: count)
            #expect(reads("timestamp", digits, of: token) == (9...15).contains(count), "\(count)")
        }
        // The neighbours of the digits.
        for character in ["/", ":"] {
            #expect(!reads("timestamp", "12345678" + character, of: token))
            #expect(!reads("pa_signature", "1234567" + character, of: signatureValue))
        }
        #expect(!reads("pa_signature", "12345678-1234567", of: signatureValue))
        #expect(!reads("pa_signature", "12345678-123456789", of: signatureValue))
    }

    @Test func `Every part of a token header is authenticated`() throws {
        let secret = TokenSecret.random()
        let header = TokenHeader(
            version: .v3_3, tokenId: LabExample.activationId, secret: secret, timestamp: LabExample.timestamp)
        for (name, value) in [
            ("nonce", LabExample.nonceText), ("timestamp", "1735689600001"), ("version", "3.2"),
            ("token_digest", header.tokenDigest.flippingBit(100).base64),
        ] {
            let changed = try TokenHeader(parsing: replacing(name, by: value, in: header.value))
            #expect(!changed.isAuthentic(secret: secret), "\(name)")
        }
    }

    @Test func `Codes of empty and invalid signature differ`() {
        #expect(Set(SignatureHeaderError.allCases.map(\.rawValue)).count == 13)
        #expect(SignatureHeaderError.signatureInvalid.rawValue == "POWER_AUTH_SIGNATURE_INVALID")
    }

    private func replacing(_ name: String, by value: String, in header: String) -> String {
        let pairs = header.dropFirst("PowerAuth ".count).components(separatedBy: ", ").map { pair in
            pair.hasPrefix(name + "=") ? "\(name)=\"\(value)\"" : pair
        }
        return "PowerAuth " + pairs.joined(separator: ", ")
    }
}
