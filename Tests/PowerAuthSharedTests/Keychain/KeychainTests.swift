import Foundation
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("The SDK's keychain (sharing.md, section 12.4)", .endsInTime)
struct KeychainTests {
    private let device: TemporaryDevice
    private let sandbox: Sandbox
    private let keychain: PowerAuthKeychain

    init() throws {
        device = try TemporaryDevice()
        sandbox = try device.sandbox(keychainAccessGroups: [SharingApp.accessGroup])
        keychain = PowerAuthKeychain(identifier: "service", accessGroup: nil, system: sandbox.keychain)
    }

    @Test("Values are added once, updated, read and deleted")
    func lifeOfAnItem() {
        #expect(keychain.updateValue(Data([1]), forKey: "k") == .notFound)
        #expect(keychain.addValue(Data([1]), forKey: "k") == .ok)
        #expect(keychain.addValue(Data([2]), forKey: "k") == .duplicate)
        #expect(keychain.updateValue(Data([3]), forKey: "k") == .ok)
        #expect(keychain.data(forKey: "k") == Data([3]))
        #expect(keychain.containsData(forKey: "k"))
        #expect(keychain.deleteData(forKey: "k"))
        #expect(!keychain.deleteData(forKey: "k"))
        #expect(!keychain.containsData(forKey: "k"))
        var status = errSecSuccess
        #expect(keychain.data(forKey: "k", status: &status) == nil)
        #expect(status == errSecItemNotFound)
    }

    @Test("Services are apart, and all items of one can be listed and deleted")
    func services() {
        let other = PowerAuthKeychain(identifier: "other", accessGroup: nil, system: sandbox.keychain)
        #expect(keychain.allItems() == nil)
        keychain.addValue(Data([1]), forKey: "a")
        keychain.addValue(Data([2]), forKey: "b")
        other.addValue(Data([3]), forKey: "a")
        #expect(keychain.allItems() as? [String: Data] == ["a": Data([1]), "b": Data([2])])
        keychain.deleteAllData()
        #expect(keychain.allItems() == nil)
        #expect(other.data(forKey: "a") == Data([3]))
    }

    @Test("A biometric item cannot be stored without biometry")
    func biometricItem() {
        #expect(keychain.addValue(Data(), forKey: "k", access: .anyBiometricSet) == .biometryNotAvailable)
        #expect(!keychain.containsData(forKey: "k"))
    }

    @Test("A group without entitlement: nothing is stored, and the item seems to exist")
    func missingEntitlement() {
        let foreign = PowerAuthKeychain(identifier: "service", accessGroup: "OTHER.group", system: sandbox.keychain)
        #expect(foreign.addValue(Data(), forKey: "k") == .duplicate)
        #expect(foreign.containsData(forKey: "k"))
        var status = errSecSuccess
        #expect(foreign.data(forKey: "k", status: &status) == nil)
        #expect(status == errSecMissingEntitlement)
    }

    @Test("One biometric request of the process at a time")
    func biometryLock() {
        var inner: Bool?
        let outer: Void? = sandbox.authentication.exclusively {
            inner = sandbox.authentication.exclusively {} != nil
        }
        #expect(outer != nil)
        #expect(inner == false)
        #expect(!PowerAuthKeychain.tryLockBiometryAndExecute {}, "a process without a device has no biometry")
    }
}

@Suite("A fresh installation (sharing.md, section 14)", .endsInTime)
struct InstallationTests {
    private let device: TemporaryDevice

    init() throws {
        device = try TemporaryDevice()
    }

    @Test("An activation survives a restart, and dies with the preferences")
    func reinstallation() throws {
        let first = try SharingApp("main", on: device)
        try first.save(StoredStates.version6)
        #expect(try SharingApp("main", on: device).interface.hasValidActivation())
        let defaults = try #require(first.sandbox.defaults(suite: SharingApp.appGroup))
        defaults.removeObject(forKey: PowerAuthKeychain_Initialized)
        #expect(try !SharingApp("main", on: device).interface.hasValidActivation())
        #expect(defaults.bool(forKey: PowerAuthKeychain_Initialized))
    }

    @Test("A fresh application that does not share leaves the shared group alone")
    func otherApplication() throws {
        let shared = try SharingApp("main", on: device)
        try shared.save(StoredStates.version6)
        let sandbox = try device.sandbox(
            name: "other", bundleIdentifier: "com.example.other",
            keychainAccessGroups: ["LABTEAM001.other", SharingApp.accessGroup])
        let own = PowerAuthKeychain(
            identifier: PowerAuthKeychain_Status, accessGroup: nil, system: sandbox.keychain)
        own.addValue(Data([1]), forKey: "left over")
        let configuration = PowerAuthConfiguration(
            instanceId: "other", baseEndpointUrl: "http://localhost", configuration: SharingApp.configurationString)
        let interface = try SessionInterfaceFactory.make(
            session: SharingApp.newSession(), configuration: configuration, statusKeychain: own,
            installation: InstallationCheck(keychains: [own], suiteName: nil, sandbox: sandbox), sandbox: sandbox)
        #expect(own.data(forKey: "left over") == nil)
        let group = PowerAuthKeychain(
            identifier: PowerAuthKeychain_Status, accessGroup: SharingApp.accessGroup, system: shared.sandbox.keychain)
        #expect(group.data(forKey: SharingApp.instanceId) == StoredStates.version6)
        #expect(shared.interface.hasValidActivation())
        #expect(!interface.hasValidActivation())
        #expect(interface.externalPendingOperation == nil)
    }

    @Test("A keychain group without entitlement is refused at the start")
    func groupWithoutEntitlement() throws {
        let sandbox = try device.sandbox()
        let keychain = PowerAuthKeychain(
            identifier: PowerAuthKeychain_Status, accessGroup: "LABTEAM001.foreign", system: sandbox.keychain)
        let configuration = PowerAuthConfiguration(
            instanceId: "i", baseEndpointUrl: "http://localhost", configuration: SharingApp.configurationString)
        #expect(throws: InvalidConfiguration.keychainAccessGroupNotEntitled("LABTEAM001.foreign")) {
            try SessionInterfaceFactory.make(
                session: SharingApp.newSession(), configuration: configuration, statusKeychain: keychain,
                installation: InstallationCheck(keychains: [keychain], suiteName: nil, sandbox: sandbox),
                sandbox: sandbox)
        }
    }

    @Test("The factory fills in the memory identifier that is used")
    func computedIdentifier() throws {
        let sandbox = try SharingApp.sandbox("main", on: device)
        let configuration = PowerAuthConfiguration(
            instanceId: SharingApp.instanceId, baseEndpointUrl: "http://localhost",
            configuration: SharingApp.configurationString)
        configuration.sharingConfiguration = PowerAuthSharingConfiguration(
            appGroup: SharingApp.appGroup, appIdentifier: "main", keychainAccessGroup: SharingApp.accessGroup)
        let keychain = PowerAuthKeychain(
            identifier: PowerAuthKeychain_Status, accessGroup: SharingApp.accessGroup, system: sandbox.keychain)
        _ = try SessionInterfaceFactory.make(
            session: SharingApp.newSession(), configuration: configuration, statusKeychain: keychain,
            installation: InstallationCheck(keychains: [keychain], suiteName: SharingApp.appGroup, sandbox: sandbox),
            sandbox: sandbox)
        #expect(configuration.sharingConfiguration?.sharedMemoryIdentifier == "Ez3P")
    }
}
