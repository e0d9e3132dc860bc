// SPDX-License-Identifier: Apache-2.0

/// The closed list of business errors of the back-office API (server.md, section 2.6).
public enum ServiceErrorCode: String, CaseIterable, Sendable {
    case unknownError = "ERR0000"
    case noUserId = "ERR0001"
    case noApplicationId = "ERR0002"
    case noMasterServerKeyPair = "ERR0003"
    case incorrectMasterServerKeyPair = "ERR0004"
    case unableToGenerateActivationId = "ERR0005"
    case unableToGenerateActivationCode = "ERR0006"
    case activationExpired = "ERR0007"
    case activationIncorrectState = "ERR0008"
    case activationNotFound = "ERR0009"
    case invalidKeyFormat = "ERR0010"
    case invalidInputFormat = "ERR0011"
    case invalidSignature = "ERR0012"
    case unableToComputeSignature = "ERR0013"
    case invalidURLFormat = "ERR0014"
    case invalidApplication = "ERR0015"
    case invalidToken = "ERR0016"
    case encryptionFailed = "ERR0017"
    case decryptionFailed = "ERR0018"
    case unableToGenerateToken = "ERR0019"
    case missingDatabaseEncryptionKey = "ERR0020"
    case unsupportedEncryptionMode = "ERR0021"
    case genericCryptographyError = "ERR0022"
    case invalidCryptographyProvider = "ERR0023"
    case invalidRequest = "ERR0024"
    case recoveryCodeAlreadyExists = "ERR0025"
    case unableToGenerateRecoveryCode = "ERR0026"
    case recoveryCodeNotFound = "ERR0027"
    case invalidRecoveryCode = "ERR0028"
    case invalidRecoveryConfiguration = "ERR0029"
    case tokenTimestampTooOld = "ERR0030"
    case invalidActivationOtp = "ERR0031"
    case invalidActivationOtpMode = "ERR0032"
    case operationTemplateNotFound = "ERR0033"
    case operationNotFound = "ERR0034"
    case unableToGenerateOperationId = "ERR0035"
    case operationInvalidState = "ERR0036"
    case operationApproveFailure = "ERR0037"
    case operationRejectFailure = "ERR0038"
    case operationTemplateAlreadyExists = "ERR0039"
    case activationCreateFailure = "ERR0040"
    case operationError = "ERR0041"
    case operationTemplateError = "ERR0042"
    case duplicateApplication = "ERR0043"
    case tokenTimestampTooFarInFuture = "ERR0044"
    case missingTemporaryKey = "ERR0045"
    case unsupportedAlgorithm = "ERR0046"
    case unsupportedVersion = "ERR0047"

    /// The text that leaves with the code, part of the API like the code itself.
    public var message: String {
        switch self {
        case .unknownError: "Unknown error occurred."
        case .noUserId: "No user ID was set."
        case .noApplicationId: "No application ID was set."
        case .noMasterServerKeyPair: "No master server key pair configured in database."
        case .incorrectMasterServerKeyPair: "Master server key pair contains private key in incorrect format."
        case .unableToGenerateActivationId: "Too many failed attempts to generate activation ID."
        case .unableToGenerateActivationCode: "Too many failed attempts to generate activation code."
        case .activationExpired: "This activation is already expired."
        case .activationIncorrectState: "Incorrect activation state."
        case .activationNotFound: "Activation with given activation ID was not found."
        case .invalidKeyFormat: "Key with invalid format was provided."
        case .invalidInputFormat: "Invalid input parameter format."
        case .invalidSignature: "Invalid Signature Provided."
        case .unableToComputeSignature: "Unable to compute signature."
        case .invalidURLFormat: "Invalid URL format."
        case .invalidApplication: "Application or application version does not exist."
        case .invalidToken: "Token with given token ID does not exist."
        case .encryptionFailed: "Data encryption failed."
        case .decryptionFailed: "Data decryption failed."
        case .unableToGenerateToken: "Token was not successfully generated."
        case .missingDatabaseEncryptionKey: "Master DB encryption key is not configured."
        case .unsupportedEncryptionMode: "Unsupported encryption mode."
        case .genericCryptographyError: "Generic cryptography error occurred."
        case .invalidCryptographyProvider: "Cryptography provider is initialized incorrectly."
        case .invalidRequest: "Invalid request received."
        case .recoveryCodeAlreadyExists: "Recovery code already exists."
        case .unableToGenerateRecoveryCode: "Too many failed attempts to generate recovery code."
        case .recoveryCodeNotFound: "Recovery code was not found."
        case .invalidRecoveryCode: "Invalid recovery code."
        case .invalidRecoveryConfiguration: "Recovery code configuration is missing or incomplete."
        case .tokenTimestampTooOld: "Token timestamp is too old."
        case .invalidActivationOtp: "Activation OTP does not match value stored in database."
        case .invalidActivationOtpMode: "Activation OTP used in the wrong OTP validation mode."
        case .operationTemplateNotFound: "Operation template was not found."
        case .operationNotFound: "Operation was not found."
        case .unableToGenerateOperationId: "Too many failed attempts to generate operation ID."
        case .operationInvalidState: "Operation state is invalid for the requested change."
        case .operationApproveFailure: "Operation cannot be approved."
        case .operationRejectFailure: "Operation cannot be rejected."
        case .operationTemplateAlreadyExists: "Operation template already exists."
        case .activationCreateFailure: "Activation cannot be created with the specified properties."
        case .operationError: "Operation related error occurred."
        case .operationTemplateError: "Operation template related error occurred."
        case .duplicateApplication: "Duplicate application or application version."
        case .tokenTimestampTooFarInFuture: "Token timestamp is too much in the future."
        case .missingTemporaryKey: "Missing temporary key pair."
        case .unsupportedAlgorithm: "Unsupported cryptography algorithm."
        case .unsupportedVersion: "Unsupported protocol version."
        }
    }
}

/// A refused call of a domain service: the code that leaves, and the cause that only logs show.
public struct ServiceError: Error, Equatable, Sendable {
    /// The code returned to the caller.
    public let code: ServiceErrorCode
    /// What happened, for the log and the trace; never part of an answer. Holds no secret.
    public let cause: String
    /// A sentence for the caller in place of the code's text; nil for the code's text.
    let sentence: String?
    /// The index of the expected PUK of a recovery; such a refusal has its own error code.
    let expectedPukIndex: Int?

    init(_ code: ServiceErrorCode, _ cause: String, sentence: String? = nil, expectedPukIndex: Int? = nil) {
        self.code = code
        self.cause = cause
        self.sentence = sentence
        self.expectedPukIndex = expectedPukIndex
    }

    /// A refused parameter whose reason the caller may read (ERR0024 "with text").
    static func invalid(_ sentence: String) -> ServiceError {
        ServiceError(.invalidRequest, sentence, sentence: sentence)
    }
}

extension ServiceError: CustomStringConvertible {
    public var description: String { "\(code.rawValue) \(code.message) (\(cause))" }
}
