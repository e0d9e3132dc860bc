// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import Testing

extension TestApp {
    /// An application whose activation is of the protocol 2 on both sides, as an SDK before 1.0 left it behind.
    static func withOldActivation(
        _ mode: Mode = .alone, quirks: [String] = [], configure: (PowerAuthConfiguration) -> Void = { _ in }
    ) async throws -> TestApp {
        let server = try await RealServer.start()
        let app = try await TestApp(mode, server: server, quirks: quirks, configure: configure)
        let setup = try #require(PowerAuthCoreSessionSetup(configuration: server.addresses.configuration))
        let activation = try #require(LegacyActivation(setup: setup))
        let seeded = try await app.seed(devicePublicKey: activation.devicePublicKey)
        let keys = PowerAuthCoreSignatureUnlockKeys(
            possessionUnlockKey: PowerAuthCoreSession.normalizeSignatureUnlockKey(
                from: Data(app.sandbox.device.vendorIdentifier.utf8)))
        keys.userPassword = PowerAuthCorePassword(string: password)
        let state = try #require(
            activation.state(
                activationId: seeded.activationId, serverPublicKey: seeded.serverPublicKey, keys: keys))
        try #require(app.sdk.sessionProvider.writeBoolTask { $0.deserializeState(state) })
        return app
    }

    private func seed(devicePublicKey: String) async throws -> (activationId: String, serverPublicKey: String) {
        let answer = try await backOffice.send(
            server.addresses.baseURL + "/lab/seed",
            ["activations": [["userId": .string(userId), "version": 2, "devicePublicKey": .string(devicePublicKey)]]],
            headers: backOffice.labHeaders)
        return (
            try #require(answer.body["activations"]?[0]?["activationId"]?.stringValue),
            try #require(answer.body["activations"]?[0]?["serverPublicKey"]?.stringValue)
        )
    }
}
