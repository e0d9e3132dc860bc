// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LocalAuthentication
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("Apple's names for local authentication", .endsInTime)
struct LAContextTests {
    private func owner(_ biometry: DeviceSpec.Biometry) throws -> (sandbox: Sandbox, context: LAContext) {
        let sandbox = try TemporaryDevice(biometry: biometry).sandbox()
        return (sandbox, LAContext(service: sandbox.authentication))
    }

    private func obstacle(_ context: LAContext, _ policy: LAPolicy) -> LAError.Code? {
        var error: NSError?
        if context.canEvaluatePolicy(policy, error: &error) { return nil }
        #expect(error?.domain == LAErrorDomain)
        return (error as? LAError)?.code
    }

    /// A mock as in the tests of an app.
    private final class LockedContext: LAContext, @unchecked Sendable {
        // Safe: there is nothing in it.
        override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
            error?.pointee = NSError(domain: LAErrorDomain, code: LAError.biometryLockout.rawValue)
            return false
        }
    }

    @Test func `An app makes a mock of a context`() {
        #expect(obstacle(LockedContext(), .deviceOwnerAuthentication) == .biometryLockout)
    }

    @Test func `An error of another domain or of an unknown code is no LAError`() {
        let errors = [NSError(domain: NSCocoaErrorDomain, code: -8), NSError(domain: LAErrorDomain, code: 1)]
        for error in errors {
            #expect((error as? LAError) == nil && (error as any Error) as? LAError == nil, "\(error)")
        }
        let known = NSError(domain: LAErrorDomain, code: -2)
        #expect((known as? LAError)?.code == .userCancel)
        #expect((LAError(.userCancel) as NSError).code == -2)
    }

    @Test func `Every failure of the system has its code under Apple's name`() {
        let failures: [AuthenticationFailure] = [
            .authenticationFailed, .userCancel, .userFallback, .systemCancel, .passcodeNotSet, .biometryNotAvailable,
            .biometryNotEnrolled, .biometryLockout, .appCancel, .invalidContext, .notInteractive,
        ]
        for failure in failures {
            let code = LAError.Code(rawValue: failure.rawValue)
            #expect(code.map(String.init(describing:)) == String(describing: failure))
        }
    }

    @Test func `What can be evaluated depends on sensor, enrolment, passcode and permission`() throws {
        let (sandbox, context) = try owner(.touchID)
        #expect(context.biometryType == .touchID)
        #expect(obstacle(context, .deviceOwnerAuthenticationWithBiometrics) == .biometryNotEnrolled)
        #expect(obstacle(context, .deviceOwnerAuthentication) == nil)
        try sandbox.security.changeState { try $0.enrol() }
        #expect(obstacle(context, .deviceOwnerAuthenticationWithBiometrics) == nil)
        try sandbox.security.changeState { $0.setPasscode(false) }
        #expect(obstacle(context, .deviceOwnerAuthentication) == .passcodeNotSet)

        let (_, other) = try owner(.none)
        #expect(other.biometryType == .none)
        #expect(obstacle(other, .deviceOwnerAuthenticationWithBiometrics) == .biometryNotAvailable)
        other.invalidate()
        #expect(obstacle(other, .deviceOwnerAuthentication) == .invalidContext)
        #expect(obstacle(LAContext(service: nil), .deviceOwnerAuthentication) == .biometryNotAvailable)
    }

    @Test func `Status and kind of the biometry, as the SDK's keychain reports them`() throws {
        func expect(
            _ sandbox: Sandbox, _ status: PowerAuthBiometricAuthenticationStatus,
            _ type: PowerAuthBiometricAuthenticationType
        ) {
            let info = PowerAuthBiometricAuthenticationInfo(LAContext(service: sandbox.authentication))
            #expect(info.currentStatus == status && info.biometryType == type)
        }
        let (sandbox, _) = try owner(.faceID)
        expect(sandbox, .notEnrolled, .faceID)
        try sandbox.security.changeState { try $0.enrol() }
        expect(sandbox, .available, .faceID)
        try sandbox.security.changeState { try $0.allowBiometry(false) }
        expect(sandbox, .notAvailable, .faceID)
        expect(try owner(.none).sandbox, .notSupported, .none)
    }

    @Test func `An evaluation answers with an LAError, as a callback and as an asynchronous function`() async throws {
        let (sandbox, context) = try owner(.touchID)
        try sandbox.security.changeState { try $0.enrol() }
        try sandbox.security.answer(.cancel)
        let code: LAError.Code? = await callback { report in
            context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Confirm") { success, error in
                #expect(!success)
                report((error as? LAError)?.code)
            }
        }
        #expect(code == .userCancel)
        #expect(context.localizedReason == "Confirm")
        try sandbox.security.answer(.success)
        #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Again"))
        context.invalidate()
        do {
            _ = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Too late")
            Issue.record("an invalid context was confirmed")
        } catch LAError.invalidContext {
            // As expected: the pattern matches Apple's spelling.
        }
    }

    @Test func `Every code has a name beside the type, and an error has a text of its own for it`() {
        let names: [LAError.Code] = [
            LAError.authenticationFailed, LAError.userCancel, LAError.userFallback, LAError.systemCancel,
            LAError.passcodeNotSet, LAError.biometryNotAvailable, LAError.biometryNotEnrolled, LAError.biometryLockout,
            LAError.appCancel, LAError.invalidContext, LAError.notInteractive,
        ]
        #expect(names.map(\.rawValue) == [-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -1004])
        #expect(names.map { LAError($0).errorCode } == names.map(\.rawValue) && LAError.errorDomain == LAErrorDomain)
        #expect(Set(names.compactMap { LAError($0).errorDescription }).count == names.count)
    }

    @Test func `A context keeps the texts of its dialog; that of a process on no device confirms no user`() {
        let context = LAContext()
        #expect(context.localizedFallbackTitle == nil && context.localizedCancelTitle == nil)
        context.localizedReason = "reason"
        context.localizedFallbackTitle = "fallback"
        context.localizedCancelTitle = "cancel"
        #expect(context.localizedReason == "reason" && context.localizedFallbackTitle == "fallback")
        #expect(context.localizedCancelTitle == "cancel")
        #expect(obstacle(context, .deviceOwnerAuthentication) == .biometryNotAvailable)
    }
}
