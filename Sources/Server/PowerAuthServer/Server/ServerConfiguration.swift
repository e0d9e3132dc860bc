public import LabKit

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
    /// How long connections may take for what, and how many there may be.
    public var limits = TrafficLimits()
    /// How many requests are worked on at once.
    public var workerThreads = 4

    /// Creates a configuration.
    /// - Parameter directory: the directory of the database.
    public init(directory: String) {
        self.directory = directory
    }
}
