// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import SimulatedDevice
import TestSupport
import Testing

/// An SDK object on a device of its own, with a server in this process.
struct SDKFixture: Sendable {
    static let code = "45AWJ-BVACS-SBWHS-ABANA"
    static let password = "1234"

    let server: FakeServer
    let sandbox: Sandbox
    let sdk: PowerAuthSDK

    init() throws {
        server = try FakeServer()
        sandbox = try Sandbox.temporary()
        sdk = try Self.makeSDK(server, sandbox)
    }

    private static func makeSDK(_ server: FakeServer, _ sandbox: Sandbox) throws -> PowerAuthSDK {
        try PowerAuthSDK(
            configuration: try server.configuration, clientConfiguration: .patient, sandbox: sandbox,
            transport: server)
    }

    static func activated() async throws -> SDKFixture {
        let fixture = try SDKFixture()
        try await fixture.activate()
        return fixture
    }

    /// A second SDK object on the same device, as after a restart of the application.
    func restarted() throws -> PowerAuthSDK { try Self.makeSDK(server, sandbox) }

    func activate() async throws {
        _ = try await createActivation().get()
        try sdk.persistActivation(withPassword: Self.password)
    }

    @discardableResult
    func createActivation(_ change: @Sendable (PowerAuthActivation) -> Void = { _ in }) async throws
        -> Result<PowerAuthActivationResult, NSError>
    {
        let activation = try PowerAuthActivation(activationCode: Self.code, name: "Lab phone")
        change(activation)
        return await outcome { sdk.createActivation(activation, callback: $0) }
    }

    func status() async -> Result<PowerAuthActivationStatus, NSError> {
        await outcome { sdk.fetchActivationStatus(callback: $0) }
    }

    func validate(_ password: String) async -> NSError? {
        await failure { sdk.validatePassword(password: password, callback: $0) }
    }
}
