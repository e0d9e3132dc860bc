// SPDX-License-Identifier: Apache-2.0

import Foundation
// An application imports only the SDK's module (sdk.md, section 3, item 1).
@_exported public import PowerAuthShared
package import SimulatedDevice

/// PowerAuth in an app extension: it sees whether the application has an activation, and uses the application's tokens
/// (sharing.md, section 18). No network, no signatures.
///
/// Thread rule: any thread. Every call reads the keychain.
public final class PowerAuthExtensionSDK: PowerAuthSessionStatusProvider, Sendable {
    private let state: ApplicationState
    private let keychainTokenStore: KeychainTokenStore
    private let makeConfiguration: @Sendable () -> PowerAuthConfiguration

    /// Connects to the data of the application. Every name must equal the application's; only a sharing configuration is
    /// checked.
    /// - Parameters:
    ///   - configuration: copied; its `instanceId` and its sharing configuration are used.
    ///   - keychainConfiguration: access group, defaults suite and service names.
    /// - Returns: nil when the sharing configuration does not agree with that of the applications; the log and the trace
    ///   name the cause.
    public convenience init?(
        configuration: PowerAuthConfiguration, keychainConfiguration: PowerAuthKeychainConfiguration
    ) {
        do throws(InvalidConfiguration) {
            try self.init(checking: configuration, keychain: keychainConfiguration)
        } catch {
            return nil
        }
    }

    /// As the failable initialiser, but reports why a configuration is refused.
    /// - Throws: the cause, which the log and the trace name too.
    package convenience init(
        checking configuration: PowerAuthConfiguration, keychain: PowerAuthKeychainConfiguration
    ) throws(InvalidConfiguration) {
        let sandbox = Sandbox.current
        do throws(InvalidConfiguration) {
            try self.init(configuration: configuration, keychainConfiguration: keychain, sandbox: sandbox)
        } catch {
            error.report(in: sandbox)
            throw error
        }
    }

    /// - Parameters:
    ///   - configuration: copied; its `instanceId` and its sharing configuration are used.
    ///   - keychainConfiguration: access group, defaults suite and service names.
    ///   - sandbox: the device.
    package init(
        configuration: PowerAuthConfiguration, keychainConfiguration: PowerAuthKeychainConfiguration, sandbox: Sandbox
    ) throws(InvalidConfiguration) {
        let template = UncheckedTransfer(configuration.copy())
        // Only copied from here on, so the threads that copy do not disturb each other.
        makeConfiguration = { template.value.copy() }
        let state = ApplicationState(
            instanceId: configuration.instanceId,
            keychain: PowerAuthKeychain(
                identifier: keychainConfiguration.keychainInstanceName_Status,
                accessGroup: keychainConfiguration.keychainAttribute_AccessGroup, system: sandbox.keychain),
            suiteName: keychainConfiguration.keychainAttribute_UserDefaultsSuiteName, sandbox: sandbox)
        self.state = state
        let tokens = PowerAuthKeychain(
            identifier: keychainConfiguration.keychainInstanceName_TokenStore,
            accessGroup: keychainConfiguration.keychainAttribute_AccessGroup, system: sandbox.keychain)
        keychainTokenStore = KeychainTokenStore(
            rules: .appExtension,
            environment: TokenStoreEnvironment(
                activation: { state.activation() }, currentTime: { sandbox.clock.now().timeIntervalSince1970 }),
            records: TokenRecordStore(keychain: tokens, instanceId: configuration.instanceId, sandbox: sandbox),
            lock: try Self.tokenLock(configuration, sandbox))
        if !canRecogniseReinstallation { state.reportMissingSuite() }
    }

    /// A copy of the configuration.
    public var configuration: PowerAuthConfiguration { makeConfiguration() }
    /// The application's tokens. They can be used, but not requested, and removed only with ``removesLocalTokens``.
    public var tokenStore: any PowerAuthTokenStore { keychainTokenStore }

    /// Whether `removeLocalToken(withName:)` and `removeAllLocalTokens()` delete the application's tokens, as they did up
    /// to version 1.6. By default they log an error and do nothing (extensions-and-legacy-names.md, section 6).
    ///
    /// The application learns of a removal if the extension's configuration states how they share.
    public var removesLocalTokens: Bool {
        get { keychainTokenStore.rules.allowsLocalRemoval }
        set { keychainTokenStore.changeRules { $0.allowsLocalRemoval = newValue } }
    }

    /// Whether headers of tokens have the protocol version of the application's, whose digest covers the version. By
    /// default they have version 3.1. The time in them is the device's in both, which the extension cannot synchronise
    /// (extensions-and-legacy-names.md, section 12, item 5).
    public var usesApplicationHeaderVersion: Bool {
        get { keychainTokenStore.rules.usesApplicationHeaderVersion }
        set { keychainTokenStore.changeRules { $0.usesApplicationHeaderVersion = newValue } }
    }

    /// False without `keychainAttribute_UserDefaultsSuiteName`: after a reinstallation of the application, the
    /// extension still reports the previous activation until the application has run (extensions-and-legacy-names.md,
    /// section 12, item 7).
    public var canRecogniseReinstallation: Bool { state.suiteName != nil }
    /// Identifier of the application's activation, or nil. A pending activation cannot be seen.
    public var activationIdentifier: String? { state.activation().identifier }

    /// True when the application has a persisted activation. The server may have blocked or removed it.
    public func hasValidActivation() -> Bool { activationIdentifier != nil }
    /// Always false: an extension does not activate.
    public func canStartActivation() -> Bool { false }
    /// Always false: it cannot be seen.
    public func hasPendingActivation() -> Bool { false }
    /// Always false: it cannot be seen.
    public func hasPendingProtocolUpgrade() -> Bool { false }
    /// Always false: it cannot be seen.
    public func hasProtocolUpgradeAvailable() -> Bool { false }

    /// The original writes without any lock (sharing.md, D28). Here the applications' lock is used if the configuration
    /// states how they share; an extension that shares something else is refused as an application is.
    private static func tokenLock(
        _ configuration: PowerAuthConfiguration, _ sandbox: Sandbox
    ) throws(InvalidConfiguration) -> any TokenStoreLock {
        guard let sharing = configuration.sharingConfiguration else { return UnlockedTokenStore() }
        try sharing.check()
        let instanceId = configuration.instanceId
        do {
            return try SharedTokenLock(sharing: sharing, instanceId: instanceId, sandbox: sandbox)
        } catch {
            guard error.mayPass else { throw error }
            error.report(in: sandbox)
            let settings = UncheckedTransfer(sharing.copy())
            return DeferredTokenLock { () throws(InvalidConfiguration) in
                try SharedTokenLock(sharing: settings.value, instanceId: instanceId, sandbox: sandbox)
            }
        }
    }
}
