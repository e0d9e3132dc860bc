import LabFile
import LabKit

/// The schemas of `lab.yaml` and of the parts of a topology that a scenario replaces. The readers of these files have
/// no printable declarations; `SchemaTests` compare the keys with those that the readers accept.
enum TopologySchema {
    /// The whole of `lab.yaml`.
    static var labFile: Schema {
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
                "autostart": ValueSchema.flag
                    .described("Whether the app is launched with the instance.", default: true),
                "timeLimit": ValueSchema.duration
                    .described("How long a process of an extension may live; by default for ever."),
                "executable": text("The user's own program that plays it; relative to this file."),
                "settings": Schema.type("object").described("Texts that the own program is given, by name."),
                "quirks": Schema.list(of: .word(of: Quirk.all.map { ($0.rawValue, $0.summary) }))
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

    static func text(_ meaning: String, default value: JSONValue? = nil) -> Schema {
        ValueSchema.text.described(meaning, default: value)
    }

    static func texts(_ meaning: String) -> Schema { Schema.list(of: ValueSchema.text).described(meaning) }

    static func word<Word: CaseIterable & RawRepresentable<String>>(
        of type: Word.Type, _ meaning: String, default value: JSONValue? = nil
    ) -> Schema {
        Schema.word(of: type.allCases.map(\.rawValue)).described(meaning, default: value)
    }
}
