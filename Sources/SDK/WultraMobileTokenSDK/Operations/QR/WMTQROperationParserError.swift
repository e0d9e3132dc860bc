/// Why a text is not an operation (mobile-token.md, section 9.4).
public enum WMTQROperationParserError: Error, Equatable, Sendable {
    /// The text has less than seven lines.
    case minimumAttributeFieldsRequired
    /// The identifier is missing.
    case noOperationId
    /// The data are missing. Never the case: an empty line is a wrong version.
    case noOperationData
    /// The last line is not a key and signature.
    case invalidSignature
    /// The line before the last is not a nonce.
    case invalidNonce
    /// The data begin with no version.
    case invalidVersionString
    /// The version is followed by no number of a template.
    case invalidTemplateId
    /// There are too many fields, or one of them is malformed. ``WMTQROperationParserFailure/Reason`` states which.
    case tooManyDataFields
    /// The signed part cannot be converted. Never the case.
    case signatureFormatError
}

/// The same with what exactly is wrong (mobile-token.md, section 24, item 14).
public struct WMTQROperationParserFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What exactly is wrong. Texts are those of the code.
    public enum Reason: Equatable, Sendable {
        /// How many lines there are; seven are needed.
        case tooFewLines(Int)
        /// The first line is empty.
        case emptyOperationId
        /// The last line is empty.
        case missingSignature
        /// The last line begins with another character than 0 or 1.
        case unknownSigningKey(Character)
        /// The signature is not Base64 of 64 to 255 bytes.
        case malformedSignature
        /// The nonce is not Base64 of 16 bytes.
        case malformedNonce
        /// The data begin with no capital letter.
        case malformedVersion
        /// The version is not followed by one or two digits.
        case malformedTemplateId(String)
        /// An amount is not a number with a currency of three letters.
        case malformedAmount(String)
        /// An account is not an IBAN with or without the code of a bank.
        case malformedAccount(String)
        /// A date is not eight digits that exist in the calendar.
        case malformedDate(String)
        /// How many fields there are; six are allowed.
        case tooManyFields(Int)
    }

    /// What exactly is wrong.
    public let reason: Reason

    /// What the parser reports.
    public var error: WMTQROperationParserError {
        switch reason {
        case .tooFewLines: .minimumAttributeFieldsRequired
        case .emptyOperationId: .noOperationId
        case .missingSignature, .unknownSigningKey, .malformedSignature: .invalidSignature
        case .malformedNonce: .invalidNonce
        case .malformedVersion: .invalidVersionString
        case .malformedTemplateId: .invalidTemplateId
        case .malformedAmount, .malformedAccount, .malformedDate, .tooManyFields: .tooManyDataFields
        }
    }

    /// Error and reason.
    public var description: String { "\(error): \(reason)" }
}
