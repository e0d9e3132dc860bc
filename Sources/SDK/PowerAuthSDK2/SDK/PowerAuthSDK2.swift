// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabHTTP
package import PowerAuth2
public import PowerAuthShared
package import SimulatedDevice
import Synchronization

/// One activation of the application, from its beginning to its end, in SDK 2.0 (docs/protocol-4.md).
///
/// New activations are those of ``PowerAuthConfiguration/algorithm``. An activation of protocol 3 works as in SDK 1.9 until
/// it is upgraded (``startProtocolUpgrade(with:biometry:callback:)``). Apps of both SDKs share one activation; those of SDK
/// 1.9 cannot use one of protocol 4.
///
/// Thread rule: any thread. Callbacks arrive on the main queue unless a function says otherwise; an error that is found
/// before anything is sent arrives before the function returns, which then returns nil instead of a task.
///
/// Functions that look at the state may wait for another process that shares the activation, so never call them on the
/// concurrency runtime's cooperative pool.
public final class PowerAuthSDK: Sendable {
    /// The last fetched status, which belongs to one activation and lives in memory only.
    struct StatusCache: Sendable {
        var activationId: String?
        var status: PowerAuthActivationStatus?
    }

    /// What is in common with SDK 1.9: session, keys, requests and tokens; also activations of protocol 3.
    package let base: PowerAuth2.PowerAuthSDK
    private let settings: Mutex<UncheckedTransfer<PowerAuthConfiguration>>
    /// Whether new activations are those of protocol 4.
    let makesVersion4: Bool
    let statusCache = Mutex(StatusCache())
    let statusRequests = Mutex<GroupedTask<PowerAuthActivationStatus>?>(nil)

    /// Makes an SDK object and restores the stored activation.
    /// - Parameters:
    ///   - configuration: the activation and its server.
    ///   - keychainConfiguration: where things are stored; nil takes a copy of the shared object.
    ///   - biometricConfiguration: how the biometry factor is protected; nil leaves it to the keychain configuration.
    ///   - clientConfiguration: settings of the HTTP client; nil takes a copy of the shared object.
    /// - Throws: `wrongParameter` for an unusable configuration, with the cause as its text; log and trace name it, too.
    public convenience init(
        configuration: PowerAuthConfiguration, keychainConfiguration: PowerAuthKeychainConfiguration? = nil,
        biometricConfiguration: PowerAuthBiometricConfiguration? = nil,
        clientConfiguration: PowerAuthClientConfiguration? = nil
    ) throws {
        do throws(InvalidConfiguration) {
            try self.init(
                checking: configuration, keychain: keychainConfiguration, biometric: biometricConfiguration,
                client: clientConfiguration)
        } catch {
            throw NSError.powerAuth(
                .wrongParameter, "The configuration cannot be used: \(error).", underlying: error)
        }
    }

    /// As the public initialiser, but reports why a configuration is refused.
    /// - Throws: the cause, which the log and the trace name too.
    package convenience init(
        checking configuration: PowerAuthConfiguration, keychain: PowerAuthKeychainConfiguration? = nil,
        biometric: PowerAuthBiometricConfiguration? = nil, client: PowerAuthClientConfiguration? = nil
    ) throws(InvalidConfiguration) {
        let sandbox = Sandbox.currentIfEntered
        do throws(InvalidConfiguration) {
            guard let sandbox else { throw .notInSandbox }
            try self.init(
                configuration: configuration, keychainConfiguration: keychain, biometricConfiguration: biometric,
                clientConfiguration: client, sandbox: sandbox, transport: CurlTransport.shared)
        } catch {
            error.report(in: sandbox)
            throw error
        }
    }

    /// Makes an SDK object on a given device, with a given way to the network.
    package init(
        configuration: PowerAuthConfiguration, keychainConfiguration: PowerAuthKeychainConfiguration? = nil,
        biometricConfiguration: PowerAuthBiometricConfiguration? = nil,
        clientConfiguration: PowerAuthClientConfiguration? = nil, sandbox: Sandbox, transport: any HTTPTransport
    ) throws(InvalidConfiguration) {
        let keychain =
            biometricConfiguration.map { $0.applied(to: keychainConfiguration ?? .sharedInstance()) }
            ?? keychainConfiguration
        let suites = configuration.algorithm.suites
        base = try PowerAuth2.PowerAuthSDK(
            configuration: configuration.base, keychainConfiguration: keychain,
            clientConfiguration: clientConfiguration, suites: suites, sandbox: sandbox, transport: transport)
        makesVersion4 = !suites.isEmpty
        settings = Mutex(UncheckedTransfer(configuration.copy()))
    }

    deinit { cancelSharedRequests() }

    // MARK: Parts

    /// A copy of the configuration; changing it does not change the SDK object.
    public var configuration: PowerAuthConfiguration { settings.withLock { $0.value.copy() } }
    /// A copy of the keychain configuration; changing it does not change the SDK object.
    public var keychainConfiguration: PowerAuthKeychainConfiguration { base.keychainConfiguration }
    /// A copy of the client configuration; changing it does not change the SDK object.
    public var clientConfiguration: PowerAuthClientConfiguration { base.clientConfiguration }
    /// The tokens of the activation; those of protocol 4 have headers of version 4.0.
    public var tokenStore: any PowerAuthTokenStore { base.tokenStore }
    /// The server's time.
    public var timeSynchronizationService: any PowerAuthTimeSynchronizationService { base.timeSynchronizationService }

    /// Whether the activation is one of protocol 4.
    var hasVersion4Activation: Bool { base.client.hasVersion4Activation }

    /// Requires an activation, for calls that report its absence at once.
    func requireActivation() throws(NSError) {
        guard hasValidActivation() else { throw .powerAuth(.missingActivation) }
    }

    func cancelSharedRequests() {
        let running = statusRequests.withLock { running in
            defer { running = nil }
            return running
        }
        running?.cancel()
    }
}

/// One SDK object for applications that have a single activation.
extension PowerAuthSDK {
    private static let shared = Mutex<PowerAuthSDK?>(nil)

    /// Makes the shared object. Only the first call has an effect; after an error it may be repeated.
    /// - Throws: as the initialiser.
    public static func initSharedInstance(
        _ configuration: PowerAuthConfiguration, keychainConfiguration: PowerAuthKeychainConfiguration? = nil,
        biometricConfiguration: PowerAuthBiometricConfiguration? = nil,
        clientConfiguration: PowerAuthClientConfiguration? = nil
    ) throws {
        try shared.withLock { shared in
            guard shared == nil else { return }
            shared = try PowerAuthSDK(
                configuration: configuration, keychainConfiguration: keychainConfiguration,
                biometricConfiguration: biometricConfiguration, clientConfiguration: clientConfiguration)
        }
    }

    /// The shared object.
    ///
    /// Calling it before a successful `initSharedInstance` is a programming error and ends the process; the message names
    /// the cause.
    public static func sharedInstance() -> PowerAuthSDK {
        guard let instance = shared.withLock({ $0 }) else {
            let cause = InvalidConfiguration.last?.description ?? "call PowerAuthSDK.initSharedInstance(_:) first"
            fatalError("\(PowerAuthExceptionMissingConfig): there is no shared instance: \(cause).")
        }
        return instance
    }
}
