// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabPoints

/// The schemas of `lab.yaml` and of the parts of a topology that a scenario replaces. The readers of these files have
/// no printable declarations; `SchemaTests` compare the keys with those that the readers accept.
enum TopologySchema {
    /// The whole of `lab.yaml`.
    package static var labFile: Schema {
        .object(
            [
                "topologies": named(.definition("topology"))
                    .described("The topologies by name; `default` is used unless a scenario names another.")
            ], required: ["topologies"])
    }

    /// The definitions for the schemas above: each part as a whole, and as an override of another one.
    static var definitions: [String: Schema] {
        var definitions = ["server": ServerSchema.server]
        for form in Form.allCases {
            definitions[form.name("topology")] = topology(form)
            definitions[form.name("device")] = device(form)
            definitions[form.name("app")] = app(form)
            definitions[form.name("powerAuth")] = powerAuth(form)
            definitions[form.name("link")] = link(form)
        }
        return definitions
    }

    /// Whether a part of a topology is complete, or replaces some keys of another one.
    private enum Form: CaseIterable {
        case whole
        case part

        func name(_ name: String) -> String { self == .whole ? name : "\(name)Part" }

        func object(_ keys: [String: Schema], required: [String] = []) -> Schema {
            .object(keys, required: self == .whole ? required : [])
        }

        func named(_ name: String) -> Schema { TopologySchema.named(.definition(self.name(name))) }
    }

    /// A mapping from names for steps to the named parts.
    private static func named(_ schema: Schema) -> Schema {
        .object([:], others: schema)
    }

    /// The names of actors: not words of the language, because both are keys of a step.
    private static let actors = Schema.names(
        .text(matching: "^[A-Za-z][A-Za-z0-9_-]{0,31}$").and(.not(.word(of: ReservedWords.all.sorted()))))

    private static func topology(_ form: Form) -> Schema {
        form.object(
            [
                "server": Schema.definition("server").described("The lab's PowerAuth server."),
                "devices": form.named("device").and(actors).and(.notEmpty).described("The simulated devices by name."),
                "links": form.named("link").and(actors).described("The pairings of a phone with a watch, by name."),
            ], required: ["devices"])
    }

    private static func device(_ form: Form) -> Schema {
        form.object(
            [
                "kind": word(of: DeviceSpec.Kind.self, "What is simulated."),
                "model": text("Machine name that the system reports."),
                "osVersion": text("Version of the simulated system.", default: "17.5"),
                "team": text("Team prefix of the vendor's apps.", default: "LABTEAM001"),
                "suspension": word(
                    of: DeviceSpec.Suspension.self,
                    "What happens to a process that is suspended with a lock in a group container.", default: "strict"),
                "biometry": word(of: DeviceSpec.Biometry.self, "The sensor; nothing is enrolled at first."),
                "clockSkew": Schema.definition("signedDuration")
                    .described("How far the device's wall clock is off.", default: "0s"),
                "apps": form.named("app").and(actors).described("What is installed, by name."),
            ], required: ["kind"])
    }

    private static func app(_ form: Form) -> Schema {
        form.object(
            [
                "kind": word(of: AppSpec.Kind.self, "What it is; by default an app, or a watch app on a watch."),
                "bundleIdentifier": text("Identifies the app on its device."),
                "host": text("The app that an extension belongs to, or that a watch app accompanies."),
                "appGroups": Schema.list(of: .text(matching: "^group\\..")).described(
                    "Entitlement: groups whose container, shared memory and defaults it may use, `group.name`."),
                "keychainAccessGroups": texts("Entitlement: keychain groups, written `TEAM.name`."),
                "pushEnvironment": word(
                    of: PushEnvironment.self, "Entitlement: the push service that gives the app its device token.",
                    default: "production"),
                "autostart": ValueSchema.flag
                    .described("Whether the app is launched with the instance.", default: true),
                "timeLimit": ValueSchema.duration
                    .described("How long a process of an extension may live; by default for ever."),
                "executable": text("The user's own program that plays it; relative to this file."),
                "settings": Schema.type("object").described("Texts that the own program is given, by name."),
                "quirks": Schema.list(of: .word(of: Quirk.allCases.map { ($0.rawValue, $0.summary) }))
                    .described("Defects of the original SDK to bring back."),
                "powerAuth": Schema.definition(form.name("powerAuth")).described("What the app passes to its SDK."),
            ], required: ["bundleIdentifier"])
    }

    private static func powerAuth(_ form: Form) -> Schema {
        let sharing = form.object(
            [
                "appGroup": text("The app group."), "appIdentifier": text("Identifies the app to the others."),
                "keychainAccessGroup": text("The keychain group that the apps share."),
                "sharedMemoryIdentifier": text("Short name of the shared memory; by default the SDK computes it."),
            ], required: ["appGroup", "appIdentifier", "keychainAccessGroup"])
        return form.object([
            "sdk": word(of: PowerAuthSpec.SDK.self, "The SDK that the app embeds; by default that of its kind."),
            "algorithm": word(
                of: PowerAuthSpec.Algorithm.self, "The algorithms of new activations in an app with SDK 2.0.",
                default: "EC_P384_ML_L3"),
            "instanceId": text("Name of the activation on the device; by default the bundle identifier."),
            "baseEndpointUrl": text("A PowerAuth server other than the lab's."),
            "configuration": text("The configuration string for that server."),
            "sharing": sharing.described("Activation sharing between apps of one vendor."),
            "keychainAccessGroup": text("Keychain group of an app without sharing."),
            "userDefaultsSuiteName": text("Suite of defaults of an app without sharing."),
            "biometryKey": word(
                of: PowerAuthSpec.BiometryKey.self, "What opens the key of the biometry factor.", default: "anySet"),
            "sslValidation": word(of: PowerAuthSpec.SSLValidation.self, "The trusted certificates.", default: "system"),
            "requestTimeout": ValueSchema.duration
                .described("How long the SDK waits for an answer, by the lab's clock.", default: "20s"),
            "removesLocalTokens": ValueSchema.flag
                .described("Whether the Extensions SDK removes local tokens, as up to version 1.6.", default: false),
            "usesApplicationHeaderVersion": ValueSchema.flag
                .described(
                    "Whether the Extensions SDK makes token headers of the app's version instead of 3.1.",
                    default: false),
            "sharesTimeWithWatch": ValueSchema.flag
                .described("Whether the full SDK sends the watch the server's time.", default: false),
            "refreshesTokensOnWatch": ValueSchema.flag
                .described("Whether the full SDK sends tokens that change to the watch that has them.", default: false),
        ])
    }

    private static func link(_ form: Form) -> Schema {
        form.object(
            [
                "phone": text("Name of the phone."), "watch": text("Name of the watch."),
                "up": ValueSchema.flag.described("Whether the two reach each other at the start.", default: true),
                "over": word(
                    of: LinkSpec.Transport.self, "The transport between the agents of the devices.",
                    default: .string(LinkSpec.Transport.local.rawValue)),
                "capacity": ServerSchema.number(
                    "Transfers that a queue of each end holds.", default: .integer(Int64(LinkSpec.defaultCapacity))),
            ], required: ["phone", "watch"])
    }

    // MARK: - Parts

    package static func text(_ meaning: String, default value: JSONValue? = nil) -> Schema {
        ValueSchema.text.described(meaning, default: value)
    }

    package static func texts(_ meaning: String) -> Schema { Schema.list(of: ValueSchema.text).described(meaning) }

    package static func word<Word: CaseIterable & RawRepresentable<String>>(
        of type: Word.Type, _ meaning: String, default value: JSONValue? = nil
    ) -> Schema {
        Schema.word(of: type.allCases.map(\.rawValue)).described(meaning, default: value)
    }
}

/// The schema of a server's settings in `lab.yaml`.
enum ServerSchema {
    package static var server: Schema {
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
            "upgradeOffered": flag("Whether activations of protocol 3.3 are offered protocol 4.", default: true),
            "temporaryBlocking": ValueSchema.duration.described(
                "How long wrong codes block an activation of protocol 4 the first time; without it they block for good."
            ),
            "commitRecovery": flag(
                "Whether an activation by recovery code needs no commit by the back office.", default: true),
            "pushEnvironment": TopologySchema.word(
                of: PushEnvironment.self, "The push service for registrations that name none.", default: "production"),
            "libraryAuthenticationCode": flag(
                "Whether push and inbox refuse with `ERR_AUTHENTICATION`.", default: false),
            "oneActivationPerUser": flag(
                "Whether only the newest active activation of a user has operations.", default: false),
            "strictJson": flag("Whether values of a request must have the described form.", default: false),
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
            "flagsAtClaim": flag("Whether only a user with such an activation claims it.", default: true),
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
            "numericDates": flag("Whether messages have moments as milliseconds.", default: false),
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
            "connectionsPerAddress": number("Open connections of one address, at most a quarter of all.", default: 400),
            "waitingRequests": number("Requests that are worked on or wait for it.", default: 512),
            "identityCalls": number("Activations that wait for identity providers.", default: 16),
        ])
    }

    package static func number(_ meaning: String, default value: JSONValue) -> Schema {
        Schema.anyOf([.type("integer"), .text(matching: "^-?[0-9]+$")]).described(meaning, default: value)
    }

    private static func flag(_ meaning: String, default value: JSONValue) -> Schema {
        ValueSchema.flag.described(meaning, default: value)
    }

    private static func time(_ meaning: String, default value: JSONValue) -> Schema {
        ValueSchema.duration.described(meaning, default: value)
    }
}
