// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import TestSupport
import Testing

/// The configuration in the style up to 1.7 (extensions-and-legacy-names.md, sections 5.1 and 11).
@Suite("Configurations in the style of older SDKs", .endsInTime)
struct LegacyConfigurationTests {
    private let key = Data(0..<16).base64EncodedString()
    private let secret = Data(16..<32).base64EncodedString()
    private let master = Data([2] + Array(repeating: 9, count: 32)).base64EncodedString()

    @available(*, deprecated)
    @Test func `The three keys make the configuration string`() {
        let old = PowerAuthConfiguration()
        old.instanceId = "id"
        old.baseEndpointUrl = "https://example.com"
        #expect(!old.validateConfiguration(), "keys are missing")
        old.appKey = key
        old.appSecret = secret
        #expect(!old.validateConfiguration() && old.configuration.isEmpty, "one key is missing")
        old.masterServerPublicKey = master
        #expect(old.validate())
        #expect(
            old.configuration
                == PowerAuthCoreSessionSetup.buildConfiguration(appKey: key, appSecret: secret, publicKey: master))
    }

    @available(*, deprecated)
    @Test func `A malformed key is refused and may be corrected`() {
        let old = PowerAuthConfiguration()
        old.instanceId = "id"
        old.baseEndpointUrl = "https://example.com"
        old.appKey = "sbG8gd...MTIzNA=="
        old.appSecret = secret
        old.masterServerPublicKey = master
        #expect(!old.validate() && old.appKey == "sbG8gd...MTIzNA==")
        old.appKey = key
        #expect(old.validate())
    }

    @available(*, deprecated)
    @Test func `The keys of a configuration string can be read`() throws {
        let string = try #require(
            PowerAuthCoreSessionSetup.buildConfiguration(appKey: key, appSecret: secret, publicKey: master))
        let configuration = PowerAuthConfiguration(instanceId: "i", baseEndpointUrl: "u", configuration: string)
        #expect(configuration.appKey == key && configuration.appSecret == secret)
        #expect(configuration.masterServerPublicKey == master)
    }

    @available(*, deprecated)
    @Test func `A copy keeps incomplete values`() {
        let old = PowerAuthConfiguration()
        old.appKey = key
        let copy = old.copy()
        copy.appSecret = secret
        copy.masterServerPublicKey = master
        #expect(copy.appKey == key && !copy.configuration.isEmpty)
        #expect(old.appSecret.isEmpty && old.configuration.isEmpty)
    }

    @available(*, deprecated)
    @Test func `An activation made in either style is the same`() async throws {
        let fixture = try await SDKFixture.activated()
        let old = PowerAuthConfiguration()
        let current = try fixture.server.configuration
        old.instanceId = current.instanceId
        old.baseEndpointUrl = current.baseEndpointUrl
        old.appKey = current.appKey
        old.appSecret = current.appSecret
        old.masterServerPublicKey = current.masterServerPublicKey
        let sdk = try PowerAuthSDK(
            configuration: old, clientConfiguration: .patient, sandbox: fixture.sandbox, transport: fixture.server)
        #expect(sdk.activationFingerprint == fixture.sdk.activationFingerprint)
        #expect(await failure { sdk.validatePassword(password: SDKFixture.password, callback: $0) } == nil)
    }
}
