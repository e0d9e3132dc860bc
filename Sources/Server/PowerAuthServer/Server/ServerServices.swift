// SPDX-License-Identifier: Apache-2.0

/// The domain of the server over one database: what HTTP and the control channel both call.
struct ServerServices: Sendable {
    let context: ServiceContext
    let names: ServerNames
    /// The places of the requests that are worked on or wait for it.
    let waitingRoom: RequestAdmission
    private let identityProviders: IdentityProviders
    private let identification: ActivationIdentification

    /// Opens the database in the configured directory.
    /// - Throws: errors of opening or creating the database.
    init(
        configuration: ServerConfiguration, clock: any ServerClock, journal: (any ServerJournal)?, faults: ServerFaults,
        pushGateway: (any PushGateway)?, labIdentityProvider: LabIdentityProvider?
    ) throws {
        try PrivateFiles.prepare(configuration.directory)
        let path = configuration.directory + "/server.sqlite"
        try PrivateFiles.makeFile(path)
        let database = try ServerDatabase(
            path: path,
            hooks: .init(
                beforeChange: faults.beforeTransaction, beforeCommit: faults.beforeCommit,
                afterCommit: faults.afterCommit))
        let seal = RecordSeal(key: configuration.databaseEncryptionKey)
        let cost = configuration.hashesCheaply ? Argon2Hash.Cost.least : Argon2Hash.Cost()
        context = ServiceContext(
            database: database, clock: clock, policy: configuration.policy, seal: seal, keys: ActivationKeyCache(seal),
            hashing: OtpHashing(make: { try OtpHash.make($0, cost: cost) }), journal: journal,
            pushes: PushQueue(gateway: pushGateway),
            keyStores: KeyStoreFolder(
                path: configuration.policy.callbacks.keyStores ?? configuration.directory + "/keystores"))
        waitingRoom = RequestAdmission(places: configuration.limits.waitingRequests)
        identityProviders = IdentityProviders(
            context: context, providers: configuration.identityProviders, lab: labIdentityProvider,
            waitingRoom: RequestAdmission(places: configuration.limits.identityCalls), requests: waitingRoom)
        identification = ActivationIdentification(
            context: context, provider: configuration.activationProvider, identityProviders: identityProviders)
        names = configuration.names
    }

    var applications: ApplicationService { ApplicationService(context: context) }
    var activations: ActivationService { ActivationService(context: context) }
    var statuses: StatusService { StatusService(context: context) }
    var signatures: SignatureService { SignatureService(context: context) }
    var tokens: TokenService { TokenService(context: context) }

    /// What a server announces of its first application: the configurations of its oldest version for the mobile SDKs.
    struct FirstApplication: Sendable {
        let id: String
        let mobileSdkConfig: String
        /// With the master keys of protocol 4, too.
        let mobileSdkConfigV4: String
    }

    /// Creates the first application, unless there is one; with it a new server gets its first templates.
    func firstApplication(id: String, hasDefaultTemplates: Bool) throws -> FirstApplication {
        let application: Application
        if let first = try applications.list().first {
            application = first
        } else {
            if hasDefaultTemplates { try DefaultTemplates(context: context).create() }
            application = try applications.create(id: Identifier(id, field: "applicationId"))
        }
        let detail = try applications.detail(id: application.id)
        guard let version = detail.versions.first else {
            throw ServiceError(.invalidApplication, "application \(application.id) has no version")
        }
        return FirstApplication(
            id: application.id.text, mobileSdkConfig: version.mobileSdkConfig,
            mobileSdkConfigV4: try applications.mobileSdkConfigV4(version.version))
    }

    /// Creates an integration if the back office is open to integrations only and has none yet: otherwise no caller
    /// could create the first one.
    /// - Returns: the credentials of the oldest one; nil if none are needed.
    func firstIntegration() throws -> LabServer.Credentials? {
        guard context.policy.isBackOfficeRestricted else { return nil }
        let service = IntegrationService(context: context)
        let integration = try service.list().first ?? service.create(name: "lab")
        return LabServer.Credentials(userName: integration.token, password: integration.secret)
    }

    /// Every resource of devices and of the back office.
    var endpoints: [Endpoint] {
        let authentication = DeviceAuthentication(signatures: signatures)
        let encryption = DeviceEncryption(context: context, authentication: authentication)
        return DeviceSystemEndpoints(context: context, encryption: encryption).endpoints
            + DeviceActivationEndpoints(
                context: context, encryption: encryption, identification: identification
            ).endpoints
            + EnrollmentEndpoints(
                context: context, encryption: encryption, identityProviders: identityProviders
            ).endpoints
            + DeviceSignatureEndpoints(context: context, authentication: authentication).endpoints
            + DeviceEndpointsV4(context: context, identification: identification).endpoints
            + ExchangeEndpoints(context: context, encryption: encryption).endpoints
            + MobileOperationEndpoints(context: context, authentication: authentication).endpoints
            + PushEndpoints(context: context, authentication: authentication).endpoints
            + InboxEndpoints(service: InboxService(context: context), authentication: authentication).endpoints
            + backOfficeEndpoints
    }
}
