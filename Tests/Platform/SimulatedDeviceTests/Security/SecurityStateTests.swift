// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("What protects a device", .endsInTime)
struct SecurityStateTests {
    private var enrolled: SecurityState {
        get throws {
            var state = SecurityState(hardware: .touchID)
            try state.enrol()
            return state
        }
    }

    @Test func `A new phone has a face sensor with nothing enrolled, and a passcode; a watch has no sensor`() throws {
        let phone = try TemporaryDevice().sandbox().security.state
        #expect(phone.hardware == .faceID && phone.enrolment == nil && phone.isPasscodeSet && !phone.isLocked)
        #expect(try TemporaryDevice(kind: .watch).sandbox(kind: .watchApp).security.state.hardware == .none)
    }

    @Test func `Each reason why biometry cannot be used has its code`() throws {
        var state = SecurityState(hardware: .none)
        #expect(state.obstacle(to: .biometry) == .biometryNotAvailable)
        #expect(throws: DeviceStateError.self) { try state.enrol() }

        state = SecurityState(hardware: .faceID)
        #expect(state.obstacle(to: .biometry) == .biometryNotEnrolled)
        #expect(state.obstacle(to: .biometryOrPasscode) == nil)
        #expect(throws: DeviceStateError.self) { try state.alter() }
        try state.enrol()
        #expect(state.obstacle(to: .biometry) == nil)
        try state.allowBiometry(false)
        #expect(state.obstacle(to: .biometry) == .biometryNotAvailable)
        try state.allowBiometry(true)
        state.setPasscode(false)
        #expect(state.obstacle(to: .biometry) == .passcodeNotSet)
        #expect(state.obstacle(to: .biometryOrPasscode) == .passcodeNotSet)
        #expect(throws: DeviceStateError.self) { try state.enrol() }
        state.setPasscode(true)
        #expect(state.obstacle(to: .biometry) == .biometryNotEnrolled, "the passcode takes what was enrolled with it")
    }

    @Test(.verifies("size", "SecurityState.attemptsBeforeLockout"))
    func `Five attempts in a row lock biometry out until the passcode is entered`() throws {
        var state = try enrolled
        for _ in 1...4 { state.miss() }
        #expect(state.obstacle(to: .biometry) == nil)
        state.miss()
        #expect(state.obstacle(to: .biometry) == .biometryLockout)
        #expect(state.obstacle(to: .biometryOrPasscode) == nil)
        state.lock()
        state.unlock()
        #expect(state.obstacle(to: .biometry) == nil)
    }

    @Test func `Every change of the enrolled set gives it a new, unique identity`() throws {
        var state = try enrolled
        var seen = [state.enrolment]
        try state.alter()
        seen.append(state.enrolment)
        state.removeEnrolled()
        try state.enrol()
        seen.append(state.enrolment)
        #expect(Set(seen).count == 3 && !seen.contains(nil))
    }

    @Test func `A start of the device locks it until the passcode is entered; without a passcode it is open`() throws {
        var state = try enrolled
        state.reboot()
        #expect(state.isLocked && !state.isUnlockedSinceBoot)
        state.unlock()
        #expect(!state.isLocked && state.isUnlockedSinceBoot)
        state.lock()
        #expect(state.isLocked && state.isUnlockedSinceBoot)
        state.setPasscode(false)
        state.reboot()
        #expect(!state.isLocked && state.isUnlockedSinceBoot)
        state.erase()
        #expect(state == SecurityState(hardware: .touchID))
    }

    @Test func `A change of one process is visible to the others at once`() throws {
        let device = try TemporaryDevice()
        let first = try device.sandbox().security
        let second = try device.sandbox(name: "b", bundleIdentifier: "com.example.b").security
        try first.changeState { try $0.enrol() }
        #expect(second.state.enrolment == 1)
        try second.changeState { $0.lock() }
        #expect(first.state.isLocked)
    }

    @Test
    func `Five misses in a row lock biometry out, four never do, with any matches between, and again after each end`()
        throws
    {
        var state = SecurityState(hardware: .touchID)
        try state.enrol()
        for ending in ["match", "passcode", "match"] {
            for _ in 0..<3 {
                for _ in 0..<4 { state.miss() }
                #expect(!state.isLockedOut)
                state.succeed()
            }
            for misses in 1...6 {
                state.miss()
                #expect(state.isLockedOut == (misses >= 5), "\(misses) misses")
            }
            if ending == "match" { state.succeed() } else { state.unlock() }
            #expect(!state.isLockedOut && state.obstacle(to: .biometry) == nil)
        }
    }
}
