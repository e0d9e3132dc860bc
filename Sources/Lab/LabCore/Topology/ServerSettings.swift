// SPDX-License-Identifier: Apache-2.0

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
    /// Whether activations of protocol 3.3 are offered protocol 4 (protocol-4.md, section 14).
    public var upgradeOffered: Bool?
    /// How long too many wrong codes block an activation of protocol 4 the first time, in milliseconds; nil blocks it
    /// until the back office takes that back (protocol-4.md, section 16).
    public var temporaryBlocking: Int64?
    /// Whether an activation by recovery code needs no commit by the back office (rest-api.md, section 6.2).
    public var commitRecovery: Bool?
    /// Whether push and inbox refuse with the code of the integration library (mobile-token.md, section 16.1).
    public var libraryAuthenticationCode: Bool?
    /// The push service for devices whose registration names none (mobile-token.md, section 20.1).
    public var pushEnvironment: PushEnvironment?
    /// Whether only the newest active activation of a user may list and decide on operations (mobile-token.md,
    /// section 21).
    public var oneActivationPerUser: Bool?
    /// Whether values of a request must have the form that the description of the API says (server.md, section 2.3).
    public var strictJson: Bool?
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
    /// Whether only a user with such an activation may claim it (mobile-token.md, section 24, item 33).
    public var flagsAtClaim: Bool?
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
        /// Whether a message has moments as milliseconds and not as texts (server.md, section 16.2).
        public var numericDates: Bool?
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

    /// A template of operations, with the names of the resource `operation/template/create` (server.md, section 17).
    public struct OperationTemplate: Codable, Equatable, Sendable {
        /// Names the template; a stored one of this name is replaced.
        public var templateName: String
        /// The type of its operations, which is the ``UITemplate/placeholder`` of their texts.
        public var operationType: String
        /// The text to sign, with `${name}` where a parameter goes.
        public var dataTemplate: String
        /// What may approve; at least one.
        public var signatureType = [Factors.possessionKnowledge, .possessionBiometry]
        /// Failed approvals that end an operation.
        public var maxFailureCount = 5
        /// How long an operation waits, in seconds.
        public var expiration: Int64 = 300
        /// One-letter flags that the operations carry; nil for none.
        public var riskFlags: String?
        /// Whether the user must be near what shows the code.
        public var proximityCheckEnabled = false

        /// A template whose operations have its own name as type, and everything else by default.
        public init(templateName: String, dataTemplate: String) {
            self.templateName = templateName
            operationType = templateName
            self.dataTemplate = dataTemplate
        }
    }

    /// The factors of a signature, as the server names them.
    public enum Factors: String, Codable, Sendable, CaseIterable {
        case possession = "POSSESSION"
        case knowledge = "KNOWLEDGE"
        case biometry = "BIOMETRY"
        case possessionKnowledge = "POSSESSION_KNOWLEDGE"
        case possessionBiometry = "POSSESSION_BIOMETRY"
        case possessionKnowledgeBiometry = "POSSESSION_KNOWLEDGE_BIOMETRY"
    }

    /// How operations of one type are shown in one language, with the names of the resource `/lab/ui-templates`
    /// (mobile-token.md, section 17.1).
    public struct UITemplate: Codable, Equatable, Sendable {
        /// The type of the operations; a stored template of this type and ``language`` is replaced.
        public var placeholder: String
        /// Such as `en`; at most 8 characters.
        public var language = Self.defaultLanguage
        /// Names of the operation's parameters, as `${name}`, are filled in all texts.
        public var title: String
        /// See ``title``.
        public var message: String
        /// A list of attributes, each with `id`, `type`, `text` and `params`; nil for none.
        public var attributes: JSONValue?
        /// The texts shown afterwards by `success`, `reject` and `failure`; nil for none.
        public var resultTexts: JSONValue?
        /// Screens before and after the approval, and the look of the buttons; nil for none.
        public var ui: JSONValue?

        /// The language of a template that names none.
        public static let defaultLanguage = "en"

        /// The longest name of a language, in characters.
        public static let languageLength = 8

        /// A template of texts.
        public init(placeholder: String, title: String, message: String) {
            self.placeholder = placeholder
            self.title = title
            self.message = message
        }
    }
}

/// Which certificate a server with TLS shows.
public enum CertificateKind: String, Codable, CaseIterable, Sendable {
    /// Issued by the lab's authority for localhost and 127.0.0.1.
    case valid
    /// Vouches for itself.
    case selfSigned = "self-signed"
    /// Was valid until yesterday.
    case expired
    /// Valid, for another host.
    case wrongHost = "wrong-host"
}
