// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary
import PowerAuth2
import PowerAuthSDK2
import PowerAuthShared
import SDKTestSupport
import SimulatedDevice
import TestSupport

/// An application with SDK 2.0 on a device of its own, a user of its own, and the real server.
struct TestApp2: Sendable {
    static let newPassword = "5678"

    let server: RealServer
    let device: TemporaryDevice
    let sandbox: Sandbox
    let transport: TappedTransport
    let userId: String
    let sdk: PowerAuthSDK2.PowerAuthSDK
    private let sdkConfiguration: String
    private let isSharing: Bool

    var backOffice: BackOffice { server.backOffice }

    /// Makes an application without an activation.
    /// - Parameters:
    ///   - algorithm: that of new activations.
    ///   - isSharing: whether it shares its activation with others of its device.
    ///   - server: nil takes the server that the tests share.
    init(
        _ algorithm: PowerAuthAlgorithm = .EC_P384, isSharing: Bool = false, server: RealServer? = nil
    ) async throws {
        let server = if let server { server } else { try await RealServer.shared() }
        let sdkConfiguration = try await server.backOffice.configurationV4()
        try self.init(
            algorithm, isSharing: isSharing, name: "main", server: server, device: TemporaryDevice(),
            userId: "user-" + UUID().uuidString, sdkConfiguration: sdkConfiguration)
    }

    private init(
        _ algorithm: PowerAuthAlgorithm, isSharing: Bool, name: String, server: RealServer, device: TemporaryDevice,
        userId: String, sdkConfiguration: String
    ) throws {
        self.server = server
        self.device = device
        self.userId = userId
        self.sdkConfiguration = sdkConfiguration
        self.isSharing = isSharing
        sandbox = try device.sandbox(
            name: name, bundleIdentifier: "com.example." + name, appGroups: [TestApp.appGroup],
            keychainAccessGroups: [TestApp.accessGroup])
        transport = TappedTransport()
        sdk = try Self.makeSDK(algorithm, isSharing, name, server, sdkConfiguration, sandbox, transport)
    }

    /// Makes an application with an activation that is confirmed.
    static func activated(
        _ algorithm: PowerAuthAlgorithm = .EC_P384, isSharing: Bool = false, server: RealServer? = nil
    ) async throws -> TestApp2 {
        let app = try await TestApp2(algorithm, isSharing: isSharing, server: server)
        try await app.activate()
        return app
    }

    /// Another SDK object of the application, as after a restart.
    func restarted(_ algorithm: PowerAuthAlgorithm = .EC_P384) throws -> PowerAuthSDK2.PowerAuthSDK {
        try Self.makeSDK(algorithm, isSharing, "main", server, sdkConfiguration, sandbox, transport)
    }

    /// Another application on the same device, of the same developer, with the same instance.
    func neighbour(_ algorithm: PowerAuthAlgorithm = .EC_P384) throws -> TestApp2 {
        try TestApp2(
            algorithm, isSharing: isSharing, name: "other", server: server, device: device, userId: userId,
            sdkConfiguration: sdkConfiguration)
    }

    /// An application of SDK 1.9 on the same device, with the same instance.
    func olderNeighbour() throws -> PowerAuth2.PowerAuthSDK {
        let sandbox = try device.sandbox(
            name: "older", bundleIdentifier: "com.example.older", appGroups: [TestApp.appGroup],
            keychainAccessGroups: [TestApp.accessGroup])
        let configuration = PowerAuthShared.PowerAuthConfiguration(
            instanceId: "com.example.instance", baseEndpointUrl: server.addresses.enrollmentURL,
            configuration: sdkConfiguration)
        configuration.sharingConfiguration = Self.sharing("older")
        return try PowerAuth2.PowerAuthSDK(
            configuration: configuration, clientConfiguration: .patient, sandbox: sandbox, transport: transport)
    }

    private static func sharing(_ name: String) -> PowerAuthSharingConfiguration {
        PowerAuthSharingConfiguration(
            appGroup: TestApp.appGroup, appIdentifier: name, keychainAccessGroup: TestApp.accessGroup)
    }

    private static func makeSDK(
        _ algorithm: PowerAuthAlgorithm, _ isSharing: Bool, _ name: String, _ server: RealServer,
        _ sdkConfiguration: String, _ sandbox: Sandbox, _ transport: TappedTransport
    ) throws -> PowerAuthSDK2.PowerAuthSDK {
        let configuration = PowerAuthSDK2.PowerAuthConfiguration(
            instanceId: "com.example.instance", baseEndpointUrl: server.addresses.enrollmentURL,
            configuration: sdkConfiguration)
        configuration.algorithm = algorithm
        if isSharing { configuration.sharingConfiguration = sharing(name) }
        return try PowerAuthSDK2.PowerAuthSDK(
            configuration: configuration, clientConfiguration: .patient, sandbox: sandbox, transport: transport)
    }

    // MARK: Activation

    /// Makes an activation of the user, commits it on the server, and confirms it.
    func activate(biometry: Bool = false) async throws {
        _ = try await createActivation().get()
        try await backOffice.commit(activationId)
        let authentication: PowerAuthAuthentication =
            biometry
            ? .persistWithPasswordAndBiometry(password: TestApp.password)
            : .persistWithPassword(password: TestApp.password)
        if let error = await persist(authentication) { throw error }
    }

    /// Exchanges keys with the server for a new code of the user.
    func createActivation() async throws -> Result<PowerAuthSDK2.PowerAuthActivationResult, NSError> {
        let initiated = try await backOffice.initiate(userId: userId)
        let activation = try PowerAuthSDK2.PowerAuthActivation(activationCode: initiated.code, name: "Lab phone")
        return await outcome { sdk.createActivation(activation, callback: $0) }
    }

    func persist(
        _ authentication: PowerAuthAuthentication = .persistWithPassword(password: TestApp.password)
    ) async -> NSError? {
        await failure { sdk.persistActivation(with: authentication, callback: $0) }
    }

    /// The identifier of the activation, which the test requires.
    var activationId: String {
        get throws {
            guard let identifier = sdk.activationIdentifier else { throw BackOffice.Missing(what: "an activation") }
            return identifier
        }
    }

    // MARK: Device

    /// Enrols a face on the device.
    func enrol() throws { try sandbox.security.changeState { try $0.enrol() } }

    /// Makes the user ready to confirm the next dialog.
    func confirmNextDialog() throws {
        try device.clock.advance(by: .seconds(1))
        try sandbox.security.answer(.success)
    }

    // MARK: Calls

    /// Computes the code of a request, on a thread that may wait for the user, and hands it to the server.
    func codeIsAccepted(
        _ authentication: PowerAuthAuthentication = .rightPassword, of other: PowerAuthSDK2.PowerAuthSDK? = nil
    ) async throws -> Bool {
        let (sdk, body) = (other ?? self.sdk, Data("{}".utf8))
        let header = try await onThread {
            try sdk.requestAuthenticationCode(with: authentication, method: "POST", uriId: "/test", body: body)
        }
        return try await backOffice.acceptsCode(AuthorizationHeader(header), uriId: "/test", body: body)
    }

    func token(_ name: String) async throws -> PowerAuthToken {
        try await outcome {
            sdk.tokenStore.requestAccessToken(withName: name, authentication: .possession(), completion: $0)
        }.get()
    }
}

extension PowerAuthSDK2.PowerAuthSDK {
    func status() async throws -> PowerAuthSDK2.PowerAuthActivationStatus {
        try await outcome { fetchActivationStatus(callback: $0) }.get()
    }

    func validate(_ password: String = TestApp.password) async -> NSError? {
        await failure { validatePassword(password: password, callback: $0) }
    }

    func upgrade(
        _ password: String = TestApp.password, biometry: PowerAuthAuthentication? = nil
    ) async -> NSError? {
        await failure {
            startProtocolUpgrade(
                with: .possessionWithPassword(password: password), biometry: biometry, callback: $0)
        }
    }
}
