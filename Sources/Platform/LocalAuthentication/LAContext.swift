// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
package import SimulatedDevice
import Synchronization

/// Where a function leaves an error; this platform's Foundation has no such name.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// A conversation about the owner of the device (sdk.md, section 3, item 11).
///
/// Thread rule: any thread. A confirmed context needs no further dialog for some minutes, until ``invalidate()``.
open class LAContext: NSObject, @unchecked Sendable {
    // Safe: the two parts are constants that guard their own state.

    /// What the simulated system knows about the conversation.
    package let conversation: AuthenticationContext
    private let cancelTitle = Mutex<String?>(nil)

    /// Where dialogs are waited for: each blocks a thread for as long as the user needs.
    private static let dialogs = DispatchQueue(label: "LocalAuthentication.dialogs", attributes: .concurrent)

    /// A conversation of this process's app. A designated initialiser, so that a mock of an app's tests can be made.
    public override init() {
        conversation = AuthenticationContext(service: Sandbox.currentIfEntered?.authentication)
        super.init()
    }

    /// A conversation of the app whose service is given; nil for a process without a sandbox, where nothing can be
    /// confirmed.
    package init(service: AuthenticationService?) {
        conversation = AuthenticationContext(service: service)
        super.init()
    }

    /// A conversation with one app's service, whose dialog shows a text and no fallback button.
    package convenience init(service: AuthenticationService?, prompt: String) {
        self.init(service: service)
        localizedReason = prompt
        localizedFallbackTitle = ""
    }

    /// The text of the dialog.
    open var localizedReason: String {
        get { conversation.reason }
        set { conversation.reason = newValue }
    }

    /// Label of the fallback button; empty hides the button, nil shows the system's label.
    open var localizedFallbackTitle: String? {
        get { conversation.fallbackTitle }
        set { conversation.fallbackTitle = newValue }
    }

    /// Label of the cancel button; nil shows the system's label.
    open var localizedCancelTitle: String? {
        get { cancelTitle.withLock { $0 } }
        set { cancelTitle.withLock { $0 = newValue } }
    }

    /// When true, no dialog opens: what would need one fails.
    open var interactionNotAllowed: Bool {
        get { !conversation.isInteractionAllowed }
        set { conversation.isInteractionAllowed = !newValue }
    }

    /// The kind of biometry of the device, whether it can be used now or not.
    open var biometryType: LABiometryType { LABiometryType(conversation.service?.sensor) }

    /// Whether a dialog for the policy could open now.
    /// - Parameter error: takes an error of ``LAErrorDomain`` when it could not.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        guard let obstacle = obstacle(to: policy) else { return true }
        error?.pointee = LAError(failure: obstacle).nsError
        return false
    }

    /// Why no dialog for the policy could open now; nil when one could.
    package func obstacle(to policy: LAPolicy) -> AuthenticationFailure? {
        if conversation.isInvalid { return .invalidContext }
        guard let service = conversation.service else { return .biometryNotAvailable }
        return service.obstacle(to: policy.systemPolicy)
    }

    /// Asks for the owner of the device.
    /// - Parameters:
    ///   - policy: what may confirm the owner.
    ///   - localizedReason: the text of the dialog.
    ///   - reply: takes true, or false and an ``LAError``; called on a thread of the system.
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        conversation.reason = localizedReason
        let operation = Sandbox.operation
        Self.dialogs.async { [self] in
            Sandbox.$operation.withValue(operation) {
                do throws(LAError) {
                    try confirm(policy)
                    reply(true, nil)
                } catch {
                    reply(false, error)
                }
            }
        }
    }

    /// As ``evaluatePolicy(_:localizedReason:reply:)``.
    /// - Throws: an ``LAError``.
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluatePolicy(policy, localizedReason: localizedReason) { isConfirmed, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: isConfirmed)
                }
            }
        }
    }

    /// Asks for the owner of the device and blocks the thread until the dialog closes.
    package func confirm(_ policy: LAPolicy) throws(LAError) {
        guard let service = conversation.service else { throw LAError(.biometryNotAvailable) }
        do throws(AuthenticationFailure) {
            _ = try service.authenticate(policy.systemPolicy, in: conversation)
        } catch {
            throw LAError(failure: error)
        }
    }

    /// Ends the conversation: an open dialog disappears, and it can no longer be used to confirm or read anything.
    open func invalidate() { conversation.invalidate() }
}

/// The kind of biometry a device has (sdk.md, section 3, item 11).
public enum LABiometryType: Int, Sendable {
    /// The device has no biometry.
    case none = 0
    /// Fingerprint.
    case touchID = 1
    /// Face.
    case faceID = 2

    init(_ sensor: BiometrySensor?) {
        self =
            switch sensor {
            case .finger: .touchID
            case .face: .faceID
            case nil: .none
            }
    }
}

/// What may confirm that the owner of the device is there (sdk.md, section 3, item 11).
public enum LAPolicy: Int, Sendable {
    /// An enrolled finger or face.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// An enrolled finger or face, or else the passcode.
    case deviceOwnerAuthentication = 2

    var systemPolicy: AuthenticationPolicy {
        switch self {
        case .deviceOwnerAuthenticationWithBiometrics: .biometry
        case .deviceOwnerAuthentication: .biometryOrPasscode
        }
    }
}
