// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PowerAuth2
public import WultraPowerAuthNetworking

// The functions of version 1.0, on the engine of today (mobile-token.md, section 4). Completions run on the main queue.
extension WMTOperations {
    /// Only services of the SDK know their server; another implementation provides it itself.
    public var config: WMTConfig {
        preconditionFailure("\(type(of: self)) does not provide its configuration: implement `config`.")
    }

    /// Approves an operation; see ``authorize(operation:with:completion:)``.
    @discardableResult
    public func authorize(
        operation: WMTUserOperation, authentication: PowerAuthAuthentication, completion: @escaping (WMTError?) -> Void
    ) -> Operation? {
        authorize(operation: operation, with: authentication) { completion($0.error) }
    }

    /// Rejects an operation; see ``reject(operation:with:completion:)``.
    @discardableResult
    public func reject(
        operation: WMTUserOperation, reason: WMTRejectionReason, completion: @escaping (WMTError?) -> Void
    ) -> Operation? {
        reject(operation: operation, with: reason) { completion($0.error) }
    }

    /// Loads the list at once, and then again and again.
    /// - Parameter interval: seconds between two loads; 5 at least.
    public func startPollingOperations(interval: TimeInterval) {
        startPollingOperations(interval: interval, delayStart: false)
    }
}

// Until version 1.12.0 the history had entries of an operation and its status. Since then the operation has its status
// (mobile-token.md, section 5.2).

/// An operation of the history; the name until version 1.12.0.
public typealias WMTOperationHistoryEntry = WMTUserOperation
/// The status of an operation of the history; the name until version 1.12.0.
public typealias WMTOperationHistoryEntryStatus = WMTUserOperation.Status

extension WMTOperationHistoryEntry {
    /// The operation itself: what an entry of the history had beside its status until version 1.12.0.
    public var operation: WMTUserOperation { self }
}

extension WMTPush {
    /// Only services of the SDK know their server; another implementation provides it itself.
    public var config: WMTConfig {
        preconditionFailure("\(type(of: self)) does not provide its configuration: implement `config`.")
    }

    /// Registers the push token of this device with the server; see
    /// ``registerDeviceTokenForPushNotifications(token:completion:)``.
    @discardableResult
    public func registerDeviceTokenForPushNotifications(
        token: Data, completionHandler: @escaping (_ success: Bool, _ error: WMTError?) -> Void
    ) -> Operation? {
        registerDeviceTokenForPushNotifications(token: token) { (result: Result<Void, WMTError>) in
            completionHandler(result.error == nil, result.error)
        }
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}

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

    init(_ config: WPNConfig) { self.init(baseUrl: config.baseUrl, sslValidation: config.sslValidation) }

    fileprivate var networking: WPNConfig { WPNConfig(baseUrl: baseUrl, sslValidation: sslValidation) }
}

// The factories of version 1.0.
extension PowerAuthSDK {
    /// Makes an operations service.
    public func createWMTOperations(config: WMTConfig) -> any WMTOperations {
        createWMTOperations(networkingConfig: config.networking)
    }

    /// Makes a push service.
    public func createWMTPush(config: WMTConfig) -> any WMTPush { createWMTPush(networkingConfig: config.networking) }
}
