import PowerAuthCore
import TestSupport
import Testing

/// sdk.md, section 5.20.
@Suite("Activation codes in the vendor's utility", .endsInTime)
struct OtpUtilTests {
    @Test("Codes are validated")
    func codesAreValidated() {
        for code in ["VVVVV-VVVVV-VVVVV-VTFVA", "55555-55555-55555-55YMA", "45AWJ-BVACS-SBWHS-ABANA"] {
            #expect(PowerAuthCoreOtpUtil.validateActivationCode(code))
            #expect(PowerAuthCoreOtpUtil.validateRecoveryCode("R:" + code))
            #expect(!PowerAuthCoreOtpUtil.validateActivationCode("R:" + code))
            #expect(!PowerAuthCoreOtpUtil.validateActivationCode(code + "#AB=="))
        }
        #expect(PowerAuthCoreOtpUtil.validateRecoveryPuk("0123456789"))
        #expect(!PowerAuthCoreOtpUtil.validateRecoveryPuk("012345678"))
    }

    @Test("Scanned codes are parsed")
    func scannedCodesAreParsed() {
        let parsed = PowerAuthCoreOtpUtil.parse(fromActivationCode: "45AWJ-BVACS-SBWHS-ABANA#AB==")
        #expect(parsed?.activationCode == "45AWJ-BVACS-SBWHS-ABANA" && parsed?.activationSignature == "AB==")
        #expect(PowerAuthCoreOtpUtil.parse(fromActivationCode: "45AWJ-BVACS-SBWHS-ABANA")?.activationSignature == nil)
        #expect(PowerAuthCoreOtpUtil.parse(fromActivationCode: "45AWJ-BVACS-SBWHS-ABANA#") == nil)
        #expect(
            PowerAuthCoreOtpUtil.parse(fromRecoveryCode: "R:45AWJ-BVACS-SBWHS-ABANA")?.activationCode
                == "45AWJ-BVACS-SBWHS-ABANA")
        #expect(PowerAuthCoreOtpUtil.parse(fromRecoveryCode: "45AWJ-BVACS-SBWHS-ABANA#AB==") == nil)
    }

    @Test("Typed characters are corrected")
    func typedCharactersAreCorrected() {
        func corrected(_ text: String) -> String {
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.compactMap {
                        Unicode.Scalar(PowerAuthCoreOtpUtil.validateAndCorrectTypedCharacter($0.value))
                    }.filter { $0.value != 0 }))
        }
        #expect(corrected("abcxyz01") == "ABCXYZOI")
        #expect(corrected("89-=#$%^&!@'();") == "")
    }

    @Test("Of the typed characters, only capital letters and the digits 2 to 7 occur in a code")
    func typedCharacters() {
        let valid = (UInt32(0)...300).filter { PowerAuthCoreOtpUtil.validateTypedCharacter($0) }
        #expect(valid == "234567ABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars.map(\.value))
    }
}
