// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import TestSupport
import Testing

@testable import PowerAuthShared

/// sdk.md, section 5: an SDK object keeps a deep copy of what it was made with.
@Suite("A copy of a configuration has every value of it", .endsInTime)
struct ConfigurationCopyTests {
    /// The stored properties, each as text.
    private func values(_ object: Any) -> [String: String] {
        Dictionary(uniqueKeysWithValues: Mirror(reflecting: object).children.map { ($0.label ?? "", "\($0.value)") })
    }

    /// Compares a copy; no value may be the one that a fresh object has, or a forgotten one would not be seen.
    private func check(_ copy: Any, of changed: Any, fresh: Any) {
        let (copied, expected, defaults) = (values(copy), values(changed), values(fresh))
        for (name, value) in expected {
            #expect(value != defaults[name], "\(name) has its default")
            #expect(copied[name] == value, "\(name)")
        }
        #expect(expected.count >= 4 && copied.count == expected.count)
    }

    private final class Interceptor: PowerAuthHttpRequestInterceptor {
        func processRequest(_ request: NSMutableURLRequest) {}
    }

    private final class Strategy: PowerAuthClientSslValidationStrategy {
        func validateSsl(
            for session: URLSession, challenge: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {}
    }

    @Test func `Of the client`() {
        let changed = PowerAuthClientConfiguration()
        changed.defaultRequestTimeout = 7
        changed.sslValidationStrategy = Strategy()
        changed.requestInterceptors = [Interceptor()]
        changed.userAgent = "other"
        check(changed.copy(), of: changed, fresh: PowerAuthClientConfiguration())
    }

    @Test func `Of the keychain`() {
        let changed = PowerAuthKeychainConfiguration()
        changed.keychainAttribute_AccessGroup = "group"
        changed.keychainAttribute_UserDefaultsSuiteName = "suite"
        changed.keychainInstanceName_Status = "status"
        changed.keychainInstanceName_Possession = "possession"
        changed.keychainInstanceName_Biometry = "biometry"
        changed.keychainInstanceName_TokenStore = "tokens"
        changed.keychainKey_Possession = "key"
        changed.linkBiometricItemsToCurrentSet = true
        changed.allowBiometricAuthenticationFallbackToDevicePasscode = true
        changed.invalidateLocalAuthenticationContextAfterUse = false
        check(changed.copy(), of: changed, fresh: PowerAuthKeychainConfiguration())
    }

    @Test func `Of an activation, with a copy of its sharing`() throws {
        let changed = PowerAuthConfiguration(instanceId: "a", baseEndpointUrl: "b", configuration: "c")
        changed.separateKeys = PowerAuthConfiguration.SeparateKeys()
        changed.keychainKey_Biometry = "key"
        changed.externalEncryptionKey = Data([1])
        changed.disableAutomaticProtocolUpgrade = true
        changed.offlineSignatureComponentLength = 5
        let sharing = PowerAuthSharingConfiguration(
            appGroup: "group", appIdentifier: "app", keychainAccessGroup: "access")
        sharing.sharedMemoryIdentifier = "memory"
        changed.sharingConfiguration = sharing
        let copy = changed.copy()
        let copied = try #require(copy.sharingConfiguration)
        #expect(copied !== sharing)
        check(
            copied, of: sharing,
            fresh: PowerAuthSharingConfiguration(
                appGroup: "", appIdentifier: "", keychainAccessGroup: ""))
        // What it is has been looked at.
        copy.sharingConfiguration = sharing
        check(copy, of: changed, fresh: PowerAuthConfiguration(instanceId: "", baseEndpointUrl: "", configuration: ""))
    }

    @Test func `An SDK object gives copies of what it was made with`() throws {
        let sdk = try SDKFixture().sdk
        let (keychain, client) = (sdk.keychainConfiguration, sdk.clientConfiguration)
        let (key, agent) = (keychain.keychainKey_Possession, client.userAgent)
        keychain.keychainKey_Possession = "changed"
        client.userAgent = "changed"
        #expect(sdk.keychainConfiguration.keychainKey_Possession == key && key != "changed")
        #expect(sdk.clientConfiguration.userAgent == agent && agent != "changed")
    }
}
