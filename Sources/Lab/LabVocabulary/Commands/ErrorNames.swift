// SPDX-License-Identifier: Apache-2.0

import LabControl

/// The names that the `code` of a failed command can have, as scenarios write them after `fails`.
///
/// A number is always possible as well.
public enum ErrorNames {
    /// Every name, in the order of the listings. One that errors of two domains have stands once.
    public static let all: [String] = {
        let names = powerAuth + networking + scannedCode + urlLoading.map(\.name) + lab + server + watchConnectivity
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }()

    /// Codes of `PowerAuthErrorDomain`, with the one of an app whose configuration was refused.
    static let powerAuth = [
        "NA", "networkError", "signatureError", "invalidActivationState", "invalidActivationCode",
        "invalidActivationData", "missingActivation", "activationPending", "biometryNotAvailable", "biometryCancel",
        "biometryFailed", "operationCancelled", "encryption", "wrongParameter", "invalidToken", "watchConnectivity",
        "protocolUpgrade", "pendingProtocolUpgrade", "externalPendingOperation", "biometryFallback",
        "timeSynchronization", "invalidConfiguration", "emptyCompletion",
    ]

    /// Reasons of `WPNError`, those of the Mobile Token SDK included; a missing activation has the name that it has in
    /// `PowerAuthErrorDomain`.
    static let networking = [
        "unknown", "canceled", "network_unknown", "network_generic", "network_invalidResponseObject",
        "network_invalidRequestObject", "network_signError", "network_timeOut", "network_noInternetConnection",
        "network_badServerResponse", "network_sslError", "network_errorStatusCode", "operations_invalidActivation",
        "operations_alreadyFailed", "operations_alreadyFinished", "operations_alreadyCanceled", "operations_expired",
        "operations_authExpired", "operations_rejectExpired", "operations_failed", "operations_QRFailed",
        "push_alreadyRegistering",
    ]

    /// Why a scanned operation was refused: cases of `WMTQROperationParserError`, and a signature that is not the
    /// server's.
    static let scannedCode = [
        "minimumAttributeFieldsRequired", "noOperationId", "noOperationData", "invalidSignature", "invalidNonce",
        "invalidVersionString", "invalidTemplateId", "tooManyDataFields", "signatureFormatError",
        "signatureNotTrusted",
    ]

    /// Codes of `NSURLErrorDomain`, by their numbers on the platform, whose words are those of `URLError.Code`: what a
    /// request ends with that has no answer.
    static let urlLoading: [(code: Int, name: String)] = [
        (-1001, "timedOut"), (-1004, "cannotConnectToHost"), (-1005, "networkConnectionLost"),
        (-1009, "notConnectedToInternet"), (-1201, "serverCertificateHasBadDate"),
        (-1202, "serverCertificateUntrusted"),
    ]

    /// The name of a code of `NSURLErrorDomain`; nil for one that no scenario names.
    public static func ofURLLoading(code: Int) -> String? { urlLoading.first { $0.code == code }?.name }

    /// Codes of `WCErrorDomain`.
    static let watchConnectivity = [
        "genericError", "sessionNotSupported", "sessionMissingDelegate", "sessionNotActivated", "deviceNotPaired",
        "watchAppNotInstalled", "notReachable", "invalidParameter", "payloadTooLarge", "payloadUnsupportedTypes",
        "messageReplyFailed", "messageReplyTimedOut", "fileAccessDenied", "deliveryFailed", "insufficientSpace",
        "sessionInactive", "transferTimedOut", "companionAppNotInstalled", "watchOnlyApp",
    ]

    /// Errors of the lab itself and of devices.
    static let lab = LabErrorName.allCases.map(\.rawValue)

    /// Codes of the server's back office.
    static let server = (0...47).map { number in "ERR00\(number < 10 ? "0" : "")\(number)" }
}

/// The codes of the server's error answers, but for those of the back office that have numbers (rest-api.md, section 7.2;
/// mobile-token.md, section 16.2).
///
/// The list is closed: the server sends no other.
public enum RestErrorCode: String, CaseIterable, Sendable {
    // The protocol, `/pa/v3`.
    case authentication = "ERR_AUTHENTICATION"
    case activation = "ERR_ACTIVATION"
    case invalidRecoveryCode = "INVALID_RECOVERY_CODE"
    case secureVault = "ERR_SECURE_VAULT"
    case encryption = "ERR_ENCRYPTION"
    case upgrade = "ERR_UPGRADE"
    case userInfo = "ERR_USER_INFO"
    case temporaryKey = "ERR_TEMPORARY_KEY"
    // The enrolment server, and its Mobile Token API, `/api`.
    case notFound = "ERROR_NOT_FOUND"
    case generic = "ERROR_GENERIC"
    case authenticationFailure = "POWERAUTH_AUTH_FAIL"
    case invalidRequest = "INVALID_REQUEST"
    case invalidApplication = "INVALID_APPLICATION"
    case invalidActivation = "INVALID_ACTIVATION"
    case invalidOperation = "INVALID_OPERATION"
    case operationAlreadyFinished = "OPERATION_ALREADY_FINISHED"
    case operationAlreadyFailed = "OPERATION_ALREADY_FAILED"
    case operationAlreadyCanceled = "OPERATION_ALREADY_CANCELED"
    case operationExpired = "OPERATION_EXPIRED"
    case operationFailed = "OPERATION_FAILED"
    case operationRequiresActivationFlag = "OPERATION_REQUIRES_ACTIVATION_FLAG"
    case configuration = "ERR_CONFIG"
    case pushRegistrationFailed = "PUSH_REGISTRATION_FAILED"
    case inboxFailed = "INBOX_FAILED"
    case activationCodeFailed = "ACTIVATION_CODE_FAILED"
    case applicationConfiguration = "APPLICATION_CONFIGURATION_ERROR"
    case remoteCommunication = "REMOTE_COMMUNICATION_ERROR"
    // The back office, and what is not part of PowerAuth.
    case recovery = "ERR_RECOVERY"
    case telemetry = "ERROR_TELEMETRY"
    case httpRequest = "ERROR_HTTP_REQUEST"
}
