// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SimulatedDevice

/// Domain of the errors of local authentication.
public let LAErrorDomain = "com.apple.LocalAuthentication"

/// Why the owner of the device could not be confirmed (sdk.md, section 3, item 12).
public struct LAError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// The reasons, with the platform's codes.
    public enum Code: Int, Sendable {
        /// The finger, face or passcode did not match.
        case authenticationFailed = -1
        /// The user pressed the cancel button.
        case userCancel = -2
        /// The user pressed the fallback button.
        case userFallback = -3
        /// The system took the dialog away.
        case systemCancel = -4
        /// The device has no passcode.
        case passcodeNotSet = -5
        /// The device has no biometry, or the app may not use it.
        case biometryNotAvailable = -6
        /// Nothing is enrolled.
        case biometryNotEnrolled = -7
        /// Too many attempts did not match; the passcode must be entered first.
        case biometryLockout = -8
        /// The app made the context invalid while the dialog was open.
        case appCancel = -9
        /// The context was made invalid before.
        case invalidContext = -10
        /// A dialog would be needed, and the context does not allow one.
        case notInteractive = -1004
    }

    /// The reason.
    public let code: Code

    /// An error with a reason.
    public init(_ code: Code) { self.code = code }

    init(failure: AuthenticationFailure) {
        // Both enumerations have the platform's codes as raw values; a test compares them case by case.
        self.init(Code(rawValue: failure.rawValue) ?? .authenticationFailed)
    }

    public static var errorDomain: String { LAErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
    public var errorDescription: String? { text }

    var nsError: NSError { NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo) }

    private var text: String {
        switch code {
        case .authenticationFailed: "The owner of the device was not recognised."
        case .userCancel: "The user cancelled the dialog."
        case .userFallback: "The user pressed the fallback button."
        case .systemCancel: "The system took the dialog away."
        case .passcodeNotSet: "The device has no passcode."
        case .biometryNotAvailable: "Biometry is not available on this device."
        case .biometryNotEnrolled: "No finger or face is enrolled."
        case .biometryLockout: "Biometry is locked out; the passcode must be entered first."
        case .appCancel: "The app ended the dialog."
        case .invalidContext: "The context was made invalid."
        case .notInteractive: "A dialog is needed, and the context does not allow one."
        }
    }
}

extension LAError {
    /// ``Code/authenticationFailed``
    public static var authenticationFailed: Code { .authenticationFailed }
    /// ``Code/userCancel``
    public static var userCancel: Code { .userCancel }
    /// ``Code/userFallback``
    public static var userFallback: Code { .userFallback }
    /// ``Code/systemCancel``
    public static var systemCancel: Code { .systemCancel }
    /// ``Code/passcodeNotSet``
    public static var passcodeNotSet: Code { .passcodeNotSet }
    /// ``Code/biometryNotAvailable``
    public static var biometryNotAvailable: Code { .biometryNotAvailable }
    /// ``Code/biometryNotEnrolled``
    public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
    /// ``Code/biometryLockout``
    public static var biometryLockout: Code { .biometryLockout }
    /// ``Code/appCancel``
    public static var appCancel: Code { .appCancel }
    /// ``Code/invalidContext``
    public static var invalidContext: Code { .invalidContext }
    /// ``Code/notInteractive``
    public static var notInteractive: Code { .notInteractive }
}

// Makes `error as? LAError` an `LAError` of the `NSError` that `canEvaluatePolicy` leaves, as on Apple's platforms.
extension LAError: _ObjectiveCBridgeable {
    /// - Returns: nil for an error of another domain, and for an unknown code.
    private init?(_ error: NSError) {
        guard error.domain == Self.errorDomain, let code = Code(rawValue: error.code) else { return nil }
        self.init(code)
    }

    /// The same error as an object.
    public func _bridgeToObjectiveC() -> NSError { nsError }

    /// For `as?`.
    /// - Returns: false for an error of another domain, and for an unknown code.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
        result = LAError(source)
        return result != nil
    }

    /// For `as!`; another error ends the process.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
        result = _unconditionallyBridgeFromObjectiveC(source)
    }

    /// As ``_forceBridgeFromObjectiveC(_:result:)``.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
        guard let error = source.flatMap({ LAError($0) }) else {
            preconditionFailure("The error is of another domain than \(errorDomain) or has an unknown code; use `as?`.")
        }
        return error
    }
}

/// Lets `catch LAError.userCancel` and `case LAError.userCancel:` match an error.
public func ~= (code: LAError.Code, error: any Error) -> Bool { (error as? LAError)?.code == code }
