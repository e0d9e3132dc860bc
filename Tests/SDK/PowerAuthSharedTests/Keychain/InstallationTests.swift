// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("A fresh installation (sharing.md, section 14)", .endsInTime)
struct InstallationTests {
    private let device: TemporaryDevice

    init() throws { device = try TemporaryDevice() }

    private func loseFlag(of sandbox: Sandbox, suite: String? = nil) throws {
        try #require(sandbox.defaults(suite: suite)).removeObject(forKey: PowerAuthKeychain_Initialized)
    }

    /// An application of the vendor that shares nothing, and may use the shared keychain group.
    private func stranger(_ name: String = "stranger", quirks: [String] = []) throws -> Sandbox {
        try device.sandbox(
            name: name, bundleIdentifier: "com.example." + name, keychainAccessGroups: [SharingApp.accessGroup],
            quirks: quirks)
    }

    @Test func `An activation survives a restart, and ends with the preferences`() throws {
        let first = try SharingApp("main", on: device)
        try first.save(StoredStates.version6)
        #expect(try SharingApp("main", on: device).interface.hasValidActivation())
        try loseFlag(of: first.sandbox, suite: SharingApp.appGroup)
        #expect(try !SharingApp("wallet", on: device).interface.hasValidActivation())
        let defaults = try #require(first.sandbox.defaults(suite: SharingApp.appGroup))
        #expect(defaults.bool(forKey: PowerAuthKeychain_Initialized))
    }

    @Test
    func `A removal by a fresh installation is counted twice: state and tokens have changed for the others`() throws {
        let main = try SharingApp("main", on: device)
        try main.save(StoredStates.version6)
        let before = try main.interface.snapshot()
        try loseFlag(of: main.sandbox, suite: SharingApp.appGroup)
        let wallet = try SharingApp("wallet", on: device)
        let after = try wallet.interface.snapshot()
        #expect(after.stateModifyCounter == before.stateModifyCounter + 1)
        #expect(after.tokenModifyCounter == before.tokenModifyCounter + 1)
        #expect(!main.interface.hasValidActivation())
    }

    @Test func `Where an earlier installation left nothing, nothing is counted`() throws {
        let main = try SharingApp("main", on: device)
        try loseFlag(of: main.sandbox, suite: SharingApp.appGroup)
        let snapshot = try SharingApp("wallet", on: device).interface.snapshot()
        #expect(snapshot.stateModifyCounter == 1)
        #expect(snapshot.tokenModifyCounter == 1)
    }

    @Test
    func `Every item of the earlier installation's session is removed, and the possession key with the last session`()
        throws
    {
        let main = try SharingApp("main", on: device)
        try main.save(StoredStates.version6)
        let installed = Installed(
            in: main.sandbox, instanceId: SharingApp.instanceId, accessGroup: SharingApp.accessGroup,
            suiteName: SharingApp.appGroup, isShared: true)
        installed.services.biometry.addValue(Data([1]), forKey: SharingApp.instanceId)
        installed.services.possession.addValue(Data([2]), forKey: PowerAuthKeychainKey_Possession)
        installed.services.tokens.addValue(Data([3]), forKey: "powerAuthToken__\(SharingApp.instanceId)__t")
        installed.services.status.addValue(Data([4]), forKey: SharingApp.instanceId + ".unusable")
        try loseFlag(of: main.sandbox, suite: SharingApp.appGroup)
        _ = try SharingApp("main", on: device)
        #expect(try KeychainInventory(path: device.layout.keychainPath(device.spec.name)).entries().isEmpty)
    }

    @Test func `Each session of a reinstalled application is removed, in any order of its SDK objects`() throws {
        let sandbox = try device.sandbox()
        for instanceId in ["a", "b"] {
            try Installed(in: sandbox, instanceId: instanceId).session(in: sandbox)
                .write { _ = $0.deserializeState(StoredStates.version6) }
        }
        try loseFlag(of: sandbox)
        for instanceId in ["a", "b"] {
            #expect(try !Installed(in: sandbox, instanceId: instanceId).session(in: sandbox).hasValidActivation())
        }
    }

    @Test(arguments: ["com.example.stranger", SharingApp.instanceId])
    func `A fresh application that shares nothing leaves the shared group unchanged, with any name of its session`(
        instanceId: String
    ) throws {
        let shared = try SharingApp("main", on: device)
        try shared.save(StoredStates.version6)
        let stranger = try stranger()
        for _ in 1...2 {
            _ = try Installed(in: stranger, instanceId: instanceId).session(in: stranger)
            #expect(try SharingApp("wallet", on: device).interface.hasValidActivation())
            try loseFlag(of: stranger)
        }
    }

    @Test
    func `A fresh group of applications leaves the activation of another group in the same keychain group alone`()
        throws
    {
        try SharingApp("main", on: device).save(StoredStates.version6)
        let other = try device.sandbox(
            name: "other", bundleIdentifier: "com.example.other", appGroups: ["group.other"],
            keychainAccessGroups: [SharingApp.accessGroup])
        #expect(
            try !SharingApp(in: other, "other", instanceId: "com.example.other", appGroup: "group.other").interface
                .hasValidActivation())
        #expect(try SharingApp("main", on: device).interface.hasValidActivation())
    }

    @Test
    func `An application whose items lie in a group of several finds its own after a reinstallation, and removes them`()
        throws
    {
        try SharingApp("main", on: device).save(StoredStates.version6)
        let stranger = try stranger()
        try Installed(in: stranger, instanceId: "s").session(in: stranger)
            .write { _ = $0.deserializeState(StoredStates.version6) }
        try loseFlag(of: stranger)
        #expect(try !Installed(in: stranger, instanceId: "s").session(in: stranger).hasValidActivation())
        #expect(try SharingApp("main", on: device).interface.hasValidActivation())
    }

    @Test func `The possession key stays while another session of the group depends on it`() throws {
        let main = try SharingApp("main", on: device)
        try main.save(StoredStates.version6)
        let stranger = try stranger()
        let installed = Installed(in: stranger, instanceId: "s")
        try installed.session(in: stranger).write { _ = $0.deserializeState(StoredStates.version6) }
        installed.services.possession.addValue(Data([1]), forKey: PowerAuthKeychainKey_Possession)
        try loseFlag(of: stranger)
        _ = try installed.session(in: stranger)
        #expect(installed.services.possession.containsData(forKey: PowerAuthKeychainKey_Possession))
        #expect(!installed.services.status.containsData(forKey: "s"))
    }

    @Test
    func `A session that another application has recorded is not a fresh one's, although both name the group`() throws {
        try SharingApp("main", on: device).save(StoredStates.version6)
        let stranger = try stranger()
        _ = try Installed(in: stranger, instanceId: SharingApp.instanceId, accessGroup: SharingApp.accessGroup)
            .session(in: stranger)
        #expect(try SharingApp("wallet", on: device).interface.hasValidActivation())
    }

    @Test func `A session from an SDK without records is removed with its installation too`() throws {
        let sandbox = try device.sandbox()
        let installed = Installed(in: sandbox, instanceId: "s")
        installed.services.status.addValue(StoredStates.version6, forKey: "s")
        #expect(try !installed.session(in: sandbox).hasValidActivation())
    }

    @Test func `With quirk sharing.D9 a fresh application empties every group without a notification`() throws {
        let shared = try SharingApp("main", on: device)
        try shared.save(StoredStates.version6)
        let stranger = try stranger(quirks: ["sharing.D9"])
        _ = try Installed(in: stranger, instanceId: "s").session(in: stranger)
        #expect(shared.interface.hasValidActivation())
        #expect(try !SharingApp("wallet", on: device).interface.hasValidActivation())
    }

    @Test func `With quirk sharing.D9 unreadable preferences count as a fresh installation`() throws {
        let sandbox = try device.sandbox(quirks: ["sharing.D9"])
        let installed = Installed(in: sandbox, instanceId: "s")
        try installed.session(in: sandbox).write { _ = $0.deserializeState(StoredStates.version6) }
        try damagePreferences(of: sandbox)
        #expect(try !installed.session(in: sandbox).hasValidActivation())
    }

    @Test
    func `Damaged preferences are an error, whether the session is shared or not, and nothing is removed`() throws {
        let sandbox = try device.sandbox()
        let installed = Installed(in: sandbox, instanceId: "s")
        try installed.session(in: sandbox).write { _ = $0.deserializeState(StoredStates.version6) }
        let path = try damagePreferences(of: sandbox)
        let error = #expect(throws: InvalidConfiguration.self) { try installed.session(in: sandbox) }
        #expect(error == .preferencesUnavailable(name: "standard", reason: "the file '\(path)' is damaged"))
        #expect(error?.mayPass == true)
        #expect(installed.services.status.containsData(forKey: "s"))
    }

    @Test func `A flag that cannot be stored is an error: the next start would remove what was made since`() throws {
        let sandbox = try device.sandbox()
        let disk = try DeviceDisk(layout: device.layout, device: device.spec.name)
        _ = disk.makeReadOnly()
        let error = #expect(throws: InvalidConfiguration.self) {
            try Installed(in: sandbox, instanceId: "s").session(in: sandbox)
        }
        #expect(error?.cause == "preferencesUnavailable")
        disk.free()
        #expect(try Installed(in: sandbox, instanceId: "s").session(in: sandbox).canStartActivation())
    }

    @Test func `Items that cannot be removed are an error, and go the next time`() throws {
        let sandbox = try device.sandbox()
        let installed = Installed(in: sandbox, instanceId: "s")
        try installed.session(in: sandbox).write { _ = $0.deserializeState(StoredStates.version6) }
        try loseFlag(of: sandbox)
        try device.faults.arm(FaultRule(point: .keychainDelete, process: "main", action: .fail("EIO")))
        let error = #expect(throws: InvalidConfiguration.self) { try installed.session(in: sandbox) }
        #expect(error == .leftoversNotRemoved(reason: "the keychain refused with the status -36"))
        #expect(try !installed.session(in: sandbox).hasValidActivation())
    }

    @Test func `A keychain group without entitlement is refused at the start`() throws {
        let sandbox = try device.sandbox()
        let installed = Installed(in: sandbox, instanceId: "i", accessGroup: "LABTEAM001.foreign")
        let configuration = PowerAuthConfiguration(
            instanceId: "i", baseEndpointUrl: "http://localhost", configuration: SharingApp.configurationString)
        #expect(throws: InvalidConfiguration.keychainAccessGroupNotEntitled("LABTEAM001.foreign")) {
            try SessionInterfaceFactory.make(
                session: SharingApp.newSession(), configuration: configuration, services: installed.services,
                installation: installed.check, sandbox: sandbox)
        }
    }

    @Test func `The factory fills in the memory identifier that is used`() throws {
        let sandbox = try SharingApp.sandbox("main", on: device)
        let configuration = PowerAuthConfiguration(
            instanceId: SharingApp.instanceId, baseEndpointUrl: "http://localhost",
            configuration: SharingApp.configurationString)
        configuration.sharingConfiguration = PowerAuthSharingConfiguration(
            appGroup: SharingApp.appGroup, appIdentifier: "main", keychainAccessGroup: SharingApp.accessGroup)
        let installed = Installed(
            in: sandbox, instanceId: SharingApp.instanceId, accessGroup: SharingApp.accessGroup,
            suiteName: SharingApp.appGroup, isShared: true)
        _ = try SessionInterfaceFactory.make(
            session: SharingApp.newSession(), configuration: configuration, services: installed.services,
            installation: installed.check, sandbox: sandbox)
        #expect(configuration.sharingConfiguration?.sharedMemoryIdentifier == "Ez3P")
    }

    /// Changes one bit in the standard preferences of an application.
    @discardableResult
    private func damagePreferences(of sandbox: Sandbox) throws -> String {
        let path = "\(sandbox.home)/Library/Preferences/\(sandbox.identity.bundleIdentifier).json"
        var bytes = try Files.read(path)
        bytes[bytes.count / 2] ^= 1
        try Files.write(bytes, to: path)
        return path
    }
}
