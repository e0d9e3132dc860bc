// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import Synchronization
import TestSupport
import Testing

@testable import SimulatedDevice

/// The operations as asynchronous functions: results, errors and cancellation of the callback forms.
@Suite("Async calls", .endsInTime)
struct AsyncTests {
    @Test func `An activation is made, used and removed by async calls`() async throws {
        let fixture = try SDKFixture()
        let sdk = fixture.sdk
        let result = try await sdk.createActivation(PowerAuthActivation(activationCode: SDKFixture.code))
        #expect(result.activationFingerprint == sdk.activationFingerprint)
        try sdk.persistActivation(withPassword: SDKFixture.password)
        #expect(try await sdk.fetchActivationStatus().state == .active)
        try await sdk.validatePassword(password: SDKFixture.password)
        try await sdk.changePassword(from: SDKFixture.password, to: "2468")
        try await sdk.validatePassword(password: PowerAuthCorePassword(string: "2468"))
        #expect(try await sdk.fetchUserInfo().subject == "eva")

        let authentication = PowerAuthAuthentication.possessionWithPassword(password: "2468")
        #expect(try await sdk.fetchEncryptionKey(authentication, index: 7).count == 16)
        #expect(try await !sdk.signData(withDevicePrivateKey: authentication, data: Data("x".utf8)).isEmpty)
        let token = try await sdk.signJwt(withDevicePrivateKey: authentication, claims: ["sub": "eva"])
        #expect(token.split(separator: ".").count == 3)
        let request = try await sdk.createSignedCSR(
            with: authentication, distinguishedNames: ["CN": "eva"], subjectAltNames: nil)
        #expect(request.hasPrefix("-----BEGIN CERTIFICATE REQUEST-----"))
        #expect(try await sdk.eciesEncryptorForApplicationScope().canEncryptRequest)
        #expect(try await sdk.eciesEncryptorForActivationScope().associatedMetaData?.activationIdentifier != nil)

        try await sdk.removeActivation(with: authentication)
        #expect(!sdk.hasValidActivation())
    }

    @Test func `Tokens and time are available to async callers`() async throws {
        let fixture = try await SDKFixture.activated()
        let store = fixture.sdk.tokenStore
        let token = try await store.requestAccessToken(withName: "A", authentication: .possession())
        #expect(try await store.generateAuthorizationHeader(withName: "A").value.contains(token.tokenIdentifier))
        try await store.removeAccessToken(withName: "A")
        #expect(!store.hasLocalToken(withName: "A"))

        let time = fixture.sdk.timeSynchronizationService
        time.resetTimeSynchronization()
        try await time.synchronizeTime()
        #expect(time.isTimeSynchronized)
        #expect(try await fixture.sdk.fetchServerStatus().serverTime > Date(timeIntervalSince1970: 1_577_836_800))
    }

    @Test func `An error of either kind is thrown`() async throws {
        let fixture = try SDKFixture()
        let early = await #expect(throws: NSError.self) { try await fixture.sdk.fetchActivationStatus() }
        #expect(early?.powerAuthErrorCode == .missingActivation)
        try await fixture.activate()
        let late = await #expect(throws: NSError.self) { try await fixture.sdk.validatePassword(password: "wrong") }
        #expect(late?.powerAuthErrorCode == .networkError)
    }

    @Test func `A missing capability of device or activation is an error`() async throws {
        let fixture = try await SDKFixture.activated()
        let adding = await #expect(throws: NSError.self) {
            try await fixture.sdk.addBiometryFactor(password: SDKFixture.password)
        }
        #expect(adding?.powerAuthErrorCode == .biometryNotAvailable)
        let recovery = await #expect(throws: NSError.self) {
            try await fixture.sdk.confirmRecoveryCode("no code", authentication: .possession())
        }
        #expect(recovery?.powerAuthErrorCode == .wrongParameter)
        let data = await #expect(throws: NSError.self) {
            try await fixture.sdk.activationRecoveryData(.possession())
        }
        #expect(data?.powerAuthErrorCode == .invalidActivationState)
    }

    @Test func `A cancel ends the wait and the operation, and loses no state`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.order(.hold, for: "/pa/v3/signature/validate")
        let task = Task { try await fixture.sdk.validatePassword(password: SDKFixture.password) }
        await fixture.server.arrival(of: "/pa/v3/signature/validate")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        fixture.server.release("/pa/v3/signature/validate")
        #expect(try await fixture.sdk.fetchActivationStatus().state == .active)
        try await fixture.sdk.validatePassword(password: SDKFixture.password)
    }

    @Test func `A cancelled task starts nothing`() async throws {
        let fixture = try await SDKFixture.activated()
        let requests = fixture.server.paths.count
        let gate = Gate()
        let task = Task {
            await gate.wait()
            try await fixture.sdk.validatePassword(password: SDKFixture.password)
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(fixture.server.paths.count == requests)
    }

    @Test func `A cancelled activation may be started again`() async throws {
        let fixture = try SDKFixture()
        fixture.server.order(.hold, for: "/pa/v3/activation/create")
        let task = Task {
            try await fixture.sdk.createActivation(PowerAuthActivation(activationCode: SDKFixture.code))
        }
        await fixture.server.arrival(of: "/pa/v3/activation/create")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        fixture.server.release("/pa/v3/activation/create")
        // The session is emptied on the main queue.
        await mainQueueIsIdle()
        #expect(fixture.sdk.canStartActivation())
        try await fixture.activate()
        #expect(fixture.sdk.hasValidActivation())
    }
}

/// Something to wait for once. Safe to use from any thread.
private final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: CheckedContinuation<Void, Never>?)>((false, nil))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return state.waiting
        }
        waiting?.resume()
    }
}

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

    @Test func `The credentials arrive when the owner confirms`() async throws {
        let (sdk, sandbox) = try await makeSDK()
        try sandbox.security.answer(.success)
        let authentication = try await sdk.authenticateUsingBiometry(withPrompt: "Sign")
        #expect(authentication.useBiometry && authentication.overridenBiometryKey?.count == 16)
    }

    @Test func `A cancel of the task closes the dialog`() async throws {
        let (sdk, sandbox) = try await makeSDK()
        let task = Task { try await sdk.authenticateUsingBiometry(withPrompt: "Sign") }
        try await dialog(isOpen: true, on: sandbox)
        #expect(sandbox.security.prompt?.reason == "Sign")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await dialog(isOpen: false, on: sandbox)
    }
}
