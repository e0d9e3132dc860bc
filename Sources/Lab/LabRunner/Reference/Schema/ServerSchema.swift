import LabKit

/// The schema of a server's settings in `lab.yaml`.
enum ServerSchema {
    static var server: Schema {
        .object([
            "host": TopologySchema.text("Name or address to listen on.", default: "127.0.0.1"),
            "hostNames": TopologySchema.texts("Names that tools may call the server by, beside those of loopback."),
            "insecure": flag(
                "Whether it may listen beyond loopback without credentials or in the clear.", default: false),
            "port": number("TCP port on loopback; 0 takes a free one.", default: 0),
            "maxFailedAttempts": number("Failed attempts after which an activation is blocked.", default: 5),
            "signatureLookAhead": number("Counter values tried for one signature.", default: 20),
            "tls": TopologySchema.word(
                of: CertificateKind.self, "The certificate to show; by default the server speaks plain HTTP."),
            "restrictAccess": flag("Whether the back office is open to integrations only.", default: false),
            "vaultWithBiometry": flag("Whether the vault opens with biometry, too.", default: false),
            "commitRecovery": flag(
                "Whether an activation by recovery code needs no commit by the back office.", default: true),
            "libraryAuthenticationCode": flag(
                "Whether push and inbox refuse with `ERR_AUTHENTICATION`.", default: false),
            "oneActivationPerUser": flag(
                "Whether only the newest active activation of a user has operations.", default: false),
            "databaseEncryptionKey": TopologySchema.text(
                "What private keys are sealed with in the database, Base64 of 16 bytes."),
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
            "temporaryKeysPerApplication": number(
                "The same of an application version, for devices without activation; a quarter of them at one address.",
                default: 4_000),
            "flagsAtApproval": flag("Whether only an activation with an operation's flag approves it.", default: true),
            "offlineComponentLength": number("Digits of one factor in an offline signature.", default: 8),
            "proximityOtpLength": number("Digits of a proximity code.", default: 8),
            "proximityOtpStep": time("How long a proximity code is shown.", default: "30s"),
            "proximityOtpStepCount": number("Proximity codes before that of now that are accepted.", default: 1),
            "generationAttempts": number("Tries for a unique random identifier.", default: 10),
            "recoveryMaxFailedAttempts": number("Wrong PUKs that block a recovery code.", default: 5),
            "pageSize": number("Entries of a list's page.", default: 500),
            "operationTemplates": Schema.list(of: operationTemplate)
                .described("Templates of operations, besides those of a new server."),
            "uiTemplates": Schema.list(of: uiTemplate).described("Texts of operations, besides those of a new server."),
            "callbacks": callbacks.described("How callbacks are delivered."),
            "limits": limits.described("Resource limits for clients."),
        ])
    }

    private static var operationTemplate: Schema {
        .object(
            [
                "templateName": TopologySchema.text("Names the template; a stored one of this name is replaced."),
                "operationType": TopologySchema.text("The type of its operations; by default the template's name."),
                "dataTemplate": TopologySchema.text("The text to sign, with `${name}` where a parameter goes."),
                "signatureType": Schema.list(of: .word(of: ServerSettings.Factors.allCases.map(\.rawValue)))
                    .described("What may approve; by default knowledge or biometry."),
                "maxFailureCount": number("Failed approvals that end an operation.", default: 5),
                "expiration": time("How long an operation waits.", default: "5m"),
                "riskFlags": TopologySchema.text("One-letter flags that the operations carry."),
                "proximityCheckEnabled": flag("Whether the user must be near what shows the code.", default: false),
            ], required: ["templateName", "dataTemplate"])
    }

    private static var uiTemplate: Schema {
        let attribute = Schema.object(
            [
                "id": TopologySchema.text("Names the attribute."), "type": TopologySchema.text("Such as `AMOUNT`."),
                "text": TopologySchema.text("The label."),
                "params": Schema.object([:], others: ValueSchema.text)
                    .described("The names of the operation's parameters by the attribute's own names."),
            ], required: ["id", "type", "text"])
        return .object(
            [
                "placeholder": TopologySchema.text("The type of the operations."),
                "language": TopologySchema.text(
                    "The language of the texts.", default: .string(ServerSettings.UITemplate.defaultLanguage)),
                "title": TopologySchema.text("The title; `${name}` is the operation's parameter."),
                "message": TopologySchema.text("The message; `${name}` is the operation's parameter."),
                "attributes": Schema.list(of: attribute).described("What the app shows of the operation."),
                "resultTexts": Schema.type("object").described("The texts shown afterwards."),
                "ui": Schema.type("object").described("Screens before and after the approval."),
            ], required: ["placeholder", "title", "message"])
    }

    private static var callbacks: Schema {
        .object([
            "allowedHosts": TopologySchema.texts("Hosts that may be called, `*` for any text; by default all."),
            "keyStores": TopologySchema.text("Folder of key and trust stores; by default `keystores` of the server."),
            "maxAttempts": number("How often a message is tried.", default: 1),
            "initialBackoff": time("From the first attempt to the second.", default: "2s"),
            "backoffMultiplier": Schema.type("number", "string")
                .described("What the time between attempts grows by.", default: 1.5),
            "maxBackoff": time("The longest time between attempts.", default: "32s"),
            "retention": time("How long finished messages are kept.", default: "30d"),
            "concurrentCalls": number("Targets that are called at a time.", default: 16),
            "connectTimeout": time("How long a target may take to accept a connection.", default: "5s"),
            "responseTimeout": time("How long a target may take to answer.", default: "60s"),
            "failureThreshold": number("Failures in a row that pause a callback; -1 for never.", default: 200),
            "resetTimeout": time("For how long it is paused.", default: "60s"),
        ])
    }

    private static var limits: Schema {
        .object([
            "headerTimeout": time("For the headers of a request.", default: "10s"),
            "bodyTimeout": time("For its body.", default: "30s"),
            "idleTimeout": time("From an answer to the next request on its connection.", default: "30s"),
            "answerTimeout": time("How long a client may leave an answer untouched.", default: "30s"),
            "connections": number("Open connections.", default: 1_600),
            "connectionsPerAddress": number(
                "Open connections of one address, at most a quarter of all.", default: 400),
            "waitingRequests": number("Requests that are worked on or wait for it.", default: 512),
            "identityCalls": number("Activations that wait for identity providers.", default: 16),
        ])
    }

    static func number(_ meaning: String, default value: JSONValue) -> Schema {
        Schema.anyOf([.type("integer"), .text(matching: "^-?[0-9]+$")]).described(meaning, default: value)
    }

    private static func flag(_ meaning: String, default value: JSONValue) -> Schema {
        ValueSchema.flag.described(meaning, default: value)
    }

    private static func time(_ meaning: String, default value: JSONValue) -> Schema {
        ValueSchema.duration.described(meaning, default: value)
    }
}
