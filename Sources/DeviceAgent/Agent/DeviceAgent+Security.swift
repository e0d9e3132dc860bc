import LabKit
import SimulatedDevice

/// What the user does with passcode and biometry (sdk.md, sections 5.5 and 9.9).
extension DeviceAgent {
    /// Carries out a command about what protects the device.
    ///
    /// - Returns: false for a command about something else.
    func handleSecurityCommand(_ request: ControlRequest, _ responder: ControlResponder) throws -> Bool {
        switch request.command {
        case EnrolBiometry.name: try change(responder) { state throws(DeviceStateError) in try state.enrol() }
        case AlterBiometry.name: try change(responder) { state throws(DeviceStateError) in try state.alter() }
        case RemoveBiometry.name: try change(responder) { $0.removeEnrolled() }
        case AllowBiometry.name:
            let isAllowed = try request.arguments.decode(AllowBiometry.Arguments.self).isAllowed
            try change(responder) { state throws(DeviceStateError) in try state.allowBiometry(isAllowed) }
        case SetPasscode.name:
            let isSet = try request.arguments.decode(SetPasscode.Arguments.self).isSet
            try change(responder) { $0.setPasscode(isSet) }
        case LockDevice.name:
            try change(responder) { $0.lock() }
            try security.cancelPrompt()
        case UnlockDevice.name: try change(responder) { $0.unlock() }
        case AnswerBiometry.name:
            let arguments = try request.arguments.decode(AnswerBiometry.Arguments.self)
            let times = arguments.times ?? 1
            guard (1...100).contains(times) else {
                responder.fail("badArgument", "`times` is a number from 1 to 100, not \(times).")
                return true
            }
            try security.answer(arguments.answer, times: times)
            responder.succeed(NoResult())
        case BiometryPrompt.name: responder.succeed(BiometryPrompt.Prompt(security.prompt))
        case SecurityOfDevice.name: responder.succeed(SecurityOfDevice.Result(security.state))
        default: return false
        }
        return true
    }

    private func change(
        _ responder: ControlResponder, _ body: (inout SecurityState) throws(DeviceStateError) -> Void
    ) throws {
        do {
            try security.changeState(body)
            responder.succeed(NoResult())
        } catch let error as DeviceStateError {
            responder.fail("wrongState", error.description)
        }
    }
}

extension BiometryPrompt.Prompt {
    fileprivate init?(_ prompt: AuthenticationPrompt?) {
        guard let prompt else { return nil }
        self.init(
            app: prompt.app, reason: prompt.reason, fallbackTitle: prompt.fallbackTitle,
            allowsPasscode: prompt.allowsPasscode)
    }
}

extension SecurityOfDevice.Result {
    fileprivate init(_ state: SecurityState) {
        self.init(
            biometry: state.hardware.rawValue, isEnrolled: state.enrolment != nil,
            isBiometryAllowed: state.isBiometryAllowed, failedAttempts: state.failedAttempts,
            isLockedOut: state.isLockedOut, isPasscodeSet: state.isPasscodeSet, isLocked: state.isLocked,
            isUnlockedSinceBoot: state.isUnlockedSinceBoot)
    }
}
