import Foundation

/// Domain of the errors of this module.
public let WCErrorDomain = "WCErrorDomain"

/// The errors of WatchConnectivity (watch.md, section 9.7).
///
/// Errors reach an app as `NSError` values with ``WCErrorDomain``, because on Linux only such a value matches a cast
/// to `NSError`; ``init(_:)`` reads the code back.
public struct WCError: Error, Equatable, Sendable {
    /// Number of an error.
    public enum Code: Int, CaseIterable, Sendable {
        /// Unknown failure inside WatchConnectivity.
        case genericError = 7001
        /// The device cannot have a counterpart.
        case sessionNotSupported = 7002
        /// The session has no delegate.
        case sessionMissingDelegate = 7003
        /// The session is not activated.
        case sessionNotActivated = 7004
        /// No watch is paired.
        case deviceNotPaired = 7005
        /// The watch does not have the app.
        case watchAppNotInstalled = 7006
        /// The counterpart is out of reach.
        case notReachable = 7007
        /// A parameter is not valid.
        case invalidParameter = 7008
        /// The content is larger than allowed.
        case payloadTooLarge = 7009
        /// The content is not a property list.
        case payloadUnsupportedTypes = 7010
        /// The receiver died, or the link broke, between delivery and reply.
        case messageReplyFailed = 7011
        /// The reply did not come in time.
        case messageReplyTimedOut = 7012
        /// A file cannot be read.
        case fileAccessDenied = 7013
        /// The content could not be delivered.
        case deliveryFailed = 7014
        /// The receiver has no room.
        case insufficientSpace = 7015
        /// The session is inactive: another watch is becoming the active one.
        case sessionInactive = 7016
        /// The delivery was not acknowledged in time.
        case transferTimedOut = 7017
        /// The phone does not have the app.
        case companionAppNotInstalled = 7018
        /// The watch app has no companion.
        case watchOnlyApp = 7019

        /// What went wrong, in English.
        public var localizedDescription: String {
            switch self {
            case .genericError: "WatchConnectivity failed for an unknown reason."
            case .sessionNotSupported: "This device does not support WatchConnectivity sessions."
            case .sessionMissingDelegate: "The WatchConnectivity session has no delegate."
            case .sessionNotActivated: "The WatchConnectivity session is not activated."
            case .deviceNotPaired: "No watch is paired with this device."
            case .watchAppNotInstalled: "The watch app is not installed."
            case .notReachable: "The counterpart app is not reachable."
            case .invalidParameter: "A parameter passed to WatchConnectivity is not valid."
            case .payloadTooLarge: "The content is larger than WatchConnectivity allows."
            case .payloadUnsupportedTypes: "The content has values that a property list cannot hold."
            case .messageReplyFailed: "The counterpart got the message but could not reply."
            case .messageReplyTimedOut: "The counterpart did not reply in time."
            case .fileAccessDenied: "WatchConnectivity cannot read the file."
            case .deliveryFailed: "The content could not be delivered."
            case .insufficientSpace: "The counterpart has no room for the content."
            case .sessionInactive: "The WatchConnectivity session is inactive."
            case .transferTimedOut: "The transfer was not acknowledged in time."
            case .companionAppNotInstalled: "The companion app is not installed on the phone."
            case .watchOnlyApp: "The watch app has no companion app."
            }
        }
    }

    /// The number.
    public let code: Code

    /// An error with a number.
    public init(_ code: Code) {
        self.code = code
    }

    /// Reads an error that a session reported; nil for an error of another domain.
    public init?(_ error: any Error) {
        let error = error as NSError
        guard error.domain == WCErrorDomain, let code = Code(rawValue: error.code) else { return nil }
        self.code = code
    }
}

extension NSError {
    /// The form in which a session reports `code`; a number that has no name is reported as it is.
    convenience init(watchConnectivityCode code: Int) {
        let known = WCError.Code(rawValue: code) ?? .genericError
        self.init(
            domain: WCErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: known.localizedDescription])
    }

    convenience init(_ code: WCError.Code) {
        self.init(watchConnectivityCode: code.rawValue)
    }
}
