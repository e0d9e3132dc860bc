// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol

/// Validates and parses activation codes, recovery codes and PUKs (protocol.md, section 4). Thread rule: any thread.
public enum PowerAuthCoreOtpUtil {
    /// Whether a typed character may occur in a code: `A`–`Z` and `2`–`7`.
    public static func validateTypedCharacter(_ character: UInt32) -> Bool { TypedCharacter.validate(character) }

    /// Corrects a typed character: lower case becomes upper case, `0` becomes `O`, `1` becomes `I`.
    /// - Returns: The corrected character, or 0 if it cannot occur in a code.
    public static func validateAndCorrectTypedCharacter(_ character: UInt32) -> UInt32 {
        TypedCharacter.correct(character)
    }

    /// Whether `code` is an activation code without a signature.
    public static func validateActivationCode(_ code: String) -> Bool { (try? ActivationCode(code)) != nil }
    /// Whether `code` is a recovery code, with or without the prefix `R:`.
    public static func validateRecoveryCode(_ code: String) -> Bool { (try? RecoveryCode(code)) != nil }
    /// Whether `puk` consists of exactly ten digits.
    public static func validateRecoveryPuk(_ puk: String) -> Bool { (try? RecoveryPuk(puk)) != nil }

    /// Parses the content of a QR code, `CODE` or `CODE#SIGNATURE`. The signature is checked when the activation starts.
    /// - Returns: `nil` if the code or the form of the signature is wrong. Nothing is corrected.
    public static func parse(fromActivationCode code: String) -> PowerAuthCoreOtp? {
        guard let parsed = try? ActivationCodeParser.parse(code) else { return nil }
        return PowerAuthCoreOtp(parsed.code, signature: parsed.signature)
    }

    /// Parses a recovery code, `CODE` or `R:CODE`.
    /// - Returns: `nil` if the code is wrong or carries a signature.
    public static func parse(fromRecoveryCode code: String) -> PowerAuthCoreOtp? {
        guard let parsed = try? RecoveryCode(code) else { return nil }
        return PowerAuthCoreOtp(parsed.code, signature: nil)
    }
}

/// An activation or recovery code, as parsed by ``PowerAuthCoreOtpUtil``. Immutable. Thread rule: any thread.
public final class PowerAuthCoreOtp: Sendable {
    /// The code itself, 23 characters, without the signature and without the `R:` prefix.
    public var activationCode: String { code.text }
    /// Base64 of the code's signature (DER); `nil` if the code came without one.
    public let activationSignature: String?

    /// What the text was parsed to; nothing below reads the text again.
    let code: ActivationCode

    init(_ code: ActivationCode, signature: String?) {
        self.code = code
        activationSignature = signature
    }
}
