// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import TestSupport
import Testing

@testable import ScenarioLanguage

@Suite("A topology is read with all settings, and has the defaults of the schema", .endsInTime)
struct TopologyReaderTests {
    private func read(_ text: String) throws -> Topology {
        let collector = DiagnosticCollector()
        let file = SourceFile(path: "/project/lab.yaml", text: text)
        let labFile = try #require(NamedTopologies.read(file, reporting: collector))
        let entry = try #require(labFile.topologies.first)
        return try #require(
            TopologyReader(collector).read(entry.value, name: entry.key),
            "\(DiagnosticRenderer().render(collector.diagnostics))")
    }

    private static let full = """
        topologies:
          full:
            server: { port: 8081, maxFailedAttempts: 3, signatureLookAhead: 7, pageSize: 9 }
            devices:
              phone:
                kind: phone
                model: "iPhone99,1"
                osVersion: "18.4"
                team: TEAM000009
                suspension: lenient
                biometry: touchID
                clockSkew: -2m
                apps:
                  main:
                    kind: app
                    bundleIdentifier: com.example.main
                    appGroups: [group.one, group.two]
                    keychainAccessGroups: [TEAM000009.one]
                    pushEnvironment: development
                    autostart: false
                    quirks: [sharing.D1]
                    powerAuth:
                      sdk: full
                      instanceId: instance
                      baseEndpointUrl: https://server.example
                      configuration: ARC
                      keychainAccessGroup: TEAM000009.two
                      userDefaultsSuiteName: group.two
                      biometryKey: currentSet
                      sslValidation: none
                      requestTimeout: 7s
                      sharesTimeWithWatch: true
                      sharing:
                        appGroup: group.one
                        appIdentifier: first
                        keychainAccessGroup: TEAM000009.one
                        sharedMemoryIdentifier: mem
                  wallet:
                    bundleIdentifier: com.example.wallet
                    executable: bin/wallet
                    settings: { speed: fast, level: 3 }
                    powerAuth: { sdk: "2.0", algorithm: EC_P384_ML_L5, refreshesTokensOnWatch: true }
                  widget:
                    kind: extension
                    host: main
                    bundleIdentifier: com.example.main.widget
                    timeLimit: 30s
                    executable: /opt/widget
                    powerAuth: { removesLocalTokens: true }
                  notifier:
                    kind: extension
                    bundleIdentifier: com.example.main.notifier
                    powerAuth: { usesApplicationHeaderVersion: true }
              watch:
                kind: watch
                apps: { companion: { host: main, bundleIdentifier: com.example.main.watch } }
            links:
              pairing: { phone: phone, watch: watch, up: false, over: tcp, capacity: 9 }
        """

    @Test func `Every setting of a file has its place in the topology`() throws {
        let topology = try read(Self.full)
        let sharing = SharingSpec(
            appGroup: "group.one", appIdentifier: "first", keychainAccessGroup: "TEAM000009.one",
            sharedMemoryIdentifier: "mem")
        let main = AppSpec(
            name: "main", kind: .app, bundleIdentifier: "com.example.main", appGroups: ["group.one", "group.two"],
            keychainAccessGroups: ["TEAM000009.one"], pushEnvironment: .development, autostart: false,
            quirks: ["sharing.D1"],
            powerAuth: PowerAuthSpec(
                sdk: .full, instanceId: "instance", baseEndpointUrl: "https://server.example", configuration: "ARC",
                sharing: sharing, keychainAccessGroup: "TEAM000009.two", userDefaultsSuiteName: "group.two",
                biometryKey: .currentSet, sslValidation: .noValidation, requestTimeout: .seconds(7),
                sharesTimeWithWatch: true))
        let wallet = AppSpec(
            name: "wallet", kind: .app, bundleIdentifier: "com.example.wallet",
            powerAuth: PowerAuthSpec(
                sdk: .full2, algorithm: .ecP384L5, instanceId: "com.example.wallet", refreshesTokensOnWatch: true),
            own: OwnProgram(path: "/project/bin/wallet", settings: ["speed": "fast", "level": "3"]))
        let widget = AppSpec(
            name: "widget", kind: .appExtension, bundleIdentifier: "com.example.main.widget", host: "main",
            timeLimit: .seconds(30),
            powerAuth: PowerAuthSpec(sdk: .extensions, instanceId: "com.example.main.widget", removesLocalTokens: true),
            own: OwnProgram(path: "/opt/widget"))
        let notifier = AppSpec(
            name: "notifier", kind: .appExtension, bundleIdentifier: "com.example.main.notifier",
            powerAuth: PowerAuthSpec(
                sdk: .extensions, instanceId: "com.example.main.notifier", usesApplicationHeaderVersion: true))
        let companion = AppSpec(
            name: "companion", kind: .watchApp, bundleIdentifier: "com.example.main.watch", host: "main",
            powerAuth: PowerAuthSpec(sdk: .watch, instanceId: "com.example.main.watch"))
        let phone = DeviceSpec(
            name: "phone", kind: .phone, model: "iPhone99,1", osVersion: "18.4", team: "TEAM000009",
            suspension: .lenient, biometry: .touchID, clockSkewMilliseconds: -120_000,
            apps: [main, wallet, widget, notifier])
        var settings = ServerSettings()
        settings.pageSize = 9
        // Part by part, so that a difference is seen.
        #expect(topology.name == "full")
        #expect(
            topology.server
                == ServerSpec(port: 8081, maxFailedAttempts: 3, signatureLookAhead: 7, settings: settings))
        #expect(topology.devices.map(\.name) == ["phone", "watch"])
        for (app, expected) in zip(topology.apps, phone.apps + [companion]) { #expect(app == expected) }
        #expect(topology.devices == [phone, DeviceSpec(name: "watch", kind: .watch, apps: [companion])])
        #expect(
            topology.links == [
                LinkSpec(name: "pairing", phone: "phone", watch: "watch", up: false, transport: .tcp, capacity: 9)
            ])
    }

    @Test func `The defaults are those of the platform, and those that the schema names`() throws {
        let topology = try read(
            """
            topologies:
              default:
                devices:
                  phone: { kind: phone, apps: { main: { bundleIdentifier: a } } }
                  watch: { kind: watch }
                links: { pairing: { phone: phone, watch: watch } }
            """)
        let (phone, app, link) = (topology.devices[0], topology.devices[0].apps[0], topology.links[0])
        #expect(topology.devices.map(\.model) == ["iPhone15,2", "Watch6,18"])
        #expect(topology.devices.map(\.biometry) == [.faceID, .none])
        #expect(app.timeLimit == nil && app.powerAuth.requestTimeout == nil)
        let definitions = ScenarioSchema.json(of: .lab)["definitions"]
        let parts: [(String, JSONValue)] = [
            ("device", try JSONValue(encoding: phone)), ("app", try JSONValue(encoding: app)),
            ("powerAuth", try JSONValue(encoding: app.powerAuth)), ("link", try JSONValue(encoding: link)),
            ("server", try JSONValue(encoding: topology.server)),
        ]
        // Members with another name or unit than their key; the SDK's own default stands for no value.
        let others: [String: JSONValue] = ["clockSkew": "0s", "over": "local", "requestTimeout": "20s"]
        #expect(phone.clockSkewMilliseconds == 0 && link.transport == .local)
        var count = 0
        for (part, values) in parts {
            let properties = try #require(definitions?[part]?["properties"]?.objectValue, "\(part)")
            for (key, property) in properties {
                // The server knows the defaults of the settings that are left out here.
                guard let named = property["default"], let value = values[key] ?? others[key] else { continue }
                count += 1
                #expect(named == value, "\(part): \(key)")
            }
        }
        #expect(count == 19)
    }
}
