import PowerAuthShared
import TestSupport
import Testing

/// sdk.md, sections 5.20 and 5.25.
@Suite("What the SDK passes on to its core", .endsInTime)
struct CodeUtilTests {
    @Test("Codes, PUKs and typed characters are judged as by the core")
    func codes() {
        let code = "45AWJ-BVACS-SBWHS-ABANA"
        for text in [code, "R:" + code, code + "#AB==", "45AWJ-BVACS-SBWHS-ABANB", ""] {
            let (isCode, isRecovery) = (text == code, text == code || text == "R:" + code)
            #expect(PowerAuthActivationCodeUtil.validateActivationCode(text) == isCode, "\(text)")
            #expect(PowerAuthActivationCodeUtil.validateRecoveryCode(text) == isRecovery, "\(text)")
        }
        let puks = ["0123456789", "012345678", "01234567890", "012345678x"]
        #expect(puks.map { PowerAuthActivationCodeUtil.validateRecoveryPuk($0) } == [true, false, false, false])
        let typed = "A7a018-".unicodeScalars.map(\.value)
        #expect(
            typed.map { PowerAuthActivationCodeUtil.validateTypedCharacter($0) }
                == [true, true, false, false, false, false, false])
        #expect(
            typed.map { PowerAuthActivationCodeUtil.validateAndCorrectTypedCharacter($0) }
                == "A7AOI".unicodeScalars.map(\.value) + [0, 0])
    }

    @Test("SDK and core state whether they were built for development")
    func debugFeatures() {
        #if DEBUG
            let isDebug = true
        #else
            let isDebug = false
        #endif
        #expect(PowerAuthCoreSession.hasDebugFeatures() == isDebug && PowerAuthSystem.isInDebug() == isDebug)
    }
}
