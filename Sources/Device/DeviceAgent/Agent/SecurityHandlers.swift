// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice

/// What the user does with passcode and biometry (sdk.md, sections 5.5 and 9.9).
extension DeviceAgent {
    static func addSecurityHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        addBiometryHandlers(to: &table)
        table.answer(SetPasscode.self) { arguments, agent in
            try agent.changeProtection { $0.setPasscode(arguments.isSet) }
        }
        table.answer(LockDevice.self) { _, agent in
            try agent.changeProtection { $0.lock() }
            try agent.security.cancelPrompt()
        }
        table.answer(UnlockDevice.self) { _, agent in try agent.changeProtection { $0.unlock() } }
        table.answer(SecurityOfDevice.self) { _, agent in SecurityOfDevice.Result(agent.security.state) }
        table.answer(Reboot.self) { _, agent in try agent.reboot() }
        table.answer(Erase.self) { _, agent in try agent.erase() }
    }

    /// Changes what protects the device, and notes when that locks or unlocks it.
    func changeProtection(_ body: (inout SecurityState) throws -> Void) throws {
        let (before, after) = try security.changeState { state in
            let before = state
            try body(&state)
            return (before, state)
        }
        if before.isLocked != after.isLocked { trace.emit(after.isLocked ? .deviceLocked : .deviceUnlocked) }
        tellLinksAboutLock()
    }

    /// Lets the other devices know whether this one was unlocked since it started.
    func tellLinksAboutLock() {
        for link in links { link.collect(.unlocked(security.state.isUnlockedSinceBoot)) }
    }

    private static func addBiometryHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        table.answer(EnrolBiometry.self) { _, agent in
            try agent.security.changeState { try $0.enrol() }
        }
        table.answer(AlterBiometry.self) { _, agent in
            try agent.security.changeState { try $0.alter() }
        }
        table.answer(RemoveBiometry.self) { _, agent in try agent.security.changeState { $0.removeEnrolled() } }
        table.answer(AllowBiometry.self) { arguments, agent in
            try agent.security.changeState { try $0.allowBiometry(arguments.isAllowed) }
        }
        table.answer(AnswerBiometry.self) { arguments, agent in
            try agent.security.answer(arguments.answer, times: arguments.times)
        }
        table.answer(BiometryPrompt.self) { _, agent in agent.security.prompt.map(BiometryPrompt.Prompt.init) }
    }
}

extension BiometryPrompt.Prompt {
    fileprivate init(_ prompt: AuthenticationPrompt) {
        self.init {
            $0.app = prompt.app
            $0.reason = prompt.reason
            $0.fallbackTitle = prompt.fallbackTitle
            $0.allowsPasscode = prompt.allowsPasscode
        }
    }
}

extension SecurityOfDevice.Result {
    fileprivate init(_ state: SecurityState) {
        self.init {
            $0.biometry = state.hardware
            $0.isEnrolled = state.enrolment != nil
            $0.isBiometryAllowed = state.isBiometryAllowed
            $0.failedAttempts = state.failedAttempts
            $0.isLockedOut = state.isLockedOut
            $0.isPasscodeSet = state.isPasscodeSet
            $0.isLocked = state.isLocked
            $0.isUnlockedSinceBoot = state.isUnlockedSinceBoot
        }
    }
}
