// SPDX-License-Identifier: Apache-2.0

package import Foundation
import LabControl
import LabCore
package import PowerAuth2
package import SimulatedDevice
import TestSupport

/// An application on a device of its own with an SDK object, a user of its own, and the real server.
package struct TestApp: Sendable {
    /// Whether the application keeps its activation for itself or shares it with others of its device.
    package enum Mode: String, CaseIterable, CustomStringConvertible, Sendable {
        case alone, sharing

        package var description: String { rawValue }
    }

    package static let password = "1234"
    package static let wrongPassword = "0000"
    package static let appGroup = "group.com.wultra.testGroup"
    package static let accessGroup = "LABTEAM001.com.example.shared"

    package let mode: Mode
    package let server: RealServer
    package let device: TemporaryDevice
    package let sandbox: Sandbox
    package let transport: TappedTransport
    package let userId: String
    package let sdk: PowerAuthSDK
    private let name: String
    private let sdkConfiguration: String

    package var backOffice: BackOffice { server.backOffice }

    /// Makes an application without an activation.
    ///
    /// - Parameters:
    ///   - server: nil takes the server that the tests share.
    ///   - sdkConfiguration: nil takes that of the server's first application.
    ///   - quirks: which errors of the original the device shows.
    ///   - configure: changes the configuration of the SDK object.
    package init(
        _ mode: Mode = .alone, server: RealServer? = nil, sdkConfiguration: String? = nil, quirks: [String] = [],
        configure: (PowerAuthConfiguration) -> Void = { _ in }
    ) async throws {
        let server = if let server { server } else { try await RealServer.shared() }
        try self.init(
            mode, name: "main", server: server, device: TemporaryDevice(), userId: "user-" + UUID().uuidString,
            sdkConfiguration: sdkConfiguration ?? server.addresses.configuration, quirks: quirks, configure: configure)
    }

    private init(
        _ mode: Mode, name: String, server: RealServer, device: TemporaryDevice, userId: String,
        sdkConfiguration: String, quirks: [String] = [], configure: (PowerAuthConfiguration) -> Void = { _ in }
    ) throws {
        self.mode = mode
        self.name = name
        self.server = server
        self.device = device
        self.userId = userId
        self.sdkConfiguration = sdkConfiguration
        sandbox = try device.sandbox(
            name: name, bundleIdentifier: "com.example." + name, appGroups: [Self.appGroup],
            keychainAccessGroups: [Self.accessGroup], quirks: quirks)
        transport = TappedTransport()
        sdk = try Self.makeSDK(mode, name, server, sdkConfiguration, sandbox, transport, configure)
    }

    /// Makes an application with an activation that the server has committed.
    package static func activated(
        _ mode: Mode = .alone, server: RealServer? = nil, quirks: [String] = [],
        configure: (PowerAuthConfiguration) -> Void = { _ in }
    ) async throws -> TestApp {
        let app = try await TestApp(mode, server: server, quirks: quirks, configure: configure)
        try await app.activate()
        return app
    }

    /// Another SDK object of the application, as after a restart.
    package func restarted(configure: (PowerAuthConfiguration) -> Void = { _ in }) throws -> PowerAuthSDK {
        try Self.makeSDK(mode, name, server, sdkConfiguration, sandbox, transport, configure)
    }

    /// Another application on the same device, of the same developer, with the same instance.
    package func neighbour(_ name: String = "other") throws -> TestApp {
        try TestApp(
            mode, name: name, server: server, device: device, userId: userId, sdkConfiguration: sdkConfiguration)
    }

    private static func makeSDK(
        _ mode: Mode, _ name: String, _ server: RealServer, _ sdkConfiguration: String, _ sandbox: Sandbox,
        _ transport: TappedTransport, _ configure: (PowerAuthConfiguration) -> Void
    ) throws -> PowerAuthSDK {
        let configuration = PowerAuthConfiguration(
            instanceId: "com.example.instance", baseEndpointUrl: server.addresses.enrollmentURL,
            configuration: sdkConfiguration)
        if mode == .sharing {
            configuration.sharingConfiguration = PowerAuthSharingConfiguration(
                appGroup: appGroup, appIdentifier: name, keychainAccessGroup: accessGroup)
        }
        configure(configuration)
        return try PowerAuthSDK(
            configuration: configuration, clientConfiguration: .patient, sandbox: sandbox, transport: transport)
    }

    // MARK: Activation

    /// Makes an activation of the user, protects it with ``password``, and commits it on the server.
    package func activate() async throws {
        _ = try await createActivation().get()
        try sdk.persistActivation(withPassword: Self.password)
        try await backOffice.commit(activationId)
    }

    /// Exchanges keys with the server for a new code of the user.
    package func createActivation(
        _ change: (PowerAuthActivation) -> Void = { _ in }
    ) async throws -> Result<PowerAuthActivationResult, NSError> {
        let activation = try await activation()
        change(activation)
        return await outcome { sdk.createActivation(activation, callback: $0) }
    }

    /// An activation object for a new code of the user.
    package func activation() async throws -> PowerAuthActivation {
        try PowerAuthActivation(activationCode: await backOffice.initiate(userId: userId).code, name: "Lab phone")
    }

    /// The identifier of the activation, which the test requires.
    package var activationId: String {
        get throws {
            guard let identifier = sdk.activationIdentifier else { throw BackOffice.Missing(what: "an activation") }
            return identifier
        }
    }

    // MARK: Calls

    package func status() async -> Result<PowerAuthActivationStatus, NSError> { await sdk.status() }

    package func validate(_ password: String = TestApp.password) async -> NSError? { await sdk.validate(password) }

    /// Signs a request and hands it to the server.
    package func signatureIsAccepted(_ authentication: PowerAuthAuthentication = .rightPassword) async throws -> Bool {
        let body = Data("{}".utf8)
        let header = try sdk.requestSignature(with: authentication, method: "POST", uriId: "/test", body: body)
        return try await backOffice.accepts(AuthorizationHeader(header), uriId: "/test", body: body)
    }
}

extension PowerAuthSDK {
    package func status() async -> Result<PowerAuthActivationStatus, NSError> {
        await outcome { fetchActivationStatus(callback: $0) }
    }

    /// Waits until everything on the serial queue has ended.
    package func serialQueueIsIdle() async {
        await withCheckedContinuation { continuation in
            executeBlock(onSerialQueue: { task in
                task.cancel()
                continuation.resume()
            })
        }
    }

    package func validate(_ password: String = TestApp.password) async -> NSError? {
        await failure { validatePassword(password: password, callback: $0) }
    }

    package func token(
        _ name: String, _ authentication: PowerAuthAuthentication = .possession()
    ) async -> Result<PowerAuthToken, NSError> {
        await outcome { tokenStore.requestAccessToken(withName: name, authentication: authentication, completion: $0) }
    }
}

extension PowerAuthAuthentication {
    /// Possession and the password of the tests' activations.
    package static var rightPassword: PowerAuthAuthentication { .possessionWithPassword(password: TestApp.password) }
    /// Possession and a password that is not theirs.
    package static var wrongPassword: PowerAuthAuthentication {
        .possessionWithPassword(password: TestApp.wrongPassword)
    }
}
