// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
import LabSystem
import Synchronization

/// The security state of one device, the dialog that is open on it, and the answers the user has ready; shared by the
/// device's agent and all its apps.
///
/// The state is in a file that is replaced under a lock. A mapped word counts the changes, so that a reader without
/// news costs one load, and waiting threads are woken at once.
///
/// Thread rule: any thread; changes and reads after a change block for the time of a small file.
public final class DeviceSecurity: Sendable {
    struct Record: Codable, Equatable, Sendable {
        var state: SecurityState
        var prompt: AuthenticationPrompt?
        var answers: [AuthenticationAnswer] = []
        /// Until when the animation of a confirmed face is on the screen, nanoseconds of lab time.
        var animationEnds: Int64?
    }

    private struct Cache {
        var stamp: UInt32
        var record: Record
    }

    private let path: String
    private let changes: MappedWord32
    private let page: MappedMemory
    private let cache: Mutex<Cache>

    /// Opens the state of a device; it is created if it does not exist yet.
    public init(layout: InstanceLayout, device: DeviceSpec) throws {
        let directory = layout.deviceDirectory(device.name)
        let path = directory + "/security.json"
        let pagePath = directory + "/security.changes"
        if !Files.exists(path) || !Files.exists(pagePath) {
            if !Files.exists(directory) { try Files.createDirectory(directory) }
            // One process makes the files; the others use those.
            try FileLock(path: path + ".lock").withLock {
                if !Files.exists(pagePath) { try Files.write(Data(count: 4), to: pagePath) }
                guard !Files.exists(path) else { return }
                let record = Record(state: SecurityState(hardware: device.biometry))
                try CheckedFile.write(record, to: path)
            }
        }
        self.path = path
        page = try MappedMemory.file(pagePath, size: 4, create: false)
        changes = page.word32(at: 0)
        let stamp = changes.loadAcquire()
        cache = Mutex(Cache(stamp: stamp, record: try CheckedFile.read(at: path)))
    }

    /// What protects the device now.
    public var state: SecurityState { record.state }
    /// The dialog that is open now.
    public var prompt: AuthenticationPrompt? { record.prompt }

    /// Changes what protects the device.
    public func changeState<T>(_ body: (inout SecurityState) throws -> T) throws -> T {
        try change { try body(&$0.state) }
    }

    /// Answers the open dialog, or the next one when none is open.
    /// - Parameter times: How many dialogs, or attempts of one dialog, get this answer.
    public func answer(_ answer: AuthenticationAnswer, times: Int = 1) throws {
        try change { $0.answers += Array(repeating: answer, count: max(0, times)) }
    }

    /// The system takes the dialog of an app away, because the app leaves the foreground or has ended, or the screen is locked.
    /// - Parameter app: Actor name of the app; nil for any.
    public func cancelPrompt(ofApp app: String? = nil) throws {
        guard let prompt, app == nil || prompt.app == app else { return }
        try change { if $0.prompt?.id == prompt.id { $0.prompt = nil } }
    }

    /// Forgets the dialog and the answers, because every app has ended.
    public func closeEverything() throws {
        try change {
            $0.prompt = nil
            $0.answers = []
            $0.animationEnds = nil
        }
    }

    // MARK: For the dialog

    /// Number of changes so far; see ``wait(whileChangesAre:)``.
    var changeCount: UInt32 { changes.loadAcquire() }

    /// Blocks the thread until there is a change after the one with the given number.
    func wait(whileChangesAre count: UInt32) throws { _ = try Futex.wait(changes, while: count) }

    /// Makes every waiting thread look again.
    func wakeWaiters() {
        changes.add(1)
        Futex.wakeAll(changes)
    }

    /// Everything known; the last known value when the file cannot be read, as at the end of an instance.
    var record: Record {
        // The word is read first: a change after this line makes the next reader look at the file again.
        let stamp = changes.loadAcquire()
        return cache.withLock { cache in
            guard cache.stamp != stamp else { return cache.record }
            guard let record = try? CheckedFile.read(Record.self, at: path) else { return cache.record }
            cache = Cache(stamp: stamp, record: record)
            return record
        }
    }

    /// Changes anything; waiting threads are woken when something is different afterwards.
    func change<T>(_ body: (inout Record) throws -> T) throws -> T {
        // A lock object of its own for each change, so that two threads of one process exclude each other too.
        try FileLock(path: path + ".lock").withLock {
            let before = try CheckedFile.read(Record.self, at: path)
            var record = before
            let result = try body(&record)
            if record != before {
                try CheckedFile.write(record, to: path)
                wakeWaiters()
            }
            return result
        }
    }
}

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
    public init(hardware: DeviceSpec.Biometry) { self.hardware = hardware }

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
    public mutating func removeEnrolled() { enrolment = nil }

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
    public mutating func lock() { isLocked = isPasscodeSet }

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
    public mutating func erase() { self = SecurityState(hardware: hardware) }

    // MARK: What happens in a dialog

    /// A finger or face did not match.
    mutating func miss() { failedAttempts = min(failedAttempts + 1, Self.attemptsBeforeLockout) }
    /// A finger or face matched, or the passcode was right.
    mutating func succeed() { failedAttempts = 0 }
}

/// The device is not in the state that an action needs.
public struct DeviceStateError: Error, Equatable, CustomStringConvertible, Sendable {
    /// What is wrong, and what to do.
    public let description: String

    init(_ description: String) { self.description = description }
}
