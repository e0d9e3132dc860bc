public import Foundation
public import PowerAuth2
public import WultraPowerAuthNetworking

/// Which servers are trusted.
public typealias WMTSSLValidationStrategy = WPNSSLValidationStrategy
/// Decides which servers are trusted.
public typealias WMTPinningProvider = WPNPinningProvider
/// The name of version 1.0.
public typealias Cancellable = WMTCancellable

/// The server's addresses, as configured in version 1.0 (mobile-token.md, section 4).
public struct WMTConfig {
    /// Where the endpoints are.
    public let baseUrl: URL
    /// Which servers are trusted.
    public let sslValidation: WMTSSLValidationStrategy

    /// - Parameters:
    ///   - baseUrl: where the endpoints are.
    ///   - sslValidation: which servers are trusted.
    public init(baseUrl: URL, sslValidation: WMTSSLValidationStrategy) {
        self.baseUrl = baseUrl
        self.sslValidation = sslValidation
    }

    init(_ config: WPNConfig) {
        self.init(baseUrl: config.baseUrl, sslValidation: config.sslValidation)
    }

    fileprivate var networking: WPNConfig { WPNConfig(baseUrl: baseUrl, sslValidation: sslValidation) }
}

// The factories of version 1.0.
extension PowerAuthSDK {
    /// Makes an operations service.
    public func createWMTOperations(config: WMTConfig) -> any WMTOperations {
        createWMTOperations(networkingConfig: config.networking)
    }

    /// Makes a push service.
    public func createWMTPush(config: WMTConfig) -> any WMTPush {
        createWMTPush(networkingConfig: config.networking)
    }
}
