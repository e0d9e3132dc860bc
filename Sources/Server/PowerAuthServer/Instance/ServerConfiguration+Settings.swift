public import LabKit

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
        set(\.policy.hasLibraryAuthenticationCode, settings.libraryAuthenticationCode)
        set(\.policy.hasOneActivationPerUser, settings.oneActivationPerUser)
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
