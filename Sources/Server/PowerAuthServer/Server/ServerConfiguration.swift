// SPDX-License-Identifier: Apache-2.0

public import LabCore

/// How a server is set up. Everything has a default but the directory.
public struct ServerConfiguration: Sendable {
    /// The directory of the database; created with mode 0700 if missing.
    public var directory: String
    /// The name or address to listen on, `0.0.0.0` or `::` for every address. Beyond loopback only with
    /// ``ServerPolicy/isBackOfficeRestricted`` and a ``certificate``, or ``isInsecureAllowed``.
    public var host = "127.0.0.1"
    /// The names that tools may call the server by, beside those of loopback and ``host``.
    public var hostNames: [String] = []
    /// Whether it may listen beyond loopback without credentials or in the clear.
    public var isInsecureAllowed = false
    /// The port to listen on; 0 means any free one.
    public var port = 0
    /// The identifier of the application that is created at the first start.
    public var applicationId = "lab"
    /// Whether a new server has templates for logins and payments from the start.
    public var hasDefaultTemplates = true
    /// Templates of operations that are stored at each start, in place of those of the same names.
    public var operationTemplates: [ServerSettings.OperationTemplate] = []
    /// Texts of operations that are stored at each start, in place of those of the same types and languages.
    public var uiTemplates: [ServerSettings.UITemplate] = []
    /// The names that the server reports.
    public var names = ServerNames()
    /// The header whose value is written to the request log; nil for no header.
    public var correlationHeader: String?
    /// Windows, limits and validity times.
    public var policy = ServerPolicy()
    /// Decides the user of CUSTOM activations, and processes custom attributes.
    public var activationProvider = ActivationProvider.username
    /// The OpenID Connect providers that DIRECT activations may name.
    public var identityProviders: [IdentityProvider] = []
    /// Whether `/lab/**` is available: faults, traffic with its decrypted bodies, snapshots, seeding. Never on a
    /// production server.
    public var hasLabPowers = false
    /// The file that a lab's server records its requests in, with their plaintexts; nil for no file.
    public var requestRecordPath: String?
    /// The certificate to show; nil for plain HTTP.
    public var certificate: CertificateKind?
    /// What private keys are sealed with in the database; nil stores them in clear.
    public var databaseEncryptionKey: DatabaseEncryptionKey?
    /// Whether one-time passwords and PUKs are hashed at the least cost there is. No setting says so: it is for tests of
    /// other things, which would spend a third of their time on it.
    package var hashesCheaply = false
    /// How long connections may take for what, and how many there may be.
    public var limits = TrafficLimits()
    /// How many requests are worked on at once.
    public var workerThreads = 4

    /// Creates a configuration.
    /// - Parameter directory: the directory of the database.
    public init(directory: String) { self.directory = directory }
}

/// The server's names in the answer of `/status` (server.md, sections 5.1 and 25).
public struct ServerNames: Sendable {
    /// For programs.
    public var name = "powerauth-server"
    /// For people.
    public var displayName = "PowerAuth Server"
    /// Where it runs, such as `test`; empty by default.
    public var environment = ""

    /// The defaults.
    public init() {}
}

extension ServerConfiguration {
    /// Applies the settings of a lab file or a configuration file.
    public mutating func apply(_ spec: ServerSpec) {
        func set<Value>(_ path: WritableKeyPath<ServerConfiguration, Value>, _ value: Value?) {
            if let value { self[keyPath: path] = value }
        }
        let settings = spec.settings
        port = spec.port
        policy.maxFailedAttempts = spec.maxFailedAttempts
        policy.lookAhead = spec.signatureLookAhead
        set(\.host, settings.host)
        hostNames = settings.hostNames ?? []
        set(\.isInsecureAllowed, settings.insecure)
        set(\.certificate, settings.tls)
        set(\.policy.isBackOfficeRestricted, settings.restrictAccess)
        set(\.policy.isVaultOpenedByBiometry, settings.vaultWithBiometry)
        set(\.policy.isUpgradeOffered, settings.upgradeOffered)
        policy.temporaryBlocking = settings.temporaryBlocking
        set(\.policy.hasLibraryAuthenticationCode, settings.libraryAuthenticationCode)
        set(\.policy.pushEnvironment, settings.pushEnvironment)
        set(\.policy.hasOneActivationPerUser, settings.oneActivationPerUser)
        set(\.policy.isJSONStrict, settings.strictJson)
        if let key = settings.databaseEncryptionKey {
            databaseEncryptionKey = DatabaseEncryptionKey(key)
            // The file's parser has checked the size; storing in clear instead would go unnoticed.
            precondition(databaseEncryptionKey != nil, "databaseEncryptionKey must have 16 bytes")
        }
        set(\.policy.isReplayVerified, settings.replayVerification)
        set(\.names.name, settings.applicationName)
        set(\.names.displayName, settings.applicationDisplayName)
        set(\.names.environment, settings.applicationEnvironment)
        set(\.correlationHeader, settings.correlationHeader)
        if let isCommitted = settings.commitRecovery {
            let others = activationProvider.commits
            activationProvider.commits = { $0 == ActivationProvider.recovery ? isCommitted : others($0) }
        }
        if let object = settings.customObject { activationProvider.statusObject = { _ in object } }
        set(\.policy.activationValidity, settings.activationValidity)
        set(\.policy.requestWindow, settings.requestExpiration)
        set(\.policy.extendedRequestWindow, settings.requestExpirationExtended)
        set(\.policy.tokenValidity, settings.tokenValidity)
        set(\.policy.tokenForwardValidity, settings.tokenForwardValidity)
        set(\.policy.temporaryKeyValidity, settings.temporaryKeyValidity)
        set(\.policy.temporaryKeysPerActivation, settings.temporaryKeysPerActivation)
        set(\.policy.temporaryKeysPerApplication, settings.temporaryKeysPerApplication)
        set(\.policy.isFlagCheckedAtApproval, settings.flagsAtApproval)
        set(\.policy.isFlagCheckedAtClaim, settings.flagsAtClaim)
        set(\.policy.offlineComponentLength, settings.offlineComponentLength)
        set(\.policy.proximity.digits, settings.proximityOtpLength)
        set(\.policy.proximity.step, settings.proximityOtpStep)
        set(\.policy.proximity.previousSteps, settings.proximityOtpStepCount)
        set(\.policy.generationAttempts, settings.generationAttempts)
        set(\.policy.recoveryMaxFailedAttempts, settings.recoveryMaxFailedAttempts)
        set(\.policy.pageSize, settings.pageSize)
        operationTemplates = settings.operationTemplates
        uiTemplates = settings.uiTemplates
        set(\.limits.headerTimeout, settings.limits.headerTimeout)
        set(\.limits.bodyTimeout, settings.limits.bodyTimeout)
        set(\.limits.idleTimeout, settings.limits.idleTimeout)
        set(\.limits.answerTimeout, settings.limits.answerTimeout)
        set(\.limits.connections, settings.limits.connections)
        set(\.limits.connectionsPerAddress, settings.limits.connectionsPerAddress)
        set(\.limits.waitingRequests, settings.limits.waitingRequests)
        set(\.limits.identityCalls, settings.limits.identityCalls)
        let callbacks = settings.callbacks
        set(\.policy.callbacks.concurrentCalls, callbacks.concurrentCalls)
        set(\.policy.callbacks.allowedHosts, callbacks.allowedHosts)
        set(\.policy.callbacks.keyStores, callbacks.keyStores)
        set(\.policy.callbacks.hasNumericDates, callbacks.numericDates)
        set(\.policy.callbacks.maxAttempts, callbacks.maxAttempts)
        set(\.policy.callbacks.initialBackoff, callbacks.initialBackoff)
        set(\.policy.callbacks.backoffMultiplier, callbacks.backoffMultiplier)
        set(\.policy.callbacks.maxBackoff, callbacks.maxBackoff)
        set(\.policy.callbacks.retention, callbacks.retention)
        set(\.policy.callbacks.connectTimeout, callbacks.connectTimeout)
        set(\.policy.callbacks.responseTimeout, callbacks.responseTimeout)
        set(\.policy.callbacks.failureThreshold, callbacks.failureThreshold)
        set(\.policy.callbacks.resetTimeout, callbacks.resetTimeout)
    }
}
