// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Upgrades to protocol 4", .endsInTime)
struct UpgradeV4Tests {
    private static let confirmation = "/pa/v4/upgrade/confirm"

    @Test(arguments: CryptographySuite.Name.allCases)
    func `An activation of version 3 is upgraded, and keeps working until it has confirmed`(
        name: CryptographySuite.Name
    ) async throws {
        try await ServerFixture.run { client in
            var former = try await client.activeDevice()
            #expect(try await former.status()?.upgradeVersion == 3)
            try await client.configureAlgorithms(["EC_P256", name.rawValue])
            #expect(try await former.status()?.upgradeVersion == 4)
            var device = try await TestDeviceV4(client, .named(name))
            try await device.startUpgrade(of: &former).answer.expectOK()
            #expect(try await former.validateSignature() == 200)
            #expect(try await former.status()?.currentVersion == 3)
            let pending = try await device.status()
            #expect(pending.currentVersion == 3 && pending.upgradeVersion == 4)
            #expect(pending.flags == [.upgradeConfirmationPending, .biometryEnabled] && pending.counterByte == 0)
            // Nothing but the confirmation is proved with the new keys.
            let counter = device.counter
            #expect(try await device.validate() == 401)
            #expect(try await device.status().failedAttempts == 0)
            device.counter = counter

            try await device.sendCoded(Self.confirmation, type: .possession).expectOK()
            let upgraded = try await device.status()
            #expect(upgraded.currentVersion == 4 && upgraded.flags == .biometryEnabled && upgraded.counterByte == 1)
            for type in [SignatureType.possession, .possessionKnowledge, .possessionBiometry] {
                #expect(try await device.validate(type: type) == 200)
            }
            #expect(try await former.validateSignature() == 401)
            #expect(try await device.status().failedAttempts == 0)
            let history = try await client.backOffice(
                "activation/history",
                ["activationId": device.activationId, "timestampFrom": "0", "timestampTo": "9999999999999"])
            #expect(history.text("items.0.eventReason") == "ACTIVATION_VERSION_CHANGED")
            #expect(history.number("items.0.version") == 4)
        }
    }

    @Test func `After lost answers the device begins again, and confirms again`() async throws {
        try await ServerFixture.run { client in
            try await client.configureAlgorithms(["EC_P384", "EC_P384_ML_L3"])
            var former = try await client.activeDevice()
            var lost = try await TestDeviceV4(client, .ecP384)
            try await lost.startUpgrade(of: &former).answer.expectOK()
            var device = try await TestDeviceV4(client, .ecP384MLL3)
            try await device.startUpgrade(of: &former).answer.expectOK()
            #expect(try await lost.sendCoded(Self.confirmation, type: .possession).status == 401)
            for _ in 0..<2 { try await device.sendCoded(Self.confirmation, type: .possession).expectOK() }
            #expect(try await device.validate() == 200)
        }
    }

    @Test(arguments: [false, true])
    func `An upgrade is started where it is offered alone`(isOffered: Bool) async throws {
        try await ServerFixture { $0.policy.isUpgradeOffered = isOffered }.run { client in
            var former = try await client.activeDevice()
            var device = try await TestDeviceV4(client)
            try await device.startUpgrade(of: &former).answer.expect(.upgrade, "no algorithms are configured")
            try await client.configureAlgorithms(["EC_P384"])
            #expect(try await former.status()?.upgradeVersion == (isOffered ? 4 : 3))
            let answer = try await device.startUpgrade(of: &former).answer
            if isOffered { answer.expectOK() } else { answer.expect(.upgrade, "the upgrade is off") }
            #expect(try await former.validateSignature() == 200)
        }
    }

    @Test func `An upgrade that was not started is not confirmed, and a blocked activation starts none`() async throws {
        try await ServerFixture.run { client in
            try await client.configureAlgorithms(["EC_P384"])
            var former = try await client.activeDevice()
            var device = try await TestDeviceV4(client)
            device.activationId = former.activationId
            device.secrets = ActivationSecrets(activation: .random(), hasBiometry: false)
            try await device.sendCoded(Self.confirmation, type: .possession)
                .expect(.authenticationCode, "nothing was started")
            try await device.startUpgrade(of: &former).answer.expectOK()
            try await client.backOffice("activation/block", ["activationId": former.activationId]).expectOK()
            try await device.startUpgrade(of: &former).answer.expect(.authentication, "a blocked activation")
            try await device.sendCoded(Self.confirmation, type: .possession)
                .expect(.authenticationCode, "a blocked activation")
            #expect(try await device.status().state == .blocked)
        }
    }

    /// device: code of A | start B ------------ | confirm A
    /// server: A proved --|--- B in place of A --|--- refused
    @Test func `A confirmation is for the keys that its code has proved`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            try await client.configureAlgorithms(["EC_P384"])
            var former = try await client.activeDevice()
            var replaced = try await TestDeviceV4(client)
            try await replaced.startUpgrade(of: &former).answer.expectOK()
            let context = fixture.server.services.context
            let proved = try #require(try context.activation(Identifier(known: former.activationId)))
            var device = try await TestDeviceV4(client)
            try await device.startUpgrade(of: &former).answer.expectOK()
            for _ in 0..<2 {
                #expect(throws: ServiceError.self) { try UpgradeServiceV4(context: context).confirm(proved) }
                // The same for one that was confirmed meanwhile.
                try await device.sendCoded(Self.confirmation, type: .possession).expectOK()
            }
            #expect(try await device.validate() == 200)
        }
    }

    @Test func `A device that removes its upgraded activation ends the recovery codes of version 3`() async throws {
        let fixture = try ServerFixture {
            $0.activationProvider = ActivationProvider(userId: { $0["username"] })
        }
        try await fixture.run { client in
            try await client.enableRecovery()
            try await client.configureAlgorithms(["EC_P384"])
            var former = try await client.activeDevice()
            var device = try await TestDeviceV4(client)
            try await device.startUpgrade(of: &former).answer.expectOK()
            try await device.sendCoded(Self.confirmation, type: .possession).expectOK()
            let id = device.activationId
            func status() async throws -> String? {
                try await client.backOffice("recovery/lookup", ["activationId": id])
                    .text("recoveryCodes.0.status")
            }
            #expect(try await status() == "ACTIVE")
            try await device.sendCoded("/pa/v4/activation/remove").expectOK()
            #expect(try await status() == "REVOKED")
        }
    }

    @Test func `A token of version 3 is refused after the upgrade of its activation`() async throws {
        try await ServerFixture.run { client in
            try await client.configureAlgorithms(["EC_P384"])
            var former = try await client.activeDevice()
            let token = try await former.createToken()
            func isValid() async throws -> Bool? {
                try await client.validate(token.header(.v3_3, timestamp: client.timestamp)).flag("tokenValid")
            }
            #expect(try await isValid() == true)
            var device = try await TestDeviceV4(client)
            try await device.startUpgrade(of: &former).answer.expectOK()
            #expect(try await isValid() == true)
            try await device.sendCoded(Self.confirmation, type: .possession).expectOK()
            #expect(try await isValid() == false)
        }
    }

    @Test func `The two headers of a start name the same version of the application`() async throws {
        try await ServerFixture.run { client in
            try await client.configureAlgorithms(["EC_P384"])
            let other = try await client.backOfficeV4(
                "application/version/create", ["applicationId": "lab", "applicationVersionId": "other"])
            var former = try await client.activeDevice()
            var device = try await TestDeviceV4(client)
            let own = device.configuration
            device.configuration = try SdkConfigurationV4(other.required("mobileSdkConfig"))
            try await device.startUpgrade(of: &former).answer.expect(.upgrade, "the key of another version")
            device.configuration = own
            try await device.startUpgrade(of: &former).answer.expectOK()
        }
    }
}
