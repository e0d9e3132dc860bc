// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabVocabulary
import TestSupport
import Testing

@Suite("Topologies", .endsInTime)
struct TopologyTests {
    /// Compares the JSON form of a value.
    private func check(
        _ value: some Encodable, _ expected: JSONValue, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try JSONValue(encoding: value) == expected, sourceLocation: sourceLocation)
    }

    @Test func `What an app leaves open has the documented value`() throws {
        let powerAuth: JSONValue = [
            "sdk": "full", "instanceId": "i", "biometryKey": "anySet", "sslValidation": "system",
            "removesLocalTokens": false, "usesApplicationHeaderVersion": false, "sharesTimeWithWatch": false,
            "refreshesTokensOnWatch": false,
        ]
        let spec = PowerAuthSpec(sdk: .full, instanceId: "i")
        try check(spec, powerAuth)
        try check(
            AppSpec(name: "a", kind: .app, bundleIdentifier: "b", powerAuth: spec),
            [
                "name": "a", "kind": "app", "bundleIdentifier": "b", "appGroups": [], "keychainAccessGroups": [],
                "pushEnvironment": "production", "autostart": true, "quirks": [], "powerAuth": powerAuth,
            ])
    }

    @Test func `What a device and a link leave open has the documented value`() throws {
        for (kind, model, biometry) in [
            (DeviceSpec.Kind.phone, "iPhone15,2", "faceID"), (.watch, "Watch6,18", "none"),
        ] {
            try check(
                DeviceSpec(name: "d", kind: kind, apps: []),
                [
                    "name": "d", "kind": .string(kind.rawValue), "model": .string(model), "osVersion": "17.5",
                    "team": "LABTEAM001", "suspension": "strict", "biometry": .string(biometry),
                    "clockSkewMilliseconds": 0, "apps": [],
                ])
        }
        try check(
            LinkSpec(name: "l", phone: "p", watch: "w"),
            ["name": "l", "phone": "p", "watch": "w", "up": true, "transport": "local", "capacity": 20_000])
    }

    @Test func `What a server leaves open has the documented value`() throws {
        let settings: JSONValue = [
            "operationTemplates": [], "uiTemplates": [], "callbacks": .object([:]), "limits": .object([:]),
        ]
        try check(ServerSpec(), ["port": 0, "maxFailedAttempts": 5, "signatureLookAhead": 20, "settings": settings])
        try check(
            ServerSettings.OperationTemplate(templateName: "t", dataTemplate: "d"),
            [
                "templateName": "t", "operationType": "t", "dataTemplate": "d",
                "signatureType": ["POSSESSION_KNOWLEDGE", "POSSESSION_BIOMETRY"], "maxFailureCount": 5,
                "expiration": 300, "proximityCheckEnabled": false,
            ])
        try check(
            ServerSettings.UITemplate(placeholder: "p", title: "t", message: "m"),
            ["placeholder": "p", "language": "en", "title": "t", "message": "m"])
        #expect(ServerSettings.UITemplate.languageLength == 8)
    }

    private static let powerAuth = PowerAuthSpec(
        sdk: .watch, algorithm: .ecP384L3, instanceId: "a", baseEndpointUrl: "b", configuration: "c",
        sharing: SharingSpec(appGroup: "d", appIdentifier: "e", keychainAccessGroup: "f", sharedMemoryIdentifier: "g"),
        keychainAccessGroup: "h", userDefaultsSuiteName: "i", biometryKey: .currentSet, sslValidation: .noValidation,
        requestTimeout: .seconds(1), removesLocalTokens: true, usesApplicationHeaderVersion: false,
        sharesTimeWithWatch: true, refreshesTokensOnWatch: false)

    private static let app = AppSpec(
        name: "j", kind: .appExtension, bundleIdentifier: "k", host: "l", appGroups: ["m"],
        keychainAccessGroups: ["n"], pushEnvironment: .development, autostart: false, timeLimit: .seconds(2),
        quirks: ["o"], powerAuth: powerAuth, own: OwnProgram(path: "/p/q", settings: ["r": "s"]))

    private static let device = DeviceSpec(
        name: "t", kind: .watch, model: "u", osVersion: "v", team: "w", suspension: .lenient, biometry: .touchID,
        clockSkewMilliseconds: -3, apps: [app])

    private static let topology = Topology(
        name: "x", server: ServerSpec(port: 4, maxFailedAttempts: 5, signatureLookAhead: 6),
        devices: [DeviceSpec(name: "phone", kind: .phone, apps: []), device],
        links: [
            LinkSpec(name: "y", phone: "phone", watch: "t", up: false, transport: .tcp, capacity: 7),
            LinkSpec(name: "z", phone: "other", watch: "t"), LinkSpec(name: "0", phone: "phone", watch: "1"),
        ])

    @Test func `Every value of an SDK, an app and a device has its own place`() throws {
        let powerAuth: JSONValue = [
            "sdk": "watch", "algorithm": "EC_P384_ML_L3", "instanceId": "a", "baseEndpointUrl": "b",
            "configuration": "c",
            "sharing": [
                "appGroup": "d", "appIdentifier": "e", "keychainAccessGroup": "f", "sharedMemoryIdentifier": "g",
            ],
            "keychainAccessGroup": "h", "userDefaultsSuiteName": "i", "biometryKey": "currentSet",
            "sslValidation": "none", "requestTimeout": "1s", "removesLocalTokens": true,
            "usesApplicationHeaderVersion": false, "sharesTimeWithWatch": true, "refreshesTokensOnWatch": false,
        ]
        try check(Self.powerAuth, powerAuth)
        let app: JSONValue = [
            "name": "j", "kind": "extension", "bundleIdentifier": "k", "host": "l", "appGroups": ["m"],
            "keychainAccessGroups": ["n"], "pushEnvironment": "development", "autostart": false, "timeLimit": "2s",
            "quirks": ["o"],
            "powerAuth": powerAuth, "own": ["path": "/p/q", "settings": ["r": "s"]],
        ]
        try check(Self.app, app)
        let device: JSONValue = [
            "name": "t", "kind": "watch", "model": "u", "osVersion": "v", "team": "w", "suspension": "lenient",
            "biometry": "touchID", "clockSkewMilliseconds": -3, "apps": [app],
        ]
        try check(Self.device, device)
    }

    @Test func `A topology is read as it was written`() throws {
        let json = try JSONValue(encoding: Self.topology)
        #expect(try json.decode(Topology.self) == Self.topology)
        #expect(
            json["links"]?[0] == [
                "name": "y", "phone": "phone", "watch": "t", "up": false, "transport": "tcp", "capacity": 7,
            ])
        #expect(json["server"]?["port"] == 4)
        #expect(json["server"]?["maxFailedAttempts"] == 5 && json["server"]?["signatureLookAhead"] == 6)
    }

    @Test func `Devices, apps and links are found by their names`() {
        let topology = Self.topology
        #expect(topology.apps == [Self.app])
        #expect(topology.device(named: "t") == Self.device && topology.device(named: "j") == nil)
        #expect(topology.app(named: "j")?.device == Self.device && topology.app(named: "j")?.app == Self.app)
        #expect(topology.app(named: "t") == nil)
        #expect(topology.link(named: "z")?.phone == "other" && topology.link(named: "t") == nil)
        #expect(topology.links(of: "t").map(\.name) == ["y", "z"])
        #expect(topology.links(of: "phone").map(\.name) == ["y", "0"])
        #expect(topology.links(of: "j") == [])
    }

    @Test func `An app is played by its own program, or by the lab's for its kind`() {
        for (kind, executable) in [
            (AppSpec.Kind.app, "main-app"), (.appExtension, "app-extension"), (.watchApp, "watch-companion"),
        ] {
            var app = AppSpec(
                name: "a", kind: kind, bundleIdentifier: "b", powerAuth: PowerAuthSpec(sdk: .full, instanceId: "i"))
            #expect(app.executable == executable && app.executablePath(in: "/bin") == "/bin/\(executable)")
            app.own = OwnProgram(path: "/my/program")
            #expect(app.executable == "program" && app.executablePath(in: "/bin") == "/my/program")
        }
        #expect(OwnProgram(path: "/").name == "/")
    }

    @Test func `The SDK inside decides which commands an app understands`() {
        for (sdk, kind) in [
            (PowerAuthSpec.SDK.full, ActorKind.app), (.full2, .app2), (.extensions, .appExtension), (.watch, .watchApp),
        ] {
            let app = AppSpec(
                name: "a", kind: .app, bundleIdentifier: "b", powerAuth: PowerAuthSpec(sdk: sdk, instanceId: "i"))
            #expect(app.actorKind == kind)
            #expect(app.commands.map(\.name) == Vocabulary.lab.names(of: kind))
            #expect(app.command(named: "lock") == nil)
        }
        #expect(Set<ActorKind>.allApps == [.app, .app2, .appExtension, .watchApp])
    }
}
