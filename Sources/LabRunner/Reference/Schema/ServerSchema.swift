internal import LabKit

/// The schema of a server's settings in `lab.yaml`.
enum ServerSchema {
    static var server: Schema {
        .object([
            "port": number("TCP port on loopback; 0 takes a free one.", default: 0),
            "maxFailedAttempts": number("Failed attempts after which an activation is blocked.", default: 5),
            "signatureLookAhead": number("Counter values tried for one signature.", default: 20),
            "tls": TopologySchema.word(
                of: CertificateKind.self, "The certificate to show; by default the server speaks plain HTTP."),
            "restrictAccess": flag("Whether the back office is open to integrations only.", default: false),
            "vaultWithBiometry": flag("Whether the vault opens with biometry, too.", default: false),
            "libraryAuthenticationCode": flag(
                "Whether push and inbox refuse with `ERR_AUTHENTICATION`.", default: false),
            "replayVerification": flag("Whether requests and token digests may be used once only.", default: true),
            "applicationName": TopologySchema.text("Name in `/status`.", default: "powerauth-server"),
            "applicationDisplayName": TopologySchema.text("Name in `/status`.", default: "PowerAuth Server"),
            "applicationEnvironment": TopologySchema.text("Name in `/status`.", default: ""),
            "correlationHeader": TopologySchema.text("Header whose value stands in the request log."),
            "customObject": Schema.type("object").described("What devices get with their status."),
            "activationValidity": time("How long a new activation may wait for its commit.", default: "5m"),
            "requestExpiration": time("Distance of an encrypted request's timestamp.", default: "60s"),
            "requestExpirationExtended": time("The same for tokens of the protocols 3.0 and 3.1.", default: "2h"),
            "tokenValidity": time("Age of a token digest.", default: "2h"),
            "tokenForwardValidity": time("How far a token digest may be ahead.", default: "30m"),
            "temporaryKeyValidity": time("How long a temporary key decrypts requests.", default: "5m"),
            "temporaryKeysPerActivation": number("Unexpired temporary keys of one activation.", default: 32),
            "generationAttempts": number("Tries for a unique random identifier.", default: 10),
            "recoveryMaxFailedAttempts": number("Wrong PUKs that block a recovery code.", default: 5),
            "pageSize": number("Entries of a list's page.", default: 500),
            "callbacks": callbacks.described("How callbacks are delivered."),
        ])
    }

    private static var callbacks: Schema {
        .object([
            "allowedHosts": TopologySchema.texts("Hosts that may be called, `*` for any text; by default all."),
            "maxAttempts": number("How often a message is tried.", default: 1),
            "initialBackoff": time("From the first attempt to the second.", default: "2s"),
            "backoffMultiplier": Schema.type("number", "string")
                .described("What the time between attempts grows by.", default: 1.5),
            "maxBackoff": time("The longest time between attempts.", default: "32s"),
            "retention": time("How long finished messages are kept.", default: "30d"),
            "connectTimeout": time("How long a target may take to accept a connection.", default: "5s"),
            "responseTimeout": time("How long a target may take to answer.", default: "60s"),
            "failureThreshold": number("Failures in a row that pause a callback; -1 for never.", default: 200),
            "resetTimeout": time("For how long it is paused.", default: "60s"),
        ])
    }

    private static func number(_ meaning: String, default value: JSONValue) -> Schema {
        Schema.anyOf([.type("integer"), .text(matching: "^-?[0-9]+$")]).described(meaning, default: value)
    }

    private static func flag(_ meaning: String, default value: JSONValue) -> Schema {
        ValueSchema.flag.described(meaning, default: value)
    }

    private static func time(_ meaning: String, default value: JSONValue) -> Schema {
        ValueSchema.duration.described(meaning, default: value)
    }
}
