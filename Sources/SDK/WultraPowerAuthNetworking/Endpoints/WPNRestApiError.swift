// SPDX-License-Identifier: Apache-2.0

/// Why the server refused a request, in its own words (networking.md, section 2.5).
public struct WPNRestApiError: Codable, Sendable {
    /// The server's code such as `INVALID_REQUEST`, also one that the library does not know.
    public let code: String
    /// The server's sentence, for developers.
    public let message: String

    /// - Parameters:
    ///   - code: the server's code.
    ///   - message: the server's sentence.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// The code, if the library knows it.
    public var errorCode: WPNKnownRestApiError? { WPNKnownRestApiError(rawValue: code) }
}

/// The codes that the vendor's servers are known to send (networking.md, section 3.3).
public enum WPNKnownRestApiError: String, Decodable, Sendable, CaseIterable {
    // MARK: Common

    /// Something went wrong in the server.
    case genericError = "ERROR_GENERIC"
    /// Signature or token were not accepted.
    case authenticationFailure = "POWERAUTH_AUTH_FAIL"
    /// The request cannot be understood.
    case invalidRequest = "INVALID_REQUEST"
    /// The activation is not there or not usable.
    case invalidActivation = "INVALID_ACTIVATION"
    /// The application is not known.
    case invalidApplication = "INVALID_APPLICATION"
    /// The operation is not there or not usable.
    case invalidOperation = "INVALID_OPERATION"
    /// An activation failed.
    case activationError = "ERR_ACTIVATION"
    /// Signature or token were not accepted by the resources of the protocol itself.
    case authenticationError = "ERR_AUTHENTICATION"
    /// The secure vault stays closed.
    case secureVaultError = "ERR_SECURE_VAULT"
    /// The request cannot be decrypted.
    case encryptionError = "ERR_ENCRYPTION"
    /// The key that the request was encrypted with is no longer known.
    case temporaryKeyError = "ERR_TEMPORARY_KEY"

    // MARK: Mobile Token

    /// The device could not be registered for push messages.
    case pushRegistrationFailed = "PUSH_REGISTRATION_FAILED"
    /// The operation was approved already.
    case operationAlreadyFinished = "OPERATION_ALREADY_FINISHED"
    /// The operation has failed already.
    case operationAlreadyFailed = "OPERATION_ALREADY_FAILED"
    /// The operation was cancelled already.
    case operationAlreadyCancelled = "OPERATION_ALREADY_CANCELED"
    /// The operation has expired.
    case operationExpired = "OPERATION_EXPIRED"
    /// The operation failed.
    case operationFailed = "OPERATION_FAILED"

    // MARK: Onboarding

    /// The activation code could not be made.
    case activationCodeFailed = "ACTIVATION_CODE_FAILED"
    /// The onboarding process failed.
    case onboardingFailed = "ONBOARDING_FAILED"
    /// The user has tried too often.
    case onboardingLimitReached = "ONBOARDING_PROCESS_LIMIT_REACHED"
    /// Too many processes are under way.
    case onboardingTooManyProcesses = "TOO_MANY_ONBOARDING_PROCESSES"
    /// The one-time password is wrong.
    case onboardingOtpFailed = "ONBOARDING_OTP_FAILED"
    /// The document is not valid.
    case invalidDocument = "INVALID_DOCUMENT"
    /// The document could not be taken.
    case documentSubmitFailed = "DOCUMENT_SUBMIT_FAILED"
    /// The identity was not verified.
    case identityVerificationFailed = "IDENTITY_VERIFICATION_FAILED"
    /// The identity was verified too often.
    case identityVerificationLimitReached = "IDENTITY_VERIFICATION_LIMIT_REACHED"
    /// The document was not verified.
    case documentVerificationFailed = "DOCUMENT_VERIFICATION_FAILED"
    /// The user's presence was not verified.
    case presenceCheckFailed = "PRESENCE_CHECK_FAILED"
    /// Presence is not verified here.
    case presenceCheckNotEnabled = "PRESENCE_CHECK_NOT_ENABLED"
    /// Presence was verified too often; the vendor's spelling.
    case presenceCheckLimitEached = "PRESENCE_CHECK_LIMIT_REACHED"
    /// There were too many requests.
    case tooManyRequests = "TOO_MANY_REQUESTS"
    /// A server behind the server did not answer.
    case remoteCommunicationError = "REMOTE_COMMUNICATION_ERROR"
}
