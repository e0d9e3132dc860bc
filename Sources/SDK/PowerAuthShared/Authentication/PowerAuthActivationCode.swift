// SPDX-License-Identifier: Apache-2.0

/// A parsed activation or recovery code (sdk.md, section 5.20). Immutable. Thread rule: any thread.
public final class PowerAuthActivationCode: Sendable {
    /// The code: 23 characters in four groups of five, without signature and without the prefix `R:`.
    public var activationCode: String { parsed.activationCode }
    /// Base64 of the signature that followed the code, or nil.
    public var activationSignature: String? { parsed.activationSignature }

    /// What the core parsed, and takes when an activation starts.
    package let parsed: PowerAuthCoreOtp

    init(_ parsed: PowerAuthCoreOtp) { self.parsed = parsed }
}

/// Checks what the user types, and parses codes (sdk.md, section 5.20). Thread rule: any thread.
public enum PowerAuthActivationCodeUtil {
    /// True for `A`-`Z` and `2`-`7`, the characters of a code.
    public static func validateTypedCharacter(_ character: UInt32) -> Bool {
        PowerAuthCoreOtpUtil.validateTypedCharacter(character)
    }

    /// The character of a code that was meant: upper case for lower case, `O` for `0`, `I` for `1`; 0 for any other
    /// character.
    public static func validateAndCorrectTypedCharacter(_ character: UInt32) -> UInt32 {
        PowerAuthCoreOtpUtil.validateAndCorrectTypedCharacter(character)
    }

    /// True when the text is an activation code without a signature and its checksum is right.
    public static func validateActivationCode(_ activationCode: String) -> Bool {
        PowerAuthCoreOtpUtil.validateActivationCode(activationCode)
    }

    /// As ``validateActivationCode(_:)``, with an optional leading `R:`.
    public static func validateRecoveryCode(_ recoveryCode: String) -> Bool {
        PowerAuthCoreOtpUtil.validateRecoveryCode(recoveryCode)
    }

    /// True for exactly ten ASCII digits.
    public static func validateRecoveryPuk(_ recoveryPuk: String) -> Bool {
        PowerAuthCoreOtpUtil.validateRecoveryPuk(recoveryPuk)
    }

    /// Splits `CODE` or `CODE#SIGNATURE`; nil when either part is malformed. The signature is not verified here.
    public static func parse(fromActivationCode activationCode: String) -> PowerAuthActivationCode? {
        PowerAuthCoreOtpUtil.parse(fromActivationCode: activationCode).map(PowerAuthActivationCode.init)
    }

    /// Reads `CODE` or `R:CODE`; nil when it is malformed or carries a signature.
    public static func parse(fromRecoveryCode recoveryCode: String) -> PowerAuthActivationCode? {
        PowerAuthCoreOtpUtil.parse(fromRecoveryCode: recoveryCode).map(PowerAuthActivationCode.init)
    }
}
