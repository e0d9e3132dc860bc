// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// The device data and keys from the key exchange, and the state that signatures change.
struct DeviceBinding: Sendable, Equatable {
    /// KEY_DEVICE_PUBLIC as an uncompressed point: 65 bytes, or 97 of P-384 in protocol 4.
    let devicePublicKey: Data
    /// The number of counter steps made so far; only its low byte ever leaves the server.
    var counter: UInt64
    /// CTR_DATA, 16 bytes, or 32 in protocol 4: the hash counter's current value.
    var counterData: Data
    /// The protocol generation of the activation.
    var version: Int
}

/// The state of an activation with the data that state has (server.md, section 20.1).
///
/// Beyond CREATED an activation lacks its binding only if the back office set the status before any device came:
/// nothing can be signed or decrypted with it.
enum ActivationLifecycle: Sendable, Equatable {
    /// Waits for a device that shows the activation code. It has had one if the back office put it back here.
    case created(expires: ServerTime, formerDevice: DeviceBinding? = nil)
    /// Keys are exchanged; waits for the back office to commit.
    case pendingCommit(DeviceBinding?, expires: ServerTime)
    case active(DeviceBinding?)
    case blocked(DeviceBinding?, reason: String)
    /// Final.
    case removed(DeviceBinding?)

    var status: ActivationState {
        switch self {
        case .created: .created
        case .pendingCommit: .pendingCommit
        case .active: .active
        case .blocked: .blocked
        case .removed: .removed
        }
    }

    var binding: DeviceBinding? {
        switch self {
        case .created(_, let binding), .pendingCommit(let binding, _), .active(let binding), .blocked(let binding, _),
            .removed(let binding):
            binding
        }
    }

    /// The deadline to finish the activation; nil once it can no longer expire.
    var expires: ServerTime? {
        switch self {
        case .created(let expires, _), .pendingCommit(_, let expires): expires
        case .active, .blocked, .removed: nil
        }
    }

    var blockedReason: String? {
        if case .blocked(_, let reason) = self { reason } else { nil }
    }
}

/// One activation: the relation of a user, an application and (after the key exchange) a device.
struct Activation: Sendable, Equatable {
    /// A lower-case UUID.
    let id: Identifier
    let application: Application
    /// The row of the master key pair that signed the activation code.
    let masterKeyPairRow: Int64
    let userId: Identifier
    var lifecycle: ActivationLifecycle
    /// The activation code, 23 characters.
    let code: String
    var otp: OtpRequirement
    var name: String?
    var externalId: Identifier?
    var extras: String?
    var platform: String?
    var deviceInfo: String?
    /// Sorted.
    var flags: [Identifier]
    /// KEY_SERVER_PRIVATE, a big-endian scalar; see ``RecordSeal/serverPrivateKey(of:)``.
    let serverPrivateKey: StoredSecret
    /// KEY_SERVER_PUBLIC, uncompressed point, 65 bytes.
    let serverPublicKey: Data
    var failedAttempts: Int
    let maxFailedAttempts: Int
    let created: ServerTime
    var lastUsed: ServerTime
    var lastChange: ServerTime?
    /// Nil for an activation of protocol 2 or 3, unless its upgrade to protocol 4 was started.
    var version4: Version4Record?

    var status: ActivationState { lifecycle.status }
    /// The refusal of what its state does not allow.
    var stateRefusal: ServiceError { ServiceError(.activationIncorrectState, "activation \(id) is \(status.name)") }
    /// Whether it is of protocol 4, and its device has confirmed it.
    var isConfirmedV4: Bool { lifecycle.binding?.version == 4 && version4?.isConfirmationPending == false }
    /// How many failures it still survives.
    var remainingAttempts: Int { maxFailedAttempts - failedAttempts }

    /// Whether it is blocked for a time that is not over.
    func isBlocked(at now: ServerTime) -> Bool { version4?.block.map { now < $0.until } ?? false }

    /// Whether a code may still be right: after a block for a time, one is compared.
    var hasAttempts: Bool { remainingAttempts > 0 || version4?.block != nil }

    /// Forgets failures, and the blocks that they have caused.
    mutating func forgetFailures() {
        failedAttempts = 0
        version4?.block = nil
    }

    /// Counts one failure of a signature or one-time password.
    /// - Returns: true when the limit is reached.
    mutating func countFailure() -> Bool {
        failedAttempts = min(failedAttempts + 1, maxFailedAttempts)
        return failedAttempts >= maxFailedAttempts
    }

    /// Removes the activation if its time to be finished is over.
    /// - Returns: true when this call removed it.
    mutating func removeIfExpired(at now: ServerTime) -> Bool {
        guard let expires = lifecycle.expires, now > expires else { return false }
        lifecycle = .removed(lifecycle.binding)
        return true
    }
}

/// Why a history row was written, as the API spells it.
enum HistoryReason {
    static let otpFailedAttempt = "OTP_FAILED_ATTEMPT"
    static let otpMaxFailedAttempts = "OTP_MAX_FAILED_ATTEMPTS"
    static let otpValueUpdate = "OTP_VALUE_UPDATE"
    static let activationVersionChanged = "ACTIVATION_VERSION_CHANGED"
    static let activationNameUpdated = "ACTIVATION_NAME_UPDATED"
}

/// Why an activation is blocked, unless the back office gave a reason of its own.
enum BlockedReason {
    static let maxFailedAttempts = "MAX_FAILED_ATTEMPTS"
    static let notSpecified = "NOT_SPECIFIED"
}

extension ActivationState: NamedChoice {
    /// The upper-case name used by the back-office API.
    var name: String {
        switch self {
        case .created: "CREATED"
        case .pendingCommit: "PENDING_COMMIT"
        case .active: "ACTIVE"
        case .blocked: "BLOCKED"
        case .removed: "REMOVED"
        }
    }
}
