// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthShared
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// sdk.md, sections 9.1, 9.2, 9.6 and 12.1.
@Suite("Activations", .endsInTime)
struct ActivationTests {
    @Test func `A fresh object has no activation`() throws {
        let sdk = try SDKFixture().sdk
        #expect(sdk.canStartActivation() && !sdk.hasPendingActivation() && !sdk.hasValidActivation())
        #expect(sdk.activationIdentifier == nil && sdk.activationFingerprint == nil)
        #expect(sdk.externalPendingOperation == nil && sdk.lastFetchedActivationStatus == nil)
    }

    @Test func `Activation goes through its states`() async throws {
        let fixture = try SDKFixture()
        let sdk = fixture.sdk
        fixture.server.order(.hold, for: "/pa/v3/activation/create")
        let pending = Task { try await fixture.createActivation { $0.with(customAttributes: ["branch": 7]) } }
        await fixture.server.arrival(of: "/pa/v3/activation/create")
        #expect(sdk.hasPendingActivation() && !sdk.canStartActivation() && sdk.activationIdentifier == nil)
        fixture.server.release("/pa/v3/activation/create")

        let result = try await pending.value.get()
        #expect(result.customAttributes?["branch"] as? Int == 7)
        #expect(result.userInfo?.subject == "eva" && sdk.lastFetchedUserInfo?.subject == "eva")
        #expect(sdk.hasPendingActivation() && !sdk.hasValidActivation())
        #expect(sdk.activationIdentifier == fixture.server.state.withLock { $0.activationId })
        #expect(sdk.activationFingerprint == result.activationFingerprint)
        #expect(await fixture.status().code == .activationPending)

        #expect(throws: NSError.self) { try sdk.persistActivation(withPassword: "123") }
        #expect(sdk.hasPendingActivation(), "an unusable password may be corrected")
        try sdk.persistActivation(withPassword: SDKFixture.password)
        #expect(sdk.hasValidActivation() && !sdk.hasPendingActivation())
        #expect(sdk.activationFingerprint == result.activationFingerprint)
        #expect(try await fixture.status().get().state == .active)
        #expect(
            fixture.server.paths == [
                "/pa/v3/keystore/create", "/pa/v3/activation/create", "/pa/v3/activation/status",
            ], "the temporary key brings the time too")
    }

    @Test func `An activation survives a restart`() async throws {
        let fixture = try await SDKFixture.activated()
        let restarted = try fixture.restarted()
        #expect(restarted.hasValidActivation())
        #expect(restarted.activationIdentifier == fixture.sdk.activationIdentifier)
        #expect(await failure { restarted.validatePassword(password: SDKFixture.password, callback: $0) } == nil)
    }

    @Test func `A pending activation does not survive a restart`() async throws {
        let fixture = try SDKFixture()
        _ = try await fixture.createActivation().get()
        #expect(try fixture.restarted().canStartActivation())
    }

    @Test func `Unusable activations are refused at once`() async throws {
        let fixture = try SDKFixture()
        #expect(throws: NSError.self) { try PowerAuthActivation(activationCode: "AAAAA-AAAAA-AAAAA-AAAAB") }
        let custom = try PowerAuthActivation(identityAttributes: ["user": "eva"]).with(additionalActivationOtp: "1")
        #expect(
            immediate { fixture.sdk.createActivation(custom, callback: $0) }?.powerAuthErrorCode
                == .invalidActivationData)
        let foreign = try PowerAuthActivation(activationCode: SDKFixture.code + "#MEUCIQ==")
        #expect(
            immediate { fixture.sdk.createActivation(foreign, callback: $0) }?.powerAuthErrorCode
                == .invalidActivationData)
        #expect(fixture.sdk.canStartActivation())
        #expect(
            immediate { fixture.sdk.createActivation(withName: nil, activationCode: "bad", callback: $0) }?
                .powerAuthErrorCode == .invalidActivationCode)
        for (code, puk) in [("bad", "0123456789"), ("R:" + SDKFixture.code, "012345678")] {
            let refusal = immediate {
                fixture.sdk.createActivation(withName: "n", recoveryCode: code, puk: puk, extras: "e", callback: $0)
            }
            #expect(refusal?.powerAuthErrorCode == .invalidActivationCode, "\(code)")
        }
        #expect(fixture.server.paths.isEmpty)
    }

    @Test func `A second activation is refused, and the first one stays`() async throws {
        let fixture = try await SDKFixture.activated()
        let activation = try PowerAuthActivation(activationCode: SDKFixture.code)
        #expect(
            immediate { fixture.sdk.createActivation(activation, callback: $0) }?.powerAuthErrorCode
                == .invalidActivationState)
        #expect(throws: NSError.self) { try fixture.sdk.persistActivation(withPassword: SDKFixture.password) }
        #expect(await fixture.validate(SDKFixture.password) == nil)
    }

    @Test func `A refused key exchange leaves nothing pending`() async throws {
        let fixture = try SDKFixture()
        fixture.server.order(
            .answer(status: 400, body: FakeServer.errorBody("ERR_ACTIVATION")), for: "/pa/v3/activation/create")
        let result = try await fixture.createActivation()
        #expect(result.code == .networkError)
        #expect(fixture.sdk.canStartActivation())
        guard case .failure(let error) = result else { return }
        let response = error.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse
        #expect(response?.httpStatusCode == 400 && response?.responseObject.code == "ERR_ACTIVATION")
        #expect(response?.responseObject.currentRecoveryPukIndex == 3)
        try await fixture.activate()
    }

    @Test(
        .verifies("sdk.md", "B-67"),
        arguments: [
            Data([4] + Array(repeating: UInt8(1), count: 64)), Data([4] + Array(repeating: UInt8(0), count: 64)),
            Data([2] + Array(repeating: UInt8(0xFF), count: 32)), Data([0]),
        ])
    func `A server key off the curve ends the key exchange with the error invalidActivationData`(key: Data) async throws
    {
        let fixture = try SDKFixture()
        fixture.server.state.withLock { $0.announcedServerKey = key }
        #expect(try await fixture.createActivation().code == .invalidActivationData)
        #expect(fixture.sdk.canStartActivation())
        fixture.server.state.withLock { $0.announcedServerKey = nil }
        try await fixture.activate()
    }

    @Test func `A cancelled key exchange is silent and leaves nothing pending`() async throws {
        let fixture = try SDKFixture()
        fixture.server.order(.hold, for: "/pa/v3/activation/create")
        let task = fixture.sdk.createActivation(try PowerAuthActivation(activationCode: SDKFixture.code)) { _, _ in
            Issue.record("a cancelled task does not report")
        }
        await fixture.server.arrival(of: "/pa/v3/activation/create")
        task?.cancel()
        await mainQueueIsIdle()
        #expect(fixture.sdk.canStartActivation())
        fixture.server.release("/pa/v3/activation/create")
        try await fixture.activate()
    }

    @Test func `Removal on the server removes everything here`() async throws {
        let fixture = try await SDKFixture.activated()
        _ = await fixture.status()
        #expect(fixture.sdk.lastFetchedActivationStatus != nil)
        let refused = await failure {
            fixture.sdk.removeActivation(with: .possessionWithPassword(password: "0000"), callback: $0)
        }
        #expect(refused?.powerAuthErrorCode == .networkError && fixture.sdk.hasValidActivation())
        let removed = await failure {
            fixture.sdk.removeActivation(with: .possessionWithPassword(password: SDKFixture.password), callback: $0)
        }
        #expect(removed == nil)
        #expect(fixture.sdk.canStartActivation() && fixture.sdk.activationIdentifier == nil)
        #expect(fixture.sdk.lastFetchedActivationStatus == nil && !fixture.sdk.tokenStore.canRequestForAccessToken())
        #expect(try fixture.restarted().canStartActivation())
        try await fixture.activate()
    }

    @Test func `Calls without an activation end with the error 6`() async throws {
        let fixture = try SDKFixture()
        #expect(immediate { fixture.sdk.fetchActivationStatus(callback: $0) }?.powerAuthErrorCode == .missingActivation)
        #expect(await fixture.validate("1234")?.powerAuthErrorCode == .missingActivation)
        let removal = await failure { fixture.sdk.removeActivation(with: .possession(), callback: $0) }
        #expect(removal?.powerAuthErrorCode == .missingActivation)
        let error = #expect(throws: NSError.self) {
            try fixture.sdk.requestSignature(with: .possession(), method: "POST", uriId: "/a", body: nil)
        }
        #expect(error?.powerAuthErrorCode == .missingActivation)
        #expect(fixture.server.paths.isEmpty)
    }

    @Test func `Unusable configurations name their cause`() throws {
        let server = try FakeServer()
        let sandbox = try Sandbox.temporary()
        let configuration = try server.configuration
        configuration.externalEncryptionKey = Data(count: 15)
        #expect(throws: InvalidConfiguration.externalEncryptionKeyLength(actual: 15)) {
            try PowerAuthSDK(configuration: configuration, sandbox: sandbox, transport: server)
        }
        #expect(throws: InvalidConfiguration.instanceIdEmpty) {
            try PowerAuthSDK(
                configuration: PowerAuthConfiguration(
                    instanceId: "", baseEndpointUrl: "http://a", configuration: configuration.configuration),
                sandbox: sandbox, transport: server)
        }
    }

    /// The error of a call that reports before it returns nil.
    private func immediate<Value>(
        _ call: (@escaping (Value?, (any Error)?) -> Void) -> (any PowerAuthOperationTask)?
    ) -> NSError? {
        var reported: NSError?
        let task = call { _, error in reported = error as NSError? }
        #expect(task == nil)
        return reported
    }

    @Test
    func `Before the first unlock no key is derived from missing data, and none is stored (sharing.md, D22)`()
        async throws
    {
        let fixture = try SDKFixture()
        try fixture.sandbox.security.changeState { $0.reboot() }
        _ = try await fixture.createActivation().get()
        let error = #expect(throws: NSError.self) {
            try fixture.sdk.persistActivation(withPassword: SDKFixture.password)
        }
        #expect(error?.powerAuthErrorCode == .signatureError)

        try fixture.sandbox.security.changeState { $0.unlock() }
        let service = PowerAuthKeychain(
            identifier: PowerAuthKeychain_Possession, accessGroup: nil, system: fixture.sandbox.keychain)
        #expect(service.allItems() == nil)
        try fixture.sdk.persistActivation(withPassword: SDKFixture.password)
        #expect(service.allItems()?.count == 1)
        #expect(await fixture.validate(SDKFixture.password) == nil)
    }
}
