// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabHTTP
package import PowerAuthProtocol
// An application imports only `PowerAuth2` and sees the shared types and the core through it (sdk.md, section 3).
@_exported public import PowerAuthShared
package import SimulatedDevice
import Synchronization

/// One activation of the application, from its beginning to its end (sdk.md, section 5).
///
/// Thread rule: any thread. Callbacks arrive on the main queue unless a function says otherwise; an error that is found
/// before anything is sent arrives before the function returns, which then returns nil instead of a task.
///
/// Functions that look at the state may wait for another process that shares the activation, so never call them on the
/// concurrency runtime's cooperative pool.
public final class PowerAuthSDK: Sendable {
    /// Results of earlier requests. They belong to one activation and live in memory only.
    struct Cache: Sendable {
        var activationId: String?
        var status: PowerAuthActivationStatus?
        var userInfo: PowerAuthUserInfo?
    }

    /// The SDK object's own copies of the three configurations.
    private struct Configurations: @unchecked Sendable {
        // Safe: the objects are private copies, read and copied only inside the mutex below.
        let configuration: PowerAuthConfiguration
        let keychain: PowerAuthKeychainConfiguration
        let client: PowerAuthClientConfiguration
    }

    private let configurations: Mutex<Configurations>
    package let session: any SessionInterface
    /// The state of which the server has confirmed the password last, or whose password this object has set since; nil
    /// when nothing is confirmed.
    let validatedPassword = Mutex<ActivationSnapshot?>(nil)
    /// Calls of the server; also the way of the SDKs that stand on this one.
    package let client: RestClient
    package let factorKeys: FactorKeySource
    package let sandbox: Sandbox
    package let tokens: KeychainTokenStore
    let watchService: PhoneWatchService
    let biometricItemAccess: PowerAuthKeychainItemAccess
    /// Whether a status fetch upgrades an activation of the older protocol.
    let upgradesProtocol: Bool
    let cache = Mutex(Cache())
    let statusRequests = Mutex<GroupedTask<PowerAuthActivationStatus>?>(nil)
    private let timeService: TimeSynchronizationService
    private let tokenProvider: ServerTokenProvider

    /// Makes an SDK object with default keychain and client configurations; nil for an unusable configuration.
    public convenience init?(_ configuration: PowerAuthConfiguration) {
        self.init(configuration: configuration, keychainConfiguration: nil, clientConfiguration: nil)
    }

    /// Makes an SDK object with default keychain and client configurations; nil for an unusable configuration.
    public convenience init?(configuration: PowerAuthConfiguration) {
        self.init(configuration: configuration, keychainConfiguration: nil, clientConfiguration: nil)
    }

    /// Makes an SDK object and restores the stored activation.
    /// - Parameters:
    ///   - configuration: the activation and its server.
    ///   - keychainConfiguration: where things are stored; nil takes a copy of the shared object.
    ///   - clientConfiguration: settings of the HTTP client; nil takes a copy of the shared object.
    /// - Returns: nil for an unusable configuration; the log and the trace name the cause.
    public convenience init?(
        configuration: PowerAuthConfiguration, keychainConfiguration: PowerAuthKeychainConfiguration?,
        clientConfiguration: PowerAuthClientConfiguration?
    ) {
        do throws(InvalidConfiguration) {
            try self.init(checking: configuration, keychain: keychainConfiguration, client: clientConfiguration)
        } catch {
            return nil
        }
    }

    /// As the failable initialiser, but reports why a configuration is refused.
    /// - Throws: the cause, which the log and the trace name too.
    package convenience init(
        checking configuration: PowerAuthConfiguration, keychain: PowerAuthKeychainConfiguration? = nil,
        client: PowerAuthClientConfiguration? = nil
    ) throws(InvalidConfiguration) {
        let sandbox = Sandbox.currentIfEntered
        do throws(InvalidConfiguration) {
            guard let sandbox else { throw .notInSandbox }
            try self.init(
                configuration: configuration, keychainConfiguration: keychain, clientConfiguration: client,
                sandbox: sandbox, transport: CurlTransport.shared)
        } catch {
            error.report(in: sandbox)
            throw error
        }
    }

    /// Makes an SDK object on a given device, with a given way to the network.
    ///
    /// The order matters: nothing is touched before the whole configuration was checked, and an earlier installation's
    /// data are removed before the state is read (sharing.md, section 3.7).
    /// - Parameter suites: those of protocol 4, for the SDK that is based on this one; first the one of new activations.
    ///   This SDK speaks protocol 3 alone.
    package init(
        configuration: PowerAuthConfiguration, keychainConfiguration: PowerAuthKeychainConfiguration? = nil,
        clientConfiguration: PowerAuthClientConfiguration? = nil, suites: [CryptographySuite] = [], sandbox: Sandbox,
        transport: any HTTPTransport
    ) throws(InvalidConfiguration) {
        try configuration.check()
        let configuration = configuration.copy()
        let keychain = (keychainConfiguration ?? .sharedInstance()).copy()
        let clientSettings = (clientConfiguration ?? .sharedInstance()).copy()
        if configuration.keychainKey_Biometry == nil { configuration.keychainKey_Biometry = configuration.instanceId }
        if let sharing = configuration.sharingConfiguration { keychain.apply(sharing) }

        let time = SynchronizedTime { sandbox.clock.now().timeIntervalSince1970 }
        let core = try Self.makeSession(configuration, suites, time: time)

        let services = KeychainServices(
            keychain, isShared: configuration.sharingConfiguration != nil, system: sandbox.keychain)
        let session = try SessionInterfaceFactory.make(
            session: core, configuration: configuration, services: services,
            installation: InstallationCheck(
                services: services, instanceId: configuration.instanceId,
                biometryAccount: configuration.keychainKey_Biometry,
                suiteName: keychain.keychainAttribute_UserDefaultsSuiteName, sandbox: sandbox),
            sandbox: sandbox)
        let factorKeys = FactorKeySource(
            possession: (services.possession, keychain.keychainKey_Possession),
            biometry: BiometryKeyStore(
                keychain: services.biometry, account: configuration.keychainKey_Biometry,
                access: keychain.biometricItemAccess, session: session, sandbox: sandbox),
            invalidatesContext: keychain.invalidateLocalAuthenticationContextAfterUse, sandbox: sandbox)
        let client = RestClient(
            session: session, factorKeys: factorKeys,
            settings: HTTPSettings(baseEndpointUrl: configuration.baseEndpointUrl, client: clientSettings),
            transport: transport, time: time, speaksVersion4: !suites.isEmpty, sandbox: sandbox)
        let tokens = KeychainTokenStore(
            rules: .application, environment: Self.tokenEnvironment(session: session, client: client),
            records: TokenRecordStore(
                keychain: services.tokens, instanceId: configuration.instanceId, sandbox: sandbox), lock: session)
        let tokenProvider = ServerTokenProvider(client: client, sandbox: sandbox)
        tokens.setProvider(tokenProvider)

        biometricItemAccess = keychain.biometricItemAccess
        upgradesProtocol = !configuration.disableAutomaticProtocolUpgrade
        configurations = Mutex(Configurations(configuration: configuration, keychain: keychain, client: clientSettings))
        self.sandbox = sandbox
        self.session = session
        self.factorKeys = factorKeys
        self.client = client
        self.tokens = tokens
        self.tokenProvider = tokenProvider
        timeService = TimeSynchronizationService(time: time, sandbox: sandbox)
        watchService = PhoneWatchService(
            instanceId: configuration.instanceId, session: session, tokenStore: tokens, time: time, sandbox: sandbox)
        timeService.setClient(client)
        watchService.register(in: sandbox)
        factorKeys.biometry.removeLeftovers()
    }

    deinit { cancelSharedRequests() }

    private static func makeSession(
        _ configuration: PowerAuthConfiguration, _ suites: [CryptographySuite], time: SynchronizedTime
    ) throws(InvalidConfiguration) -> PowerAuthCoreSession {
        if let suite = suites.first {
            do {
                _ = try SdkConfigurationV4(configuration.configuration).masterKeys(suite: suite)
            } catch {
                throw .configurationString(reason: "the algorithm \(suite) cannot be used: \(error)")
            }
        }
        guard let setup = PowerAuthCoreSessionSetup(configuration: configuration.configuration) else {
            throw .configurationString(reason: "it is not a configuration")
        }
        setup.externalEncryptionKey = configuration.externalEncryptionKey
        setup.suites = suites
        guard let session = PowerAuthCoreSession(sessionSetup: setup, timeService: time), session.hasValidSetup else {
            throw .externalEncryptionKeyLength(actual: configuration.externalEncryptionKey?.count ?? 0)
        }
        return session
    }

    private static func tokenEnvironment(session: any SessionInterface, client: RestClient) -> TokenStoreEnvironment {
        TokenStoreEnvironment(
            activation: {
                do {
                    let identifier = try session.read { $0.hasValidActivation ? $0.activationIdentifier : nil }
                    return identifier.map { .identifier($0) } ?? .none
                } catch {
                    return .unknown
                }
            },
            currentTime: { client.time.currentTime() },
            synchronizeTime: { completion in
                guard !client.time.isTimeSynchronized else {
                    completion(nil)
                    return nil
                }
                return client.synchronizeTime { result in
                    switch result {
                    case .success: completion(nil)
                    case .failure(let error): completion(error)
                    }
                }
            })
    }

    // MARK: Parts

    /// A copy of the configuration; changing it does not change the SDK object.
    public var configuration: PowerAuthConfiguration { configurations.withLock { $0.configuration.copy() } }
    /// A copy of the keychain configuration; changing it does not change the SDK object.
    public var keychainConfiguration: PowerAuthKeychainConfiguration { configurations.withLock { $0.keychain.copy() } }
    /// A copy of the client configuration; changing it does not change the SDK object.
    public var clientConfiguration: PowerAuthClientConfiguration { configurations.withLock { $0.client.copy() } }
    /// Locked access to the low-level session.
    public var sessionProvider: any PowerAuthCoreSessionProvider { session }
    /// The tokens of the activation.
    public var tokenStore: any PowerAuthTokenStore { tokens }
    /// The server's time.
    public var timeSynchronizationService: any PowerAuthTimeSynchronizationService { timeService }

    /// Keeps the configuration in step with the external encryption key in use.
    func setConfiguredExternalEncryptionKey(_ key: Data?) {
        configurations.withLock { $0.configuration.externalEncryptionKey = key }
    }

    /// Ends the requests that several callers may wait for; the callers get `operationCancelled`.
    func cancelSharedRequests() {
        let running = statusRequests.withLock { running in
            defer { running = nil }
            return running
        }
        running?.cancel()
        tokens.cancelAllRequests()
    }
}

/// One SDK object for applications that have a single activation (sdk.md, section 2).
extension PowerAuthSDK {
    private static let shared = Mutex<PowerAuthSDK?>(nil)

    /// Makes the shared object with default keychain and client configurations. Only the first call has an effect.
    /// - Parameter configuration: the activation and its server.
    public static func initSharedInstance(_ configuration: PowerAuthConfiguration) {
        initSharedInstance(configuration, keychainConfiguration: nil, clientConfiguration: nil)
    }

    /// Makes the shared object. Only the first call has an effect; after an unusable configuration, which the log and the
    /// trace explain, it may be repeated.
    /// - Parameters:
    ///   - configuration: the activation and its server.
    ///   - keychainConfiguration: where things are stored; nil takes a copy of the shared object.
    ///   - clientConfiguration: settings of the HTTP client; nil takes a copy of the shared object.
    public static func initSharedInstance(
        _ configuration: PowerAuthConfiguration, keychainConfiguration: PowerAuthKeychainConfiguration?,
        clientConfiguration: PowerAuthClientConfiguration?
    ) {
        initSharedInstance {
            PowerAuthSDK(
                configuration: configuration, keychainConfiguration: keychainConfiguration,
                clientConfiguration: clientConfiguration)
        }
    }

    /// Makes the shared object in a given way, unless there is one.
    package static func initSharedInstance(_ make: () -> PowerAuthSDK?) {
        shared.withLock { shared in
            if shared == nil { shared = make() }
        }
    }

    /// The shared object.
    ///
    /// Calling it before a successful `initSharedInstance` is a programming error and ends the process, as the original's
    /// exception does; the message names the cause.
    public static func sharedInstance() -> PowerAuthSDK {
        guard let instance = shared.withLock({ $0 }) else {
            let cause = InvalidConfiguration.last?.description ?? "call PowerAuthSDK.initSharedInstance(_:) first"
            fatalError("\(PowerAuthExceptionMissingConfig): there is no shared instance: \(cause).")
        }
        return instance
    }
}
