// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One authentication of the owner of the device; the state of an `LAContext`.
///
/// A context that was confirmed needs no further dialog for a while. Thread rule: any thread.
package final class AuthenticationContext: Sendable {
    /// How long a confirmation holds, in nanoseconds of lab time. The platform's value is not documented; the manual
    /// reports more than five minutes.
    static let validity: Int64 = 300_000_000_000

    private struct State {
        var reason = ""
        var fallbackTitle: String?
        var isInteractionAllowed = true
        var isInvalid = false
        var grant: (AuthenticationGrant, at: Int64)?
    }

    private let state = Mutex(State())
    /// The system's service; nil outside of a sandbox.
    package let service: AuthenticationService?

    /// - Parameter service: the service of the app.
    package init(service: AuthenticationService?) { self.service = service }

    /// The text of the dialog.
    package var reason: String {
        get { state.withLock { $0.reason } }
        set { state.withLock { $0.reason = newValue } }
    }

    /// Label of the fallback button; empty hides it.
    package var fallbackTitle: String? {
        get { state.withLock { $0.fallbackTitle } }
        set { state.withLock { $0.fallbackTitle = newValue } }
    }

    /// Whether a dialog may open.
    package var isInteractionAllowed: Bool {
        get { state.withLock { $0.isInteractionAllowed } }
        set { state.withLock { $0.isInteractionAllowed = newValue } }
    }

    /// Whether ``invalidate()`` was called.
    package var isInvalid: Bool { state.withLock { $0.isInvalid } }

    /// Makes the context unusable; an open dialog of it disappears.
    package func invalidate() {
        let wasValid = state.withLock { state in
            defer {
                state.isInvalid = true
                state.grant = nil
            }
            return !state.isInvalid
        }
        if wasValid { service?.security.wakeWaiters() }
    }

    func remember(_ grant: AuthenticationGrant, at time: Int64) {
        state.withLock { state in
            if !state.isInvalid { state.grant = (grant, time) }
        }
    }

    /// The confirmation that still holds.
    func grant(at time: Int64) -> AuthenticationGrant? {
        state.withLock { state in
            guard let (grant, since) = state.grant, time - since < Self.validity else { return nil }
            return grant
        }
    }
}

/// What a device recognises its owner by.
package enum BiometrySensor: Sendable {
    /// A fingerprint.
    case finger
    /// A face.
    case face
}

/// What may confirm that the owner of the device is there; the policies of the platform's `LAPolicy`.
package enum AuthenticationPolicy: String, Codable, Sendable {
    /// A finger or face.
    case biometry
    /// A finger or face, or else the passcode.
    case biometryOrPasscode
}

/// Why the owner could not be confirmed. The raw values are the codes of the platform's `LAError` (sdk.md, section 3,
/// item 12).
package enum AuthenticationFailure: Int, Error, Sendable {
    case authenticationFailed = -1
    case userCancel = -2
    case userFallback = -3
    case systemCancel = -4
    case passcodeNotSet = -5
    case biometryNotAvailable = -6
    case biometryNotEnrolled = -7
    case biometryLockout = -8
    case appCancel = -9
    case invalidContext = -10
    case notInteractive = -1004
}

/// How the owner was confirmed.
package enum AuthenticationGrant: Sendable {
    /// By a finger or face of the enrolled set.
    case biometry(enrolment: Int)
    /// By the passcode.
    case passcode
}

/// The dialog that is open on a device.
public struct AuthenticationPrompt: Codable, Equatable, Sendable {
    /// Differs for every dialog.
    let id: String
    /// Actor name of the app that asks.
    public let app: String
    /// The process that asks.
    let pid: Int32
    /// The text that the app shows.
    public let reason: String
    /// Label of the fallback button; empty when the button is hidden, nil for the system's label.
    public let fallbackTitle: String?
    /// Whether the passcode would do too.
    public let allowsPasscode: Bool
}
