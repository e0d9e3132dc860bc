// SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalAuthentication

/// Asks for a finger or a face before a screen opens.
public final class BiometricGate {
    public enum Availability: Equatable {
        case available(String)
        case notEnrolled
        case lockedOut
        case unavailable
    }

    private let makeContext: () -> LAContext

    public init(makeContext: @escaping () -> LAContext = { LAContext() }) { self.makeContext = makeContext }

    public var availability: Availability {
        let context = makeContext()
        var error: NSError?
        if context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error) {
            switch context.biometryType {
            case .faceID: return .available("Face ID")
            case .touchID: return .available("Touch ID")
            default: return .unavailable
            }
        }
        guard let reason = error as? LAError else { return .unavailable }
        switch reason.code {
        case .biometryNotEnrolled, .passcodeNotSet: return .notEnrolled
        case .biometryLockout: return .lockedOut
        default: return .unavailable
        }
    }

    /// - Parameter completion: takes a context that the SDK may use for a signature, or the failure; on the main queue.
    public func open(reason: String, completion: @escaping (Result<LAContext, BankFailure>) -> Void) {
        let context = makeContext()
        context.localizedFallbackTitle = ""
        context.localizedCancelTitle = "Use PIN"
        context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: reason) { isOwner, error in
            DispatchQueue.main.async {
                if isOwner {
                    completion(.success(context))
                } else {
                    completion(.failure(BankFailure.map(error) ?? .biometryUnavailable))
                }
            }
        }
    }
}
