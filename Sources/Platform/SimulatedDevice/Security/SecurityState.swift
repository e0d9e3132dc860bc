public import LabKit

/// What protects a device: its passcode, its biometry, whether it is locked (sdk.md, section 5.5; sharing.md,
/// section 21.6).
///
/// A value that knows the rules and does nothing else.
public struct SecurityState: Codable, Equatable, Sendable {
    /// Attempts in a row with a finger or face that does not match, after which only the passcode helps.
    public static let attemptsBeforeLockout = 5

    /// The sensor.
    public private(set) var hardware: DeviceSpec.Biometry
    /// Whether the user allows the apps to use biometry.
    public private(set) var isBiometryAllowed = true
    /// Whether a passcode is set.
    public private(set) var isPasscodeSet = true
    /// Identity of the set of enrolled fingers or faces; nil when nothing is enrolled. Any change gives a new one.
    public private(set) var enrolment: Int?
    /// Whether the screen is locked.
    public private(set) var isLocked = false
    /// False from a start of the device until the passcode was entered.
    public private(set) var isUnlockedSinceBoot = true
    /// Attempts in a row that did not match.
    public private(set) var failedAttempts = 0
    private var lastEnrolment = 0

    /// A device as it comes out of its box: passcode set, nothing enrolled, unlocked.
    public init(hardware: DeviceSpec.Biometry) {
        self.hardware = hardware
    }

    /// Whether only the passcode helps.
    public var isLockedOut: Bool { failedAttempts >= Self.attemptsBeforeLockout }

    /// Attempts after which a dialog gives up.
    var attemptsOfOneDialog: Int { hardware == .faceID ? 2 : 3 }

    /// Why a policy cannot be fulfilled at all; nil when a dialog may open.
    func obstacle(to policy: AuthenticationPolicy) -> AuthenticationFailure? {
        switch policy {
        case .biometryOrPasscode: return isPasscodeSet ? nil : .passcodeNotSet
        case .biometry:
            guard hardware != .none, isBiometryAllowed else { return .biometryNotAvailable }
            guard isPasscodeSet else { return .passcodeNotSet }
            guard enrolment != nil else { return .biometryNotEnrolled }
            return isLockedOut ? .biometryLockout : nil
        }
    }

    // MARK: What the user does in the settings

    /// Enrols a finger or face, the first one or another one. Keys that are linked to the earlier set are lost.
    public mutating func enrol() throws(DeviceStateError) {
        guard hardware != .none else {
            throw DeviceStateError("The device has no biometry; see `biometry` in lab.yaml.")
        }
        guard isPasscodeSet else { throw DeviceStateError("Biometry needs a passcode; set one first.") }
        lastEnrolment += 1
        enrolment = lastEnrolment
    }

    /// Changes the enrolled set, which must not be empty.
    public mutating func alter() throws(DeviceStateError) {
        guard enrolment != nil else { throw DeviceStateError("Nothing is enrolled; use `enrolBiometry` first.") }
        try enrol()
    }

    /// Removes everything enrolled.
    public mutating func removeEnrolled() {
        enrolment = nil
    }

    /// Allows or forbids the apps to use biometry.
    public mutating func allowBiometry(_ isAllowed: Bool) throws(DeviceStateError) {
        guard hardware != .none else {
            throw DeviceStateError("The device has no biometry; see `biometry` in lab.yaml.")
        }
        isBiometryAllowed = isAllowed
    }

    /// Sets or removes the passcode; without it there is no biometry either.
    public mutating func setPasscode(_ isSet: Bool) {
        isPasscodeSet = isSet
        guard !isSet else { return }
        enrolment = nil
        failedAttempts = 0
        isLocked = false
        isUnlockedSinceBoot = true
    }

    // MARK: What happens to the device

    /// Locks the screen. A device without a passcode stays open.
    public mutating func lock() {
        isLocked = isPasscodeSet
    }

    /// The user enters the passcode on the locked screen, which ends a lockout too.
    public mutating func unlock() {
        isLocked = false
        isUnlockedSinceBoot = true
        failedAttempts = 0
    }

    /// The device starts: locked, and closed until the passcode was entered.
    public mutating func reboot() {
        isLocked = isPasscodeSet
        isUnlockedSinceBoot = !isPasscodeSet
    }

    /// The device is as new.
    public mutating func erase() {
        self = SecurityState(hardware: hardware)
    }

    // MARK: What happens in a dialog

    /// A finger or face did not match.
    mutating func miss() {
        failedAttempts = min(failedAttempts + 1, Self.attemptsBeforeLockout)
    }

    /// A finger or face matched, or the passcode was right.
    mutating func succeed() {
        failedAttempts = 0
    }
}

/// The device is not in the state that an action needs.
public struct DeviceStateError: Error, Equatable, CustomStringConvertible, Sendable {
    /// What is wrong, and what to do.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
