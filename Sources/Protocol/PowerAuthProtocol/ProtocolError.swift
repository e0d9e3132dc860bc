// SPDX-License-Identifier: Apache-2.0

/// What a function of this module refuses, and which field made it refuse.
///
/// Cases name fields by their wire or documentation name, so that a message can be shown without
/// knowing the caller. No case ever carries secret bytes.
public enum ProtocolError: Error, Equatable, Sendable {
    /// A public or private key that its algorithm cannot use; the text names the field.
    case invalidKey(String)
    /// A value of the wrong size in bytes (or in characters if `expected` states so).
    case invalidLength(field: String, expected: String, actual: Int)
    /// Text that is not valid in its encoding (Base64, Base64url, Base32, percent encoding, UTF-8).
    case invalidEncoding(field: String)
    /// A value of the right encoding and size whose content breaks a rule.
    case invalidFormat(field: String, reason: String)
    /// The message authentication code does not belong to the message; nothing was decrypted.
    case macMismatch
    /// A cipher text whose padding or content is wrong.
    case decryptionFailed
    /// An ECDSA or HMAC signature that does not verify.
    case signatureMismatch
    /// An object that can no longer do this, or not yet; the text states what to do instead.
    case wrongState(String)
    /// A protocol version string outside `3.0`, `3.1`, `3.2` and `3.3`.
    case unsupportedVersion(String)
    /// A field the protocol version requires and the message lacks.
    case missing(field: String)
    /// A field the protocol version does not know and the message carries.
    case unexpected(field: String)
    /// OpenSSL refused an operation that can only fail for lack of memory or entropy.
    case cryptographicFailure(String)
}

extension ProtocolError: CustomStringConvertible {
    /// One sentence for a log or a test report.
    public var description: String {
        switch self {
        case .invalidKey(let field): "\(field) is not a valid key"
        case .invalidLength(let field, let expected, let actual): "\(field) has length \(actual), expected \(expected)"
        case .invalidEncoding(let field): "\(field) is not validly encoded"
        case .invalidFormat(let field, let reason): "\(field) is not valid: \(reason)"
        case .macMismatch: "the message authentication code does not match; the message or its parameters were changed"
        case .decryptionFailed: "the cipher text cannot be decrypted with this key"
        case .signatureMismatch: "the signature does not verify with this key"
        case .wrongState(let what): "not possible in this state: \(what)"
        case .unsupportedVersion(let version): "protocol version \"\(version)\" is not one of 3.0, 3.1, 3.2, 3.3"
        case .missing(let field): "\(field) is required by this protocol version and absent"
        case .unexpected(let field): "\(field) is not known to this protocol version and must be absent"
        case .cryptographicFailure(let operation): "OpenSSL failed in \(operation)"
        }
    }
}
