// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabVocabulary
import TestSupport
import Testing

@testable import SimulatedDevice

/// A device with something enrolled, and one conversation of an app on it.
struct Owner: Sendable {
    let device: TemporaryDevice
    let sandbox: Sandbox
    let context: AuthenticationContext

    var security: DeviceSecurity { sandbox.security }

    init(_ biometry: DeviceSpec.Biometry = .touchID) throws {
        device = try TemporaryDevice(biometry: biometry)
        sandbox = try device.sandbox()
        context = AuthenticationContext(service: sandbox.authentication)
        try sandbox.security.changeState { try $0.enrol() }
    }

    /// The outcome of a question; nil when the owner was confirmed.
    func ask(
        _ policy: AuthenticationPolicy = .biometry, in other: AuthenticationContext? = nil
    ) async throws -> AuthenticationFailure? {
        let context = other ?? AuthenticationContext(service: sandbox.authentication)
        return try await onThread {
            do throws(AuthenticationFailure) {
                _ = try sandbox.authentication.authenticate(policy, in: context)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Waits until a dialog is open.
    func dialogIsOpen() async throws {
        try await onThread {
            while true {
                let count = security.changeCount
                if security.prompt != nil { return }
                try security.wait(whileChangesAre: count)
            }
        }
    }

    func answer(_ answers: AuthenticationAnswer...) throws {
        for answer in answers { try security.answer(answer) }
    }
}

@Suite("Asking the owner of a device", .endsInTime)
struct AuthenticationTests {
    @Test func `A dialog takes the answer that was given in advance`() async throws {
        let owner = try Owner()
        try owner.answer(.success)
        #expect(try await owner.ask() == nil)
        #expect(owner.security.prompt == nil)
    }

    @Test func `A dialog shows its text and waits until it is answered`() async throws {
        let owner = try Owner()
        owner.context.reason = "Sign the payment"
        async let failure = owner.ask(in: owner.context)
        try await owner.dialogIsOpen()
        #expect(owner.security.prompt?.reason == "Sign the payment")
        #expect(owner.security.prompt?.app == "main")
        try owner.answer(.cancel)
        #expect(try await failure == .userCancel)
        #expect(owner.security.prompt == nil)
    }

    @Test(
        arguments: [
            (.cancel, .userCancel), (.systemCancel, .systemCancel), (.failure, .authenticationFailed),
            (.lockout, .biometryLockout), (.fallback, .userFallback), (.passcode, .userCancel),
        ] as [(AuthenticationAnswer, AuthenticationFailure)])
    func `Each way to end a dialog has its code`(answer: AuthenticationAnswer, failure: AuthenticationFailure)
        async throws
    {
        let owner = try Owner()
        try owner.answer(answer)
        #expect(try await owner.ask() == failure)
    }

    @Test func `A hidden fallback button cannot be pressed`() async throws {
        let owner = try Owner()
        owner.context.fallbackTitle = ""
        try owner.answer(.fallback)
        #expect(try await owner.ask(in: owner.context) == .userCancel)
    }

    @Test func `A wrong finger leaves the dialog open; three end it, and two dialogs lock biometry out`() async throws {
        let owner = try Owner()
        try owner.answer(.mismatch, .mismatch, .success)
        #expect(try await owner.ask() == nil)
        #expect(owner.security.state.failedAttempts == 0)
        try owner.answer(.mismatch, .mismatch, .mismatch)
        #expect(try await owner.ask() == .authenticationFailed)
        #expect(owner.security.state.failedAttempts == 3)
        try owner.answer(.failure)
        #expect(try await owner.ask() == .biometryLockout)
        #expect(try await owner.ask() == .biometryLockout, "no further dialog opens")
    }

    @Test func `The passcode helps where it is allowed, and ends a lockout`() async throws {
        let owner = try Owner()
        try owner.answer(.lockout, .passcode)
        #expect(try await owner.ask(.biometryOrPasscode) == nil)
        #expect(!owner.security.state.isLockedOut)
        try owner.answer(.fallback, .passcode)
        #expect(try await owner.ask(.biometryOrPasscode) == nil)
    }

    @Test func `One dialog at a time on a device, and none on a locked screen`() async throws {
        let owner = try Owner()
        async let first = owner.ask()
        try await owner.dialogIsOpen()
        #expect(try await owner.ask() == .systemCancel)
        try owner.answer(.success)
        #expect(try await first == nil)
        try owner.security.changeState { $0.lock() }
        #expect(try await owner.ask() == .systemCancel)
    }

    @Test func `The app and the system can take an open dialog away`() async throws {
        let owner = try Owner()
        async let first = owner.ask(in: owner.context)
        try await owner.dialogIsOpen()
        owner.context.invalidate()
        #expect(try await first == .appCancel)
        #expect(try await owner.ask(in: owner.context) == .invalidContext)

        async let second = owner.ask()
        try await owner.dialogIsOpen()
        try owner.security.cancelPrompt(ofApp: "another")
        #expect(owner.security.prompt != nil)
        try owner.security.cancelPrompt(ofApp: "main")
        #expect(try await second == .systemCancel)
    }

    @Test(.verifies("size", "AuthenticationContext.validity"))
    func `A confirmed context needs no dialog for five minutes; one without interaction never opens one`() async throws
    {
        let owner = try Owner()
        try owner.device.clock.freeze()
        owner.context.isInteractionAllowed = false
        #expect(try await owner.ask(in: owner.context) == .notInteractive)
        owner.context.isInteractionAllowed = true
        try owner.answer(.success)
        #expect(try await owner.ask(in: owner.context) == nil)
        owner.context.isInteractionAllowed = false
        #expect(try await owner.ask(in: owner.context) == nil)
        try owner.device.clock.advance(by: LabDuration(nanoseconds: AuthenticationContext.validity - 1))
        #expect(try await owner.ask(in: owner.context) == nil)
        try owner.device.clock.advance(by: LabDuration(nanoseconds: 1))
        #expect(try await owner.ask(in: owner.context) == .notInteractive)
    }

    @Test(.verifies("size", "AuthenticationService.animation"))
    func `A second request during the animation of a confirmed face fails; a finger has none`() async throws {
        let owner = try Owner(.faceID)
        try owner.device.clock.freeze()
        try owner.answer(.success)
        #expect(try await owner.ask() == nil)
        #expect(try await owner.ask() == .authenticationFailed)
        #expect(owner.security.state.failedAttempts == 0)
        try owner.device.clock.advance(by: .seconds(1))
        try owner.answer(.success)
        #expect(try await owner.ask() == nil)
    }

    @Test func `One request of a process at a time`() throws {
        let service = try Owner().sandbox.authentication
        #expect(service.beginExclusiveUse())
        #expect(service.exclusively { true } == nil)
        service.endExclusiveUse()
        #expect(service.exclusively { true } == true)
    }

    @Test func `The presenter of dialogs gets those that wait for an answer, and only those`() async throws {
        let owner = try Owner()
        let count = Counter()
        owner.sandbox.authentication.onPrompt { _ in
            count.increase()
            try? owner.security.answer(.success)
        }
        try owner.answer(.cancel)
        #expect(try await owner.ask() == .userCancel)
        #expect(count.value == 0)
        #expect(try await owner.ask() == nil)
        #expect(count.value == 1)
    }
}
