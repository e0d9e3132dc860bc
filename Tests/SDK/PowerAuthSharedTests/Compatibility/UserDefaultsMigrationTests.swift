// SPDX-License-Identifier: Apache-2.0

import PowerAuth2
import SimulatedDevice
import TestSupport
import Testing

/// Moving the flag of the installation into an app group, as the manual's troubleshooting chapter shows (sdk.md,
/// S88, and extensions-and-legacy-names.md, section 11).
@Suite("Migration of user defaults", .endsInTime)
struct UserDefaultsMigrationTests {
    private static let group = "group.example"

    @Test(arguments: [true, false]) func `Only the moved flag keeps the activation`(moves: Bool) async throws {
        let server = try FakeServer()
        let sandbox = try Sandbox.temporary(appGroups: [Self.group])
        let migration = try #require(FlagMigration(group: Self.group, sandbox))
        let before = try PowerAuthSDK(
            configuration: try server.configuration, clientConfiguration: .patient, sandbox: sandbox,
            transport: server)
        _ = try await before.createActivation(PowerAuthActivation(activationCode: SDKFixture.code))
        try before.persistActivation(withPassword: SDKFixture.password)

        if moves {
            #expect(migration.run())
            #expect(!migration.run(), "the second time there is nothing to move")
            #expect(!migration.isStandardFlagSet)
        }
        let keychain = PowerAuthKeychainConfiguration()
        keychain.keychainAttribute_UserDefaultsSuiteName = Self.group
        let after = try PowerAuthSDK(
            configuration: try server.configuration, keychainConfiguration: keychain, sandbox: sandbox,
            transport: server)
        #expect(after.hasValidActivation() == moves)
        #expect(migration.isSharedFlagSet)
    }

    @Test func `A flag that is in neither place stays missing`() throws {
        let migration = try #require(FlagMigration(group: Self.group, try Sandbox.temporary(appGroups: [Self.group])))
        #expect(!migration.run() && !migration.isSharedFlagSet)
    }
}
