// SPDX-License-Identifier: Apache-2.0

// An application that imports only `WultraMobileTokenSDK` sees what its functions take and give, as the manual's samples
// do.
@_exported public import PowerAuth2
@_exported public import WultraPowerAuthNetworking

// Services of the activation of an SDK object, each with a networking service of its own (mobile-token.md, section 5.1).
extension PowerAuthSDK {
    /// Makes an operations service.
    /// - Parameters:
    ///   - networkingConfig: where the server is, and how it is asked.
    ///   - pollingOptions: how the service polls.
    public func createWMTOperations(
        networkingConfig: WPNConfig, pollingOptions: WMTOperationsPollingOptions = []
    ) -> any WMTOperations {
        createWMTOperations(
            networkingConfig: networkingConfig, pollingOptions: pollingOptions,
            customUserOperationType: WMTUserOperation.self)
    }

    /// Makes an operations service whose operations are of a class of the app.
    public func createWMTOperations<T: WMTUserOperation>(
        networkingConfig: WPNConfig, pollingOptions: WMTOperationsPollingOptions = [], customUserOperationType: T.Type
    ) -> any WMTOperations {
        service("WMTOperations", networkingConfig).createWMTOperations(
            pollingOptions: pollingOptions, customUserOperationType: customUserOperationType)
    }

    /// Makes a push service.
    public func createWMTPush(networkingConfig: WPNConfig) -> any WMTPush {
        service("WMTPush", networkingConfig).createWMTPush()
    }

    /// Makes an inbox service.
    public func createWMTInbox(networkingConfig: WPNConfig) -> any WMTInbox {
        service("WMTInbox", networkingConfig).createWMTInbox()
    }

    private func service(_ name: String, _ config: WPNConfig) -> WPNNetworkingService {
        WPNNetworkingService(powerAuth: self, config: config, serviceName: name)
    }
}

// Services that share a networking service, and with it the language.
extension WPNNetworkingService {
    /// Makes an operations service.
    /// - Parameter pollingOptions: how the service polls.
    public func createWMTOperations(pollingOptions: WMTOperationsPollingOptions = []) -> any WMTOperations {
        createWMTOperations(pollingOptions: pollingOptions, customUserOperationType: WMTUserOperation.self)
    }

    /// Makes an operations service whose operations are of a class of the app.
    public func createWMTOperations<T: WMTUserOperation>(
        pollingOptions: WMTOperationsPollingOptions = [], customUserOperationType: T.Type
    ) -> any WMTOperations {
        OperationsService<T>(self, pollingOptions: pollingOptions)
    }

    /// Makes a push service.
    public func createWMTPush() -> any WMTPush { PushService(self) }
    /// Makes an inbox service.
    public func createWMTInbox() -> any WMTInbox { InboxService(self) }
}
