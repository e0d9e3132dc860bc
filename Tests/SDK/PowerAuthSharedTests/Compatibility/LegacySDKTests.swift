// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import SimulatedDevice
import TestSupport
import Testing

/// The SDK's functions under their names up to 1.8 (extensions-and-legacy-names.md, sections 5.3 and 11).
@Suite("SDK calls of older SDKs", .endsInTime)
struct LegacySDKTests {
    @available(*, deprecated)
    @Test(arguments: [0, 1, 2]) func `Committing is persisting`(form: Int) async throws {
        let fixture = try SDKFixture()
        _ = try await fixture.createActivation().get()
        switch form {
        case 0: try fixture.sdk.commitActivation(withPassword: SDKFixture.password)
        case 1:
            try fixture.sdk.commitActivation(withPassword: PowerAuthCorePassword(string: SDKFixture.password))
        default: try fixture.sdk.commitActivation(with: .commitWithPassword(password: SDKFixture.password))
        }
        #expect(fixture.sdk.hasValidActivation() && fixture.sdk.restoreState())
        #expect(await fixture.validate(SDKFixture.password) == nil)
        #expect(throws: NSError.self) { try fixture.sdk.commitActivation(withPassword: SDKFixture.password) }
    }

    @available(*, deprecated)
    @Test func `The status comes with its custom object`() async throws {
        let fixture = try await SDKFixture.activated()
        let sdk = fixture.sdk
        #expect(sdk.lastFetchedCustomObject == nil)
        let isSame: Bool = await callback { report in
            sdk.fetchActivationStatus {
                (status: PowerAuthActivationStatus?, object: [String: Any]?, error: (any Error)?) in
                report(
                    error == nil && status != nil
                        && NSDictionary(dictionary: object ?? [:])
                            == NSDictionary(dictionary: status?.customObject ?? [:])
                )
            }
        }
        #expect(isSame)
        #expect((sdk.lastFetchedCustomObject == nil) == (sdk.lastFetchedActivationStatus?.customObject == nil))
    }

    @available(*, deprecated)
    @Test func `The password is validated under the old name`() async throws {
        let fixture = try await SDKFixture.activated()
        #expect(await failure { fixture.sdk.validatePasswordCorrect(SDKFixture.password, callback: $0) } == nil)
        let error = await failure { fixture.sdk.validatePasswordCorrect("wrong", callback: $0) }
        #expect(error?.powerAuthErrorCode == .networkError)
    }

    @available(*, deprecated)
    @Test func `The token store cancels a task`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.order(.hold, for: "/pa/v3/token/create")
        let store = fixture.sdk.tokenStore
        let task = try #require(
            store.requestAccessToken(withName: "A", authentication: .possession()) { _, _ in
                Issue.record("a cancelled request was reported")
            })
        store.cancelTask(task)
        #expect(task.isCancelled)
        fixture.server.release("/pa/v3/token/create")
    }

    @available(*, deprecated)
    @Test func `Biometry is reached under the old names`() async throws {
        let fixture = try await SDKFixture.activated()
        let error = await failure { fixture.sdk.addBiometryFactor(SDKFixture.password, callback: $0) }
        #expect(error?.powerAuthErrorCode == .biometryNotAvailable, "the device has none")
        let keys: ([String: Data]?, Bool) = await callback { report in
            fixture.sdk.unlockBiometryKeys(withPrompt: "Sign", with: { report(($0, $1)) })
        }
        #expect(keys.0 == nil && !keys.1)
    }

    @Test func `The shared instance is made once`() throws {
        let first = try SDKFixture()
        let second = try SDKFixture()
        // The process of a test is on no device, so that none of these makes an object.
        let configuration = try first.server.configuration
        PowerAuthSDK.initSharedInstance(configuration)
        PowerAuthSDK.initSharedInstance(configuration, keychainConfiguration: nil, clientConfiguration: nil)
        let objects = [PowerAuthSDK(configuration), PowerAuthSDK(configuration: configuration)]
        #expect(objects.allSatisfy { $0 == nil } && InvalidConfiguration.last != nil)
        PowerAuthSDK.initSharedInstance { nil }
        PowerAuthSDK.initSharedInstance { first.sdk }
        PowerAuthSDK.initSharedInstance { second.sdk }
        #expect(PowerAuthSDK.sharedInstance() === first.sdk, "after an unusable configuration the next one counts")
    }

    @available(*, deprecated)
    @Test func `The keychain reports to a completion`() async throws {
        let sandbox = try SDKFixture().sandbox
        let keychain = PowerAuthKeychain(identifier: "service", accessGroup: nil, system: sandbox.keychain)
        let value = Data("v".utf8)
        #expect(await callback { keychain.addValue(value, forKey: "k", completion: $0) } == .ok)
        #expect(await callback { keychain.addValue(value, forKey: "k", completion: $0) } == .duplicate)
        #expect(await callback { keychain.updateValue(Data("w".utf8), forKey: "k", completion: $0) } == .ok)
        #expect(await callback { keychain.containsData(forKey: "k", completion: $0) } == true)
        let read: (Data?, OSStatus) = await callback { report in keychain.data(forKey: "k") { report(($0, $1)) } }
        #expect(read.0 == Data("w".utf8) && read.1 == errSecSuccess)
        // An item that nothing protects needs no dialog.
        #expect(keychain.data(forKey: "k", status: nil, prompt: "Sign") == Data("w".utf8))
        #expect(keychain.allItems(withPrompt: "Sign")?.count == 1)
        #expect(await callback { keychain.deleteData(forKey: "k", completion: $0) } == true)
        #expect(await callback { keychain.deleteData(forKey: "k", completion: $0) } == false)
    }
}
