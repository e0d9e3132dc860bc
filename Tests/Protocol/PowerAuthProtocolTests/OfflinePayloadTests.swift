import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Offline payloads and one-time codes", .endsInTime)
struct OfflinePayloadTests {
    @Test(
        "Known one-time codes are computed",
        arguments: [
            ("12345678901234567890123456789012", UInt64(59), "46119246"),
            ("12345678901234567890123456789012", 1_111_111_109, "68084774"),
            ("12345678901234567890", 1_682_558_789, "01760428"),
        ])
    func knownCodes(seed: String, time: UInt64, expected: String) throws {
        #expect(try OneTimeCode.generate(seed: seed.utf8Data, time: time) == expected)
    }

    @Test("Codes of the last steps are valid")
    func codesOfTheLastStepsAreValid() throws {
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

    @Test("Payloads are signed and read")
    func payloadsAreSignedAndRead() throws {
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
        for text in [
            "", "\n", "\n\n", "a\n\(LabExample.nonceText)\n2AAAA", "a\n\(LabExample.nonceText)\n1", "a\nAAAA\n1AAAA",
        ] {
            #expect(throws: ProtocolError.self, "\(text)") { try OfflinePayload(text) }
        }
    }
}
