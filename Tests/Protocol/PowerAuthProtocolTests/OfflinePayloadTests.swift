// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Offline payloads and one-time codes", .endsInTime)
struct OfflinePayloadTests {
    @Test(
        arguments: [
            ("12345678901234567890123456789012", UInt64(59), "46119246"),
            ("12345678901234567890123456789012", 1_111_111_109, "68084774"),
            ("12345678901234567890", 1_682_558_789, "01760428"),
        ])
    func `Known one-time codes are computed`(seed: String, time: UInt64, expected: String) throws {
        #expect(try OneTimeCode.generate(seed: seed.utf8Data, time: time) == expected)
    }

    @Test func `Codes of the last steps are valid`() throws {
        let seed = "16KlyRM2C7B2kwoAIHapBA==".base64Decoded
        let time: UInt64 = 1_730_538_927
        #expect(try OneTimeCode.generate(seed: seed, time: time) == "46966706")
        #expect(try OneTimeCode.isValid("46966706", seed: seed, time: time))
        #expect(try OneTimeCode.isValid("46966706", seed: seed, time: time + 30))
        #expect(!(try OneTimeCode.isValid("46966706", seed: seed, time: time + 60)))
        #expect(!(try OneTimeCode.isValid("46966706", seed: seed, time: time - 30)))
        #expect(!(try OneTimeCode.isValid("", seed: seed, time: 0, previousSteps: .max / 2)))
        #expect(throws: ProtocolError.self) { try OneTimeCode.generate(seed: seed, time: 0, step: 0) }
        #expect(throws: ProtocolError.self) { try OneTimeCode.generate(seed: seed, time: 0, digits: 10) }
    }

    @Test(arguments: -1...11)
    func `A one-time code has one to nine digits, the last ones of one number`(count: Int) throws {
        let seed = "12345678901234567890".utf8Data
        let longest = try OneTimeCode.generate(seed: seed, time: 59, digits: 9)
        let code = try? OneTimeCode.generate(seed: seed, time: 59, digits: count)
        #expect(longest.count == 9 && code == ((1...9).contains(count) ? String(longest.suffix(count)) : nil))
    }

    @Test func `A code is valid for as many earlier steps as are asked for, back to the first one`() throws {
        let seed = "12345678901234567890".utf8Data
        let first = try OneTimeCode.generate(seed: seed, time: 0)
        #expect(try OneTimeCode.generate(seed: seed, time: 29) == first, "the last second of a step")
        for (time, previousSteps, isValid) in [
            (UInt64(29), 0, true), (30, 0, false), (30, 1, true), (59, 1, true), (60, 1, false), (60, 2, true),
            (89, 2, true), (90, 2, false), (29, -1, true), (30, -1, false),
        ] {
            let result = try OneTimeCode.isValid(first, seed: seed, time: time, previousSteps: previousSteps)
            #expect(result == isValid, "\(time) s, \(previousSteps) steps")
        }
        #expect(try OneTimeCode.isValid(first, seed: seed, time: 1, step: 1, previousSteps: 1))
        #expect(try !OneTimeCode.isValid(first, seed: seed, time: 2, step: 1, previousSteps: 1))
    }

    @Test func `Payloads are signed and read`() throws {
        let key = try PrivateKey.generate()
        for data in ["5ff1b1ed\nPayment\nApprove\nA1*A100CZK\n7", "", "line\r\nwith carriage return"] {
            let payload = try OfflinePayload(
                data: data, oneTimeCode: "12345678", nonce: LabExample.nonceText, signingKey: .personalized, key: key)
            #expect(payload.text.hasPrefix("\(data)\n12345678\n\(LabExample.nonceText)\n1"))
            let read = try OfflinePayload(payload.text)
            #expect(read == payload)
            #expect(read.isSigned(by: key.publicKey))
            #expect(!(try OfflinePayload("x" + payload.text).isSigned(by: key.publicKey)))
        }
        let plain = try OfflinePayload(data: "a\nb", nonce: LabExample.nonceText, signingKey: .master, key: key)
        #expect(plain.signedText == "a\nb\n\(LabExample.nonceText)\n0")
        #expect(plain.text == plain.signedText + plain.signature.base64)
        let readPlain = try OfflinePayload(plain.text)
        #expect(readPlain == plain && readPlain.data == "a\nb" && readPlain.signingKey == .master)
        #expect(throws: ProtocolError.invalidEncoding(field: "nonce")) {
            try OfflinePayload(data: "a", nonce: Data(count: 17).base64, signingKey: .master, key: key)
        }
        for signature in ["", "?", "AAA"] {
            #expect(throws: ProtocolError.invalidEncoding(field: "offline payload signature"), "\(signature)") {
                try OfflinePayload("a\n\(LabExample.nonceText)\n1\(signature)")
            }
        }
        #expect(
            throws: ProtocolError.invalidFormat(
                field: "offline payload", reason: "it must end with nonce and signature"),
            "a payload has a line of data, which may be empty"
        ) { try OfflinePayload("\(LabExample.nonceText)\n1AAAA") }
        for text in [
            "", "\n", "\n\n", "a\n\(LabExample.nonceText)\n2AAAA", "a\n\(LabExample.nonceText)\n1", "a\nAAAA\n1AAAA",
        ] {
            #expect(throws: ProtocolError.self, "\(text)") { try OfflinePayload(text) }
        }
    }
}
