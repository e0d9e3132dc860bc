public import Foundation

/// What a lab file or a configuration file changes about a PowerAuth server (server.md, section 25).
///
/// Nil leaves the server's own default. Times are milliseconds. An immutable value. Thread rule: any thread.
public struct ServerSettings: Codable, Equatable, Sendable {
    /// The name or address to listen on; beyond loopback only with ``restrictAccess`` and ``tls``, or ``insecure``.
    public var host: String?
    /// The names that tools may call the server by, beside those of loopback and ``host``.
    public var hostNames: [String]?
    /// Whether the server may listen beyond loopback without credentials or in the clear.
    public var insecure: Bool?
    /// The certificate to show; without one the server speaks plain HTTP.
    public var tls: CertificateKind?
    /// Whether the back office is open to integrations only, with HTTP Basic.
    public var restrictAccess: Bool?
    /// Whether the vault opens with biometry in place of knowledge.
    public var vaultWithBiometry: Bool?
    /// Whether an activation by recovery code needs no commit by the back office (rest-api.md, section 6.2).
    public var commitRecovery: Bool?
    /// Whether push and inbox refuse with the code of the integration library (mobile-token.md, section 16.1).
    public var libraryAuthenticationCode: Bool?
    /// Whether only the newest active activation of a user may list and decide on operations (mobile-token.md,
    /// section 21).
    public var oneActivationPerUser: Bool?
    /// What private keys are sealed with in the database, 16 bytes; nil stores them in clear.
    public var databaseEncryptionKey: Data?
    /// Whether encrypted requests and token digests may be used once only.
    public var replayVerification: Bool?
    /// The three names in the answer of `/status`.
    public var applicationName: String?
    /// See ``applicationName``.
    public var applicationDisplayName: String?
    /// See ``applicationName``.
    public var applicationEnvironment: String?
    /// The header whose value stands in the request log.
    public var correlationHeader: String?
    /// What devices get as `customObject` with their status.
    public var customObject: JSONValue?
    /// How long a new activation may wait for its key exchange and commit.
    public var activationValidity: Int64?
    /// How far the timestamp of an encrypted request may be from the server's time.
    public var requestExpiration: Int64?
    /// The same for tokens of the protocols 3.0 and 3.1.
    public var requestExpirationExtended: Int64?
    /// How old the timestamp of a token digest may be.
    public var tokenValidity: Int64?
    /// How far in the future the timestamp of a token digest may be.
    public var tokenForwardValidity: Int64?
    /// How long a temporary key decrypts requests.
    public var temporaryKeyValidity: Int64?
    /// How many unexpired temporary keys one activation may hold.
    public var temporaryKeysPerActivation: Int?
    /// How many of them an application version may hold for devices without activation.
    public var temporaryKeysPerApplication: Int?
    /// Whether only an activation with an operation's flag may approve it (server.md, section 30, item 9).
    public var flagsAtApproval: Bool?
    /// How many digits one factor has in an offline signature.
    public var offlineComponentLength: Int?
    /// How many digits a proximity code has.
    public var proximityOtpLength: Int?
    /// How long a proximity code is shown.
    public var proximityOtpStep: Int64?
    /// How many proximity codes before that of now are accepted.
    public var proximityOtpStepCount: Int?
    /// How many random identifiers are tried before giving up on collisions.
    public var generationAttempts: Int?
    /// How many wrong PUKs block a recovery code.
    public var recoveryMaxFailedAttempts: Int?
    /// The number of entries in one page of a list.
    public var pageSize: Int?
    /// Templates of operations, besides those of a new server.
    public var operationTemplates: [OperationTemplate] = []
    /// Texts of operations, besides those of a new server.
    public var uiTemplates: [UITemplate] = []
    /// How callbacks are delivered.
    public var callbacks = Callbacks()
    /// What clients may take of the server.
    public var limits = Limits()

    /// What clients may take of the server: the time of its connections, in milliseconds of real time, and their number.
    public struct Limits: Codable, Equatable, Sendable {
        /// For the headers of a request.
        public var headerTimeout: Int64?
        /// For its body.
        public var bodyTimeout: Int64?
        /// From an answer to the next request on its connection.
        public var idleTimeout: Int64?
        /// How long a client may leave an answer untouched.
        public var answerTimeout: Int64?
        /// How many connections there may be.
        public var connections: Int?
        /// How many of them may come from one address.
        public var connectionsPerAddress: Int?
        /// How many requests may be worked on or wait for it.
        public var waitingRequests: Int?
        /// How many activations may wait for identity providers.
        public var identityCalls: Int?

        /// The server's defaults.
        public init() {}
    }

    /// How callbacks are delivered (server.md, section 16.4).
    public struct Callbacks: Codable, Equatable, Sendable {
        /// The hosts that may be called, `*` for any text in a name; nil allows every host.
        public var allowedHosts: [String]?
        /// The folder that key and trust stores must be in; nil means `keystores` in the server's directory.
        public var keyStores: String?
        /// How often a message is tried.
        public var maxAttempts: Int?
        /// The time from the first attempt to the second.
        public var initialBackoff: Int64?
        /// What the time between attempts grows by.
        public var backoffMultiplier: Double?
        /// The longest time between attempts.
        public var maxBackoff: Int64?
        /// How long a message and its attempts are kept after the last one.
        public var retention: Int64?
        /// How many targets may be called at a time.
        public var concurrentCalls: Int?
        /// How long a target may take to accept a connection.
        public var connectTimeout: Int64?
        /// How long a target may take to answer.
        public var responseTimeout: Int64?
        /// How many failures in a row open the circuit; -1 never opens it.
        public var failureThreshold: Int?
        /// How long after the last failure an open circuit lets no call through.
        public var resetTimeout: Int64?

        /// The server's defaults.
        public init() {}
    }

    /// The server's defaults.
    public init() {}
}
