// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import PowerAuthProtocol
import PowerAuthShared
import TestSupport
import Testing

@Suite("Defaults and limits of the configurations (sdk.md, section 5)", .endsInTime)
struct ConfigurationDefaultTests {
    @Test func `Of the client`() {
        let client = PowerAuthClientConfiguration()
        #expect(client.defaultRequestTimeout == 20)
        #expect(client.sslValidationStrategy == nil && client.requestInterceptors == nil)
        #expect(client.userAgent == PowerAuthSystem.defaultUserAgent())
    }

    @Test func `Of the keychain, with the vendor's names`() {
        let keychain = PowerAuthKeychainConfiguration()
        #expect(
            keychain.keychainAttribute_AccessGroup == nil && keychain.keychainAttribute_UserDefaultsSuiteName == nil)
        #expect(keychain.keychainInstanceName_Status == "io.getlime.PowerAuthKeychain.StatusKeychain")
        #expect(keychain.keychainInstanceName_Possession == "io.getlime.PowerAuthKeychain.PossessionKeychain")
        #expect(keychain.keychainInstanceName_Biometry == "io.getlime.PowerAuthKeychain.BiometryKeychain")
        #expect(keychain.keychainInstanceName_TokenStore == "io.getlime.PowerAuthKeychain.TokenStore")
        #expect(keychain.keychainKey_Possession == "PA2KeychainKey_Possession")
        #expect(PowerAuthKeychain_Initialized == "io.getlime.PowerAuthKeychain.Initialized")
        #expect(!keychain.linkBiometricItemsToCurrentSet)
        #expect(!keychain.allowBiometricAuthenticationFallbackToDevicePasscode)
        #expect(keychain.invalidateLocalAuthenticationContextAfterUse)
    }

    @Test func `The protection of biometry keys follows two settings, and the passcode wins`() {
        for (isLinked, allowsPasscode, access) in [
            (false, false, PowerAuthKeychainItemAccess.anyBiometricSet), (true, false, .currentBiometricSet),
            (false, true, .anyBiometricSetOrDevicePasscode), (true, true, .anyBiometricSetOrDevicePasscode),
        ] {
            let keychain = PowerAuthKeychainConfiguration()
            keychain.linkBiometricItemsToCurrentSet = isLinked
            keychain.allowBiometricAuthenticationFallbackToDevicePasscode = allowsPasscode
            #expect(keychain.biometricItemAccess == access)
        }
    }

    @Test func `A sharing configuration sets the suite and the access group of the keychain's`() {
        let keychain = PowerAuthKeychainConfiguration()
        keychain.apply(
            PowerAuthSharingConfiguration(appGroup: "group", appIdentifier: "app", keychainAccessGroup: "access"))
        #expect(keychain.keychainAttribute_UserDefaultsSuiteName == "group")
        #expect(keychain.keychainAttribute_AccessGroup == "access")
    }

    private func activation() -> PowerAuthConfiguration {
        PowerAuthConfiguration(
            instanceId: "i", baseEndpointUrl: "http://localhost", configuration: SharingApp.configurationString)
    }

    /// Why a changed configuration is refused; nil when it is not.
    private func refusal(
        readsConfigurationString: Bool = true, _ change: (PowerAuthConfiguration) -> Void
    ) -> InvalidConfiguration? {
        let configuration = activation()
        change(configuration)
        return thrown { try configuration.check(readsConfigurationString: readsConfigurationString) }
            as? InvalidConfiguration
    }

    @Test func `Of an activation: it has what is required, and nothing else`() {
        let activation = activation()
        #expect(activation.keychainKey_Biometry == nil && activation.externalEncryptionKey == nil)
        #expect(activation.offlineSignatureComponentLength == 8)
        #expect(!activation.disableAutomaticProtocolUpgrade)
        #expect(activation.sharingConfiguration == nil)
    }

    @Test func `The limits of an activation's values are part of what is allowed`() {
        for length in [0, 3, 4, 8, 9] as [UInt] {
            let expected: InvalidConfiguration? =
                (4...8).contains(length) ? nil : .offlineSignatureComponentLength(actual: Int(length))
            #expect(refusal { $0.offlineSignatureComponentLength = length } == expected)
        }
        for count in [0, 1, 15, 16, 17] {
            let expected: InvalidConfiguration? =
                [0, 16].contains(count) ? nil : .externalEncryptionKeyLength(actual: count)
            #expect(refusal { $0.externalEncryptionKey = Data(count: count) } == expected)
        }
        let sharing = PowerAuthSharingConfiguration(appGroup: "", appIdentifier: "app", keychainAccessGroup: "access")
        #expect(refusal { $0.sharingConfiguration = sharing } == .appGroupEmpty)
        #expect(!sharing.validate() && !sharing.validateConfiguration())
    }

    @Test func `SDKs that do not use the configuration string do not refuse one`() {
        let odd = PowerAuthConfiguration(instanceId: "i", baseEndpointUrl: "http://localhost", configuration: "-")
        #expect(throws: InvalidConfiguration.self) { try odd.check() }
        #expect(throws: Never.self) { try odd.check(readsConfigurationString: false) }
        #expect(refusal(readsConfigurationString: false) { $0.instanceId = "" } == .instanceIdEmpty)
        #expect(refusal(readsConfigurationString: false) { $0.baseEndpointUrl = "" } == .baseEndpointUrlEmpty)
    }

    @Test func `The token stores of the three SDKs differ in these rules`() {
        func values(_ rules: TokenStoreRules) -> [Bool] {
            [
                rules.usesCache, rules.requiresAuthentication, rules.allowsLocalRemoval,
                rules.usesApplicationHeaderVersion,
            ]
        }
        #expect(values(.application) == [true, true, true, true])
        #expect(values(.appExtension) == [false, false, false, false])
        #expect(values(.watch) == [false, false, true, false])
        #expect(TokenStoreRules.application.headerVersion == .v3_3)
        #expect(TokenStoreRules.appExtension.headerVersion == .v3_1 && TokenStoreRules.watch.headerVersion == .v3_1)
        var changed = TokenStoreRules.watch
        changed.usesApplicationHeaderVersion = true
        #expect(changed.headerVersion == .v3_3)
        changed.usesApplicationHeaderVersion = false
        #expect(changed.headerVersion == .v3_1)
    }

    @Test func `A request is an empty POST of at most twenty seconds, to a server that the system judges`() throws {
        let request = HTTPRequest(url: try #require(URL(string: "http://localhost")))
        #expect(request.method == "POST" && request.timeout == 20)
        #expect(request.headers.isEmpty && request.body.isEmpty && request.progress == nil)
        #expect(request.serverTrust.authoritiesPath == nil && request.serverTrust.time == nil)
        #expect(request.serverTrust.judge == nil)
    }
}
