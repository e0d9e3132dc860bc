import Foundation
import LabKit
import PowerAuth2
import TestSupport
import Testing

@testable import SimulatedDevice

/// Asking for biometry in an asynchronous function (sdk.md, section 5.10).
@Suite("Biometry with async calls", .endsInTime)
struct AsyncBiometryTests {
    /// An activation with a biometry factor on a device whose sensor knows its owner.
    private func makeSDK() async throws -> (sdk: PowerAuthSDK, sandbox: Sandbox) {
        let server = try FakeServer()
        let sandbox = try TemporaryDevice(biometry: .touchID).sandbox()
        try sandbox.security.changeState { try $0.enrol() }
        let sdk = try PowerAuthSDK(
            configuration: try server.configuration, clientConfiguration: .patient, sandbox: sandbox,
            transport: server)
        _ = try await sdk.createActivation(PowerAuthActivation(activationCode: SDKFixture.code))
        try sdk.persistActivation(with: .persistWithPasswordAndBiometry(password: SDKFixture.password))
        return (sdk, sandbox)
    }

    /// Waits until a dialog is open, or until none is.
    private func dialog(isOpen: Bool, on sandbox: Sandbox) async throws {
        try await onThread {
            while true {
                let count = sandbox.security.changeCount
                if (sandbox.security.prompt != nil) == isOpen { return }
                try sandbox.security.wait(whileChangesAre: count)
            }
        }
    }

    @Test("The credentials arrive when the owner confirms")
    func theCredentialsArriveWhenTheOwnerConfirms() async throws {
        let (sdk, sandbox) = try await makeSDK()
        try sandbox.security.answer(.success)
        let authentication = try await sdk.authenticateUsingBiometry(withPrompt: "Sign")
        #expect(authentication.useBiometry && authentication.overridenBiometryKey?.count == 16)
    }

    @Test("A cancel of the task closes the dialog")
    func aCancelOfTheTaskClosesTheDialog() async throws {
        let (sdk, sandbox) = try await makeSDK()
        let task = Task { try await sdk.authenticateUsingBiometry(withPrompt: "Sign") }
        try await dialog(isOpen: true, on: sandbox)
        #expect(sandbox.security.prompt?.reason == "Sign")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await dialog(isOpen: false, on: sandbox)
    }
}
