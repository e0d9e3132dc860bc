// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import PowerAuth2ForExtensions
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("An extension uses its application's activation and tokens (sharing.md, section 18)", .endsInTime)
struct ExtensionSDKTests {
    private let device: TemporaryDevice
    private let main: TokenApp
    private let sandbox: Sandbox

    init() throws {
        device = try TemporaryDevice()
        main = try TokenApp("main", on: device)
        sandbox = try device.sandbox(
            name: "widget", kind: .appExtension, bundleIdentifier: "com.example.main.widget",
            appGroups: [SharingApp.appGroup], keychainAccessGroups: [SharingApp.accessGroup])
    }

    private func makeSDK(
        suite: String? = SharingApp.appGroup, shares: Bool = false, memoryIdentifier: String? = nil,
        on sandbox: Sandbox? = nil
    ) throws -> PowerAuthExtensionSDK {
        let configuration = PowerAuthConfiguration(
            instanceId: SharingApp.instanceId, baseEndpointUrl: "http://localhost",
            configuration: SharingApp.configurationString)
        if shares {
            let sharing = PowerAuthSharingConfiguration(
                appGroup: SharingApp.appGroup, appIdentifier: "widget", keychainAccessGroup: SharingApp.accessGroup)
            sharing.sharedMemoryIdentifier = memoryIdentifier
            configuration.sharingConfiguration = sharing
        }
        let keychain = PowerAuthKeychainConfiguration()
        keychain.keychainAttribute_AccessGroup = SharingApp.accessGroup
        keychain.keychainAttribute_UserDefaultsSuiteName = suite
        return try PowerAuthExtensionSDK(
            configuration: configuration, keychainConfiguration: keychain, sandbox: sandbox ?? self.sandbox)
    }

    @Test func `It follows the application: no activation, an activation, none again`() throws {
        let sdk = try makeSDK()
        #expect(!sdk.hasValidActivation())
        try main.app.save(StoredStates.version6)
        #expect(sdk.hasValidActivation())
        #expect(sdk.activationIdentifier == StoredStates.activationId)
        main.app.interface.resetSession()
        #expect(!sdk.hasValidActivation())
        #expect(!sdk.canStartActivation())
        #expect(!sdk.hasPendingActivation())
        #expect(!sdk.hasPendingProtocolUpgrade() && !sdk.hasProtocolUpgradeAvailable())
    }

    @Test func `A pending activation of the application cannot be seen`() throws {
        try main.app.startActivation()
        #expect(try !makeSDK().hasValidActivation())
    }

    @Test func `Items of a former installation do not count until the application has run`() throws {
        try main.app.save(StoredStates.version6)
        main.app.sandbox.defaults(suite: SharingApp.appGroup)?.removeObject(forKey: PowerAuthKeychain_Initialized)
        #expect(try !makeSDK().hasValidActivation())
        #expect(try makeSDK(suite: nil).hasValidActivation())
    }

    @Test func `Tokens can be used, with a header of version 3.1`() throws {
        try main.app.save(StoredStates.version6)
        main.put("T")
        let sdk = try makeSDK()
        let token = try #require(sdk.tokenStore.localToken(withName: "T"))
        let header = try TokenHeader(parsing: token.generateHeader()?.value)
        #expect(header.version == .v3_1)
        #expect(try header.isAuthentic(secret: TokenSecret(Data((0..<16).map { UInt8($0) }))))
    }

    @Test func `Requests: a stored token is given, a missing one and any removal are refused`() throws {
        try main.app.save(StoredStates.version6)
        main.put("T")
        let sdk = try makeSDK()
        let results = Mutex<[String: Int]>([:])
        let collect = { (name: String) in
            { (token: PowerAuthToken?, error: (any Error)?) in
                results.withLock { $0[name] = token == nil ? error?.powerAuthErrorCode.rawValue ?? -1 : 0 }
            }
        }
        sdk.tokenStore.requestAccessToken(withName: "T", authentication: .possession(), completion: collect("stored"))
        sdk.tokenStore.requestAccessToken(withName: "X", authentication: nil, completion: collect("missing"))
        sdk.tokenStore.requestAccessToken(withName: "", authentication: nil, completion: collect("empty"))
        for (name, key) in [("T", "remove"), ("X", "removeX")] {
            sdk.tokenStore.removeAccessToken(withName: name) { _, error in
                results.withLock { $0[key] = error?.powerAuthErrorCode.rawValue }
            }
        }
        #expect(results.withLock { $0 } == ["stored": 0, "missing": 14, "empty": 13, "remove": 14, "removeX": 14])
        #expect(main.store.hasLocalToken(withName: "T"))
    }

    @Test func `Local removal does nothing`() throws {
        try main.app.save(StoredStates.version6)
        main.put("T")
        let store = try makeSDK().tokenStore
        store.removeLocalToken(withName: "T")
        store.removeAllLocalTokens()
        #expect(store.hasLocalToken(withName: "T"))
    }

    @Test func `With the switch local removal deletes the application's records, as up to version 1.6`() throws {
        try main.app.save(StoredStates.version6)
        for name in ["T", "U", "V"] { main.put(name) }
        let sdk = try makeSDK(shares: true)
        #expect(!sdk.removesLocalTokens)
        sdk.removesLocalTokens = true
        let before = try main.app.interface.snapshot().tokenModifyCounter
        sdk.tokenStore.removeLocalToken(withName: "T")
        #expect(try main.app.interface.snapshot().tokenModifyCounter == before + 1)
        #expect(!main.store.hasLocalToken(withName: "T"))
        #expect(main.store.hasLocalToken(withName: "U"))
        sdk.tokenStore.removeAllLocalTokens()
        #expect(!main.store.hasLocalToken(withName: "V"))
        sdk.removesLocalTokens = false
        main.put("W")
        sdk.tokenStore.removeAllLocalTokens()
        #expect(main.store.hasLocalToken(withName: "W"))
    }

    @Test func `With the switch a token's header has the version of the application's`() throws {
        try main.app.save(StoredStates.version6)
        main.put("T")
        let sdk = try makeSDK()
        #expect(!sdk.usesApplicationHeaderVersion)
        sdk.usesApplicationHeaderVersion = true
        let token = try #require(sdk.tokenStore.localToken(withName: "T"))
        let header = try TokenHeader(parsing: token.generateHeader()?.value)
        #expect(header.version == .v3_3)
        #expect(try header.isAuthentic(secret: TokenSecret(Data((0..<16).map { UInt8($0) }))))
        sdk.usesApplicationHeaderVersion = false
        #expect(try TokenHeader(parsing: token.generateHeader()?.value).version == .v3_1)
    }

    @Test func `Without a suite the object and the trace report that a reinstallation cannot be recognised`() throws {
        let directory = try TemporaryDirectory()
        let sandbox = try device.sandbox(
            for: AppSpec(
                name: "intents", kind: .appExtension, bundleIdentifier: "com.example.main.intents",
                appGroups: [SharingApp.appGroup], keychainAccessGroups: [SharingApp.accessGroup],
                powerAuth: PowerAuthSpec(sdk: .extensions, instanceId: SharingApp.instanceId)),
            traceDirectory: directory.path)
        let warnings = {
            try TraceReader.readAll(directory.path).filter { $0.name == .configurationIncomplete }
                .map { $0.fields["cause"] }
        }
        #expect(try makeSDK(on: sandbox).canRecogniseReinstallation)
        #expect(try warnings() == [])
        #expect(try !makeSDK(suite: nil, on: sandbox).canRecogniseReinstallation)
        #expect(try warnings() == ["userDefaultsSuiteMissing"])
    }

    @Test func `A token is not deleted while the extension cannot tell which activation there is`() throws {
        try main.app.save(StoredStates.version6)
        main.put("T")
        main.app.sandbox.defaults(suite: SharingApp.appGroup)?.removeObject(forKey: PowerAuthKeychain_Initialized)
        #expect(try !makeSDK().tokenStore.hasLocalToken(withName: "T"))
        #expect(main.records.record(named: "T") != nil)
    }

    @Test func `A token is not deleted because the state could not be read`() throws {
        try main.app.save(StoredStates.version6)
        main.put("T")
        let store = try makeSDK().tokenStore
        try device.faults.arm(FaultRule(point: .keychainRead, process: "widget", action: .fail("EIO")))
        #expect(!store.hasLocalToken(withName: "T"))
        #expect(store.hasLocalToken(withName: "T"))
    }

    @Test func `An extension with the sharing configuration notifies the applications of its changes`() throws {
        try main.app.save(StoredStates.version6)
        main.put("old", activationId: "c564e700-7e86-4a87-b6c8-a5a0cc89683f")
        let before = try main.app.interface.snapshot().tokenModifyCounter
        #expect(try !makeSDK(shares: true).tokenStore.hasLocalToken(withName: "old"))
        #expect(try main.app.interface.snapshot().tokenModifyCounter == before + 1)
    }

    @Test
    func `An extension that was started before the first unlock of the device uses the applications' lock after it`()
        throws
    {
        try main.app.save(StoredStates.version6)
        main.put("old", activationId: "c564e700-7e86-4a87-b6c8-a5a0cc89683f")
        let before = try main.app.interface.snapshot().tokenModifyCounter
        try sandbox.security.changeState { $0.reboot() }
        let sdk = try makeSDK(shares: true)
        #expect(!sdk.hasValidActivation())
        #expect(!sdk.tokenStore.hasLocalToken(withName: "old"))
        // The same boot continues, with the memory that the application has open.
        try sandbox.security.changeState { $0.unlock() }
        #expect(sdk.hasValidActivation())
        #expect(!sdk.tokenStore.hasLocalToken(withName: "old"))
        #expect(try main.app.interface.snapshot().tokenModifyCounter == before + 1)
    }

    @Test func `An extension that shares through another memory than the applications is refused as they are`() throws {
        #expect(
            throws: InvalidConfiguration.sharedMemoryNameDiffers(
                used: SharingApp.appGroup + ".ext", expected: SharingApp.appGroup + ".Ez3P")
        ) {
            try makeSDK(shares: true, memoryIdentifier: "ext")
        }
        #expect(throws: InvalidConfiguration.sharedMemoryIdentifierInvalid("a/b")) {
            try makeSDK(shares: true, memoryIdentifier: "a/b")
        }
        #expect(throws: SystemError.self) { try sandbox.sharedMemory.open(name: SharingApp.appGroup + ".ext") }
    }

    @Test func `An extension follows the applications into another memory`() throws {
        try main.app.save(StoredStates.version6)
        main.put("old", activationId: "c564e700-7e86-4a87-b6c8-a5a0cc89683f")
        let store = try makeSDK(shares: true).tokenStore
        try sandbox.sharedMemory.unlink(name: SharingApp.appGroup + ".Ez3P")
        #expect(!store.hasLocalToken(withName: "old"))
        #expect(try main.app.interface.snapshot().tokenModifyCounter == 2)
    }

    @Test func `The configuration is a copy at each access`() throws {
        let sdk = try makeSDK()
        sdk.configuration.disableAutomaticProtocolUpgrade = true
        #expect(!sdk.configuration.disableAutomaticProtocolUpgrade)
    }

    @Test func `An extension that shares nothing deletes records without any lock, as the original does`() throws {
        try main.app.save(StoredStates.version6)
        main.put("T")
        let before = try main.app.interface.snapshot().tokenModifyCounter
        let sdk = try makeSDK()
        sdk.removesLocalTokens = true
        sdk.tokenStore.removeLocalToken(withName: "T")
        #expect(main.records.record(named: "T") == nil)
        #expect(try main.app.interface.snapshot().tokenModifyCounter == before, "the applications are not notified")
    }
}
