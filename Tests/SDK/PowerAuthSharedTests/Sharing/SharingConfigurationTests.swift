// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("What a sharing configuration may contain (sharing.md, section 3.2, and I-8)", .endsInTime)
struct SharingConfigurationTests {
    private func configuration(
        appGroup: String = "group.com.wultra.testGroup", appIdentifier: String = "app",
        memoryIdentifier: String? = nil
    ) -> PowerAuthSharingConfiguration {
        let configuration = PowerAuthSharingConfiguration(
            appGroup: appGroup, appIdentifier: appIdentifier, keychainAccessGroup: "LABTEAM001.shared")
        configuration.sharedMemoryIdentifier = memoryIdentifier
        return configuration
    }

    private func cause(_ configuration: PowerAuthSharingConfiguration) -> InvalidConfiguration? {
        thrown { try configuration.check() } as? InvalidConfiguration
    }

    @Test(.verifies("sharing.md", "I-8")) func `An application identifier has 1 to 127 bytes`() {
        #expect(configuration().validate() && configuration().validateConfiguration())
        #expect(!configuration(appIdentifier: "").validate())
        #expect(!configuration(appIdentifier: "").validateConfiguration())
        #expect(cause(configuration(appIdentifier: "")) == .applicationIdentifierEmpty)
        #expect(cause(configuration(appIdentifier: String(repeating: "a", count: 127))) == nil)
        #expect(
            cause(configuration(appIdentifier: String(repeating: "a", count: 128)))
                == .applicationIdentifierTooLong(limit: 127, actual: 128))
        #expect(
            cause(configuration(appIdentifier: String(repeating: "ä", count: 64)))
                == .applicationIdentifierTooLong(limit: 127, actual: 128))
    }

    @Test(
        .verifies("sharing.md", "I-8"),
        arguments: [(26, nil), (29, "x"), (28, "xy")])
    func `An app group leaves room for the identifier within 31 bytes`(longest: Int, memoryIdentifier: String?) {
        let fitting = "group." + String(repeating: "g", count: longest - 6)
        #expect(cause(configuration(appGroup: fitting, memoryIdentifier: memoryIdentifier)) == nil)
        #expect(
            cause(configuration(appGroup: fitting + "g", memoryIdentifier: memoryIdentifier))
                == .sharedMemoryNameTooLong(limit: 31, actual: 32))
        #expect(cause(configuration(appGroup: "")) == .appGroupEmpty)
    }

    @Test(.verifies("sharing.md", "I-8")) func `A memory identifier is 1 to 4 characters of its alphabet`() {
        for good in ["a", "+-Z9", "A0", "zzz"] {
            #expect(cause(configuration(memoryIdentifier: good)) == nil)
        }
        for bad in ["", "abcde", "a/b", "a_b", "a.b", "ä"] {
            #expect(cause(configuration(memoryIdentifier: bad)) == .sharedMemoryIdentifierInvalid(bad))
        }
    }

    @Test func `A process without the app group cannot share, which is a named error`() throws {
        let sandbox = try Sandbox.temporary(keychainAccessGroups: [SharingApp.accessGroup])
        #expect(throws: InvalidConfiguration.appGroupNotEntitled(SharingApp.appGroup)) {
            try SharingApp(in: sandbox, "app")
        }
    }

    @Test
    func `Before the first unlock of the device no application can share, and no missing entitlement is reported`()
        throws
    {
        let sandbox = try SharingApp.sandbox("app", on: TemporaryDevice())
        try sandbox.security.changeState { $0.reboot() }
        let error = #expect(throws: InvalidConfiguration.self) { try SharingApp(in: sandbox, "app") }
        #expect(error == .deviceNotUnlocked)
        #expect(error?.mayPass == true)
        try sandbox.security.changeState { $0.unlock() }
        #expect(try SharingApp(in: sandbox, "app").interface.canStartActivation())
    }

    @Test
    func `An instance identifier whose computed memory identifier is taken is refused, and nothing changes`() throws {
        let device = try TemporaryDevice()
        let first = try SharingApp("first", on: device, instanceId: "inst7617")
        #expect(throws: InvalidConfiguration.sharedMemoryForeignInstance(name: SharingApp.appGroup + ".pT1l")) {
            try SharingApp("second", on: device, instanceId: "inst7741")
        }
        #expect(try first.interface.snapshot().stateModifyCounter == 1)
    }

    @Test func `Applications with different memory identifiers get a named error`() throws {
        let device = try TemporaryDevice()
        let first = try SharingApp("first", on: device)
        #expect(
            throws: InvalidConfiguration.sharedMemoryNameDiffers(
                used: SharingApp.appGroup + ".zz", expected: SharingApp.appGroup + ".Ez3P")
        ) {
            try SharingApp("second", on: device, memoryIdentifier: "zz")
        }
        withExtendedLifetime(first) {}
    }

    @Test func `The SDK's copy is deep: what the application passed in does not change`() {
        let original = PowerAuthConfiguration(
            instanceId: "i", baseEndpointUrl: "http://localhost", configuration: SharingApp.configurationString)
        original.sharingConfiguration = configuration()
        let copy = original.copy()
        copy.sharingConfiguration?.sharedMemoryIdentifier = "zz"
        #expect(original.sharingConfiguration?.sharedMemoryIdentifier == nil)
    }

    @Test func `A configuration is refused for its first broken rule`() {
        let good = PowerAuthConfiguration(
            instanceId: "i", baseEndpointUrl: "http://localhost", configuration: SharingApp.configurationString)
        #expect(good.validate())
        #expect(
            !PowerAuthConfiguration(
                instanceId: "", baseEndpointUrl: "http://localhost", configuration: SharingApp.configurationString
            ).validate())
        #expect(
            !PowerAuthConfiguration(
                instanceId: "i", baseEndpointUrl: "", configuration: SharingApp.configurationString
            ).validate())
        for text in ["", "AAAA", "not base64!"] {
            #expect(
                !PowerAuthConfiguration(
                    instanceId: "i", baseEndpointUrl: "http://localhost", configuration: text
                ).validate())
        }
        good.offlineSignatureComponentLength = 3
        #expect(throws: InvalidConfiguration.offlineSignatureComponentLength(actual: 3)) { try good.check() }
    }
}
