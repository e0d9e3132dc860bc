// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Domain of every error that the SDKs produce; also the `userInfo` key of the REST error response
/// (sdk.md, sections 4.1 and 4.2).
public let PowerAuthErrorDomain = "PowerAuthErrorDomain"
/// `userInfo` key of the whole decoded JSON error body, `[String: Any]`.
public let PowerAuthErrorInfoKey_AdditionalInfo = "PowerAuthErrorInfoKey_AdditionalInfo"
/// `userInfo` key of the raw error body, `Data`.
public let PowerAuthErrorInfoKey_ResponseData = "PowerAuthErrorInfoKey_ResponseData"

/// `userInfo` key of the ``PowerAuthExternalPendingOperation`` in an error with the code 18.
///
/// The string really ends with `Application`; it is the vendor's value (sharing.md, section 8.1).
public let PowerAuthErrorInfoKey_ExternalPendingOperation = "PowerAuthErrorInfoKey_ExternalPendingApplication"

/// Name of the exception that the original SDK raises for an unusable configuration. Here a failable
/// initialiser returns nil instead, and ``InvalidConfiguration`` names the cause.
public let PowerAuthExceptionMissingConfig = "PowerAuthExceptionMissingConfig"

extension NSError {
    /// The SDK's error code, or `.NA` when the error is not from ``PowerAuthErrorDomain``.
    public var powerAuthErrorCode: PowerAuthErrorCode {
        guard domain == PowerAuthErrorDomain else { return .NA }
        return PowerAuthErrorCode(rawValue: code) ?? .NA
    }

    /// The application whose critical operation caused this error, or nil if the error does not contain it.
    public var powerAuthExternalPendingOperation: PowerAuthExternalPendingOperation? {
        guard domain == PowerAuthErrorDomain else { return nil }
        return userInfo[PowerAuthErrorInfoKey_ExternalPendingOperation] as? PowerAuthExternalPendingOperation
    }

    /// Makes an error of the SDK's domain.
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - message: the description; nil takes the vendor's default text of the code.
    ///   - underlying: the error that caused this one.
    ///   - userInfo: further entries; they win over the ones made here.
    package static func powerAuth(
        _ code: PowerAuthErrorCode, _ message: String? = nil, underlying: (any Error)? = nil,
        userInfo: [String: Any] = [:]
    ) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message ?? code.defaultDescription]
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        info.merge(userInfo) { _, given in given }
        return NSError(domain: PowerAuthErrorDomain, code: code.rawValue, userInfo: info)
    }
}

/// What the manuals' samples read of the error of a callback, an `NSError` whose type is any error (sdk.md, section 3,
/// item 2). A member of the same name that an application declares is preferred.
extension Error {
    /// As of `NSError`; `.NA` for an error that the SDK has not made.
    @_disfavoredOverload
    public var powerAuthErrorCode: PowerAuthErrorCode { (self as NSError).powerAuthErrorCode }

    /// As of `NSError`; nil for an error that the SDK has not made.
    @_disfavoredOverload
    public var powerAuthExternalPendingOperation: PowerAuthExternalPendingOperation? {
        (self as NSError).powerAuthExternalPendingOperation
    }

    /// As of `NSError`; the keys of the SDK's errors are listed in sdk.md, section 4.2.
    @_disfavoredOverload
    public var userInfo: [String: Any] { (self as NSError).userInfo }
}

/// What went wrong, in every `NSError` of the domain ``PowerAuthErrorDomain`` (sdk.md, section 4.1).
///
/// The raw values are the vendor's and cross the watch link, so they never change.
public enum PowerAuthErrorCode: Int, Sendable, CaseIterable {
    /// The error belongs to another domain; never produced as a code of its own.
    case NA = 0
    /// The request failed, or the server's answer could not be used.
    case networkError = 1
    /// The core refused to compute a signature.
    case signatureError = 2
    /// The session is in a state that does not allow the operation.
    case invalidActivationState = 3
    /// An activation code, recovery code, PUK or OIDC parameter is invalid.
    case invalidActivationCode = 4
    /// Activation data or the status blob cannot be used.
    case invalidActivationData = 5
    /// The operation needs an activation.
    case missingActivation = 6
    /// An activation was started but not persisted yet.
    case activationPending = 7
    /// The device has no usable biometry.
    case biometryNotAvailable = 8
    /// The user dismissed the biometric dialog, or another dialog of the process is open.
    case biometryCancel = 9
    /// The biometric authentication failed or its key is missing.
    case biometryFailed = 10
    /// The SDK itself cancelled the operation.
    case operationCancelled = 11
    /// End-to-end encryption or vault cryptography failed.
    case encryption = 12
    /// A parameter has no usable value.
    case wrongParameter = 13
    /// The token is unknown or unusable.
    case invalidToken = 14
    /// The watch could not be reached or answered with something unusable.
    case watchConnectivity = 15
    /// The protocol upgrade failed.
    case protocolUpgrade = 16
    /// A protocol upgrade is pending; try later.
    case pendingProtocolUpgrade = 17
    /// Another application that shares the activation is in the middle of a critical operation.
    case externalPendingOperation = 18
    /// The user chose the fallback of the biometric dialog.
    case biometryFallback = 19
    /// Time could not be synchronised with the server.
    case timeSynchronization = 20

    /// The vendor's text for the code, its spelling slips included: it crosses the watch link.
    package var defaultDescription: String {
        switch self {
        case .NA: "Unknown error 0"
        case .networkError: "Network error"
        case .signatureError: "Signature error"
        case .invalidActivationState: "Invalid activation state"
        case .invalidActivationCode: "Invalid activation code"
        case .invalidActivationData: "Invalid activation data"
        case .missingActivation: "Missing activation"
        case .activationPending: "Pending activation"
        case .biometryNotAvailable: "Biometry is not supported or is unavailable"
        case .biometryCancel: "User did cancel biometry authentication dialog"
        case .biometryFailed: "Biometry authentication failed"
        case .operationCancelled: "Operation was cancelled by SDK"
        case .encryption: "General encryption failure"
        case .wrongParameter: "Invalid parameter provided to method"
        case .invalidToken: "Invalid or unknown token"
        case .watchConnectivity: "Watch connectivity error"
        case .protocolUpgrade: "Protocol upgrade error"
        case .pendingProtocolUpgrade: "Pending protocol ugprade, try later"
        case .externalPendingOperation: "Other application does critical operation"
        case .biometryFallback: "Used did press fallback at biometry authentication dialog"
        case .timeSynchronization: "Failed to synchronize time with the server"
        }
    }
}

/// State of a REST response (sdk.md, section 4.4).
public enum PowerAuthRestApiResponseStatus: Int, Sendable {
    /// The server returned `OK`.
    case OK = 0
    /// The server returned `ERROR`, or anything but `OK`.
    case ERROR = 1
}

/// The `responseObject` of an error response. Immutable. Thread rule: any thread.
public final class PowerAuthRestApiError: @unchecked Sendable {
    // Safe to share: every property is a constant, and `additionalInfo` holds only values that the JSON parser made
    // (strings, numbers, arrays, dictionaries), which are never mutated.

    /// The server's error code such as `ERR_ACTIVATION`, nil when it is missing or not a string.
    public let code: String!
    /// The server's text, nil when it is missing or not a string.
    public let message: String!
    /// Every other member of the object.
    public let additionalInfo: [AnyHashable: Any]!

    /// Index of the recovery PUK that the server expects next, or -1 when it did not say.
    public var currentRecoveryPukIndex: Int { additionalInfo["currentRecoveryPukIndex"] as? Int ?? -1 }

    /// - Parameter object: the decoded `responseObject`.
    package init(object: [String: Any]) {
        code = object["code"] as? String
        message = object["message"] as? String
        var others: [AnyHashable: Any] = [:]
        for (key, value) in object where key != "code" && key != "message" { others[key] = value }
        additionalInfo = others
    }
}

/// The server's error answer, found in `userInfo` under ``PowerAuthErrorDomain`` of a network error
/// (sdk.md, section 4.4). Immutable. Thread rule: any thread.
public final class PowerAuthRestApiErrorResponse: Sendable {
    /// Always `.ERROR`.
    public let status = PowerAuthRestApiResponseStatus.ERROR
    /// The HTTP status; 200 if only the body reports the failure.
    public let httpStatusCode: UInt
    /// The server's error; nil if the body has no `responseObject` that is a JSON object.
    public let responseObject: PowerAuthRestApiError!

    /// - Parameters:
    ///   - httpStatusCode: the HTTP status of the response.
    ///   - body: the decoded JSON body; an empty dictionary when there was none.
    package init(httpStatusCode: UInt, body: [String: Any]) {
        self.httpStatusCode = httpStatusCode
        responseObject = (body["responseObject"] as? [String: Any]).map(PowerAuthRestApiError.init(object:))
    }
}
