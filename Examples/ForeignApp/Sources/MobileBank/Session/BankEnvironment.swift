// SPDX-License-Identifier: Apache-2.0

import BankShared
import Foundation
import PowerAuth2
import WultraMobileTokenSDK
import WultraPowerAuthNetworking

/// Where the bank is, and how the app speaks with it.
public struct BankEnvironment {
    public let server: URL
    /// Of the bank's mobile team, for this app.
    public let sdkConfiguration: String
    public let keychainGroup: String?
    public let pinning: PinnedCertificates?

    public init(server: URL, sdkConfiguration: String, keychainGroup: String? = nil, pinning: PinnedCertificates? = nil)
    {
        self.server = server
        self.sdkConfiguration = sdkConfiguration
        self.keychainGroup = keychainGroup
        self.pinning = pinning
    }

    /// - Returns: nil when the SDK refuses the configuration.
    public func makePowerAuth() -> PowerAuthSDK? {
        let configuration = PowerAuthConfiguration(
            instanceId: Bundle.main.bundleIdentifier ?? "com.example.mobilebank",
            baseEndpointUrl: server.appendingPathComponent("enrollment-server").absoluteString,
            configuration: sdkConfiguration)
        guard configuration.validate() else { return nil }

        let keychain = PowerAuthKeychainConfiguration()
        keychain.keychainAttribute_AccessGroup = keychainGroup
        keychain.keychainAttribute_UserDefaultsSuiteName = GroupDefaults.suiteName
        keychain.linkBiometricItemsToCurrentSet = true

        let client = PowerAuthClientConfiguration()
        client.defaultRequestTimeout = 15
        client.sslValidationStrategy = pinning
        client.requestInterceptors = [
            PowerAuthCustomHeaderRequestInterceptor(headerKey: "X-Channel", value: "mobile"), CorrelationInterceptor(),
        ]
        return PowerAuthSDK(
            configuration: configuration, keychainConfiguration: keychain, clientConfiguration: client)
    }

    public var networking: WPNConfig {
        WPNConfig(
            baseUrl: server.appendingPathComponent("enrollment-server"),
            sslValidation: pinning.map { .sslPinning($0) } ?? .default, timeoutIntervalForRequest: 15)
    }

    public func makeOperations(for powerAuth: PowerAuthSDK) -> WMTOperations {
        let operations = powerAuth.createWMTOperations(
            networkingConfig: networking, pollingOptions: .pauseWhenOnBackground,
            customUserOperationType: BankOperation.self)
        operations.acceptLanguage = Locale.preferredLanguages.first ?? "en"
        return operations
    }
}

/// Lets the bank's people find a request in their logs.
final class CorrelationInterceptor: PowerAuthHttpRequestInterceptor {
    func processRequest(_ request: NSMutableURLRequest) {
        request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Correlation-Id")
    }
}
