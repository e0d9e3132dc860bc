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
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - message: the description; nil takes the vendor's default text of the code.
    ///   - underlying: the error that caused this one.
    ///   - userInfo: further entries; they win over the ones made here.
    package static func powerAuth(
        _ code: PowerAuthErrorCode,
        _ message: String? = nil,
        underlying: (any Error)? = nil,
        userInfo: [String: Any] = [:]
    ) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message ?? code.defaultDescription]
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        info.merge(userInfo) { _, given in given }
        return NSError(domain: PowerAuthErrorDomain, code: code.rawValue, userInfo: info)
    }
}
