// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Domain of the errors of this module.
public let WCErrorDomain = "WCErrorDomain"

/// The errors of WatchConnectivity (watch.md, section 9.7).
///
/// An app asks `error as? WCError`, or catches `WCError.notReachable`; `error as NSError` has ``WCErrorDomain`` and the
/// number. The conditional cast `as? NSError`, which Apple's compiler warns of, fails on Linux.
public struct WCError: CustomNSError, LocalizedError, Equatable, Sendable {
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
    public init(_ code: Code) { self.code = code }

    /// ``WCErrorDomain``.
    public static var errorDomain: String { WCErrorDomain }

    /// The number as an integer.
    public var errorCode: Int { code.rawValue }
    /// The description alone.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: code.localizedDescription] }
    /// What went wrong, in English.
    public var errorDescription: String? { code.localizedDescription }

    /// What a session reports for `code`; a number that has no name is reported as it is.
    static func reported(_ code: Int) -> any Error {
        if let known = Code(rawValue: code) { return WCError(known) }
        return NSError(
            domain: WCErrorDomain, code: code,
            userInfo: [NSLocalizedDescriptionKey: Code.genericError.localizedDescription])
    }
}

extension WCError.Code {
    /// Matches an error in a `catch` or a `case`, as `catch WCError.notReachable`.
    public static func ~= (code: WCError.Code, error: any Error) -> Bool { (error as? WCError)?.code == code }
}

/// The names of ``Code``, as Apple's framework has them beside the type.
extension WCError {
    /// ``Code/genericError``.
    public static var genericError: Code { .genericError }
    /// ``Code/sessionNotSupported``.
    public static var sessionNotSupported: Code { .sessionNotSupported }
    /// ``Code/sessionMissingDelegate``.
    public static var sessionMissingDelegate: Code { .sessionMissingDelegate }
    /// ``Code/sessionNotActivated``.
    public static var sessionNotActivated: Code { .sessionNotActivated }
    /// ``Code/deviceNotPaired``.
    public static var deviceNotPaired: Code { .deviceNotPaired }
    /// ``Code/watchAppNotInstalled``.
    public static var watchAppNotInstalled: Code { .watchAppNotInstalled }
    /// ``Code/notReachable``.
    public static var notReachable: Code { .notReachable }
    /// ``Code/invalidParameter``.
    public static var invalidParameter: Code { .invalidParameter }
    /// ``Code/payloadTooLarge``.
    public static var payloadTooLarge: Code { .payloadTooLarge }
    /// ``Code/payloadUnsupportedTypes``.
    public static var payloadUnsupportedTypes: Code { .payloadUnsupportedTypes }
    /// ``Code/messageReplyFailed``.
    public static var messageReplyFailed: Code { .messageReplyFailed }
    /// ``Code/messageReplyTimedOut``.
    public static var messageReplyTimedOut: Code { .messageReplyTimedOut }
    /// ``Code/fileAccessDenied``.
    public static var fileAccessDenied: Code { .fileAccessDenied }
    /// ``Code/deliveryFailed``.
    public static var deliveryFailed: Code { .deliveryFailed }
    /// ``Code/insufficientSpace``.
    public static var insufficientSpace: Code { .insufficientSpace }
    /// ``Code/sessionInactive``.
    public static var sessionInactive: Code { .sessionInactive }
    /// ``Code/transferTimedOut``.
    public static var transferTimedOut: Code { .transferTimedOut }
    /// ``Code/companionAppNotInstalled``.
    public static var companionAppNotInstalled: Code { .companionAppNotInstalled }
    /// ``Code/watchOnlyApp``.
    public static var watchOnlyApp: Code { .watchOnlyApp }
}
