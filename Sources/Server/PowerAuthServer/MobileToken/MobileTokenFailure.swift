// SPDX-License-Identifier: Apache-2.0

import LabVocabulary

/// An error of the Mobile Token API (mobile-token.md, section 16.2).
struct MobileTokenFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The HTTP status.
    let status: Int
    let code: String
    let message: String

    /// A red run quotes it beside the code.
    var description: String { message }

    static let authentication = unauthenticated("Authentication failed")
    static let pushAuthentication = unauthenticated("Unable to verify device registration.")
    /// The refusal of the integration library, which precedes the documented answer.
    static let libraryAuthentication = Self(401, .authentication, "POWER_AUTH_SIGNATURE_INVALID")
    static let templateNotFound = Self(400, .invalidRequest, "Template not found")
    static let foreignOperation = Self(400, .invalidRequest, "Invalid request")
    static let operationNotFound = Self(
        400, .invalidOperation, "No operation was found with the provided identifier.")
    static let operationUnexpected = Self(400, .invalidOperation, "Operation not found or is in an unexpected state")
    static let approvalFailed = Self(401, .operationFailed, "PowerAuth server operation approval fails")
    static let rejectionFailed = Self(401, .operationFailed, "PowerAuth server operation rejection fails")
    static let invalidActivation = Self(
        400, .invalidActivation, "The operations of the user belong to another activation.")
    static let invalidObject = Self(400, .invalidRequest, "Invalid request object.")
    static let pushRegistrationFailed = Self(
        400, .pushRegistrationFailed, "Push registration failed in Mobile Token API component.")
    static let inboxFailed = Self(400, .inboxFailed, "Unable to process inbox request.")
    static let brokenTemplate = Self(500, .configuration, "The UI template of the operation is not valid JSON.")

    private init(_ status: Int, _ code: RestErrorCode, _ message: String) {
        self.status = status
        self.code = code.rawValue
        self.message = message
    }

    private static func unauthenticated(_ message: String) -> MobileTokenFailure {
        MobileTokenFailure(401, .authenticationFailure, message)
    }

    /// The activation lacks a flag that the operation requires.
    static func missingFlag(_ flag: String) -> MobileTokenFailure {
        MobileTokenFailure(
            400, .operationRequiresActivationFlag,
            "Operation requires activation flag: \(flag), which is not present on activation.")
    }

    /// The error for an operation that is no longer pending; nil for a pending one (mobile-token.md, section 16.3).
    init?(_ status: OperationStatus) {
        switch status {
        case .pending: return nil
        case .canceled: self.init(400, .operationAlreadyCanceled, "Operation was already canceled")
        case .approved, .rejected: self.init(400, .operationAlreadyFinished, "Operation was already completed")
        case .failed: self.init(400, .operationAlreadyFailed, "Operation already failed")
        case .expired: self.init(400, .operationExpired, "Operation already expired")
        }
    }

    /// The error for a refusal by the core.
    init(_ error: ServiceError) {
        switch error.code {
        case .invalidRequest:
            self.init(400, .invalidRequest, "Request validation error: \(error.sentence ?? error.code.message)")
        case .invalidApplication: self.init(400, .invalidApplication, error.code.message)
        case .operationNotFound: self = .operationNotFound
        case .operationInvalidState, .operationApproveFailure, .operationRejectFailure: self = .operationUnexpected
        default: self.init(409, .remoteCommunication, "Communication with remote system failed")
        }
    }
}
