// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabPoints

/// Reads one topology from its YAML form and checks that its parts fit together.
///
/// Used by one thread.
public struct TopologyReader {
    private let collector: DiagnosticCollector

    /// A reader that reports into a collector.
    public init(_ collector: DiagnosticCollector) { self.collector = collector }

    /// Reads a topology.
    /// - Returns: The topology, or nil when anything is wrong with it.
    public func read(_ node: YAMLNode, name: String) -> Topology? {
        let before = collector.count
        guard let reader = MappingReader(node, container: "a topology", reporting: collector) else { return nil }
        let server = reader.optional("server").map(ServerSpecReader(collector).read) ?? ServerSpec()
        var names = NameTable(collector)
        var devices: [DeviceSpec] = []
        if reader.required("devices") != nil {
            let entries = reader.namedEntries("devices") ?? []
            if entries.isEmpty { collector.report(.emptyList(what: "`devices`"), at: reader.place(of: "devices")) }
            for entry in entries {
                names.claim(entry, what: "a device")
                if let device = readDevice(entry, names: &names) { devices.append(device) }
            }
        }
        var links: [LinkSpec] = []
        for entry in reader.namedEntries("links") ?? [] {
            names.claim(entry, what: "a link")
            if let link = readLink(entry, devices: devices) { links.append(link) }
        }
        reader.finish()
        checkHosts(devices: devices, node: node)
        guard collector.count == before else { return nil }
        return Topology(name: name, server: server, devices: devices, links: links)
    }

    /// Reads a topology that is going to be used: the programs of own apps are asked for their vocabularies.
    /// - Returns: The topology, or nil when anything is wrong with it or with a program.
    public func readForUse(_ node: YAMLNode, name: String) -> Topology? {
        read(node, name: name).flatMap { OwnProgramReader(collector: collector).ask($0, at: node) }
    }

    private func readDevice(_ entry: YAMLEntry, names: inout NameTable) -> DeviceSpec? {
        guard let reader = MappingReader(entry.value, container: "a device", reporting: collector) else { return nil }
        let kind = reader.choice("kind", of: DeviceSpec.Kind.self, required: true)
        var device = DeviceSpec(name: entry.key, kind: kind ?? .phone, apps: [])
        if let model = reader.text("model") { device.model = model }
        if let version = reader.text("osVersion") { device.osVersion = version }
        if let team = reader.text("team") { device.team = team }
        if let suspension = reader.choice("suspension", of: DeviceSpec.Suspension.self) {
            device.suspension = suspension
        }
        if let biometry = reader.choice("biometry", of: DeviceSpec.Biometry.self) {
            device.biometry = biometry
            if kind == .watch, biometry != .none {
                collector.report(
                    .misfit(what: "`biometry: \(biometry.rawValue)`", reason: "a watch has no biometry"),
                    at: reader.place(of: "biometry"))
            }
        }
        if let skew = reader.duration("clockSkew") { device.clockSkewMilliseconds = skew.nanoseconds / 1_000_000 }
        let apps = reader.namedEntries("apps") ?? []
        reader.finish()
        for app in apps {
            names.claim(app, what: "an app")
            if let spec = readApp(app, on: kind ?? .phone) { device.apps.append(spec) }
        }
        return device
    }

    private func readApp(_ entry: YAMLEntry, on device: DeviceSpec.Kind) -> AppSpec? {
        guard let reader = MappingReader(entry.value, container: "an app", reporting: collector) else { return nil }
        let fallback: AppSpec.Kind = device == .watch ? .watchApp : .app
        let kind = reader.choice("kind", of: AppSpec.Kind.self) ?? fallback
        if (kind == .watchApp) != (device == .watch) {
            let reason =
                kind == .watchApp
                ? "a watch app is installed on a watch, not on a phone"
                : "only watch apps are installed on a watch"
            collector.report(.misfit(what: "`\(entry.key)`", reason: reason), at: reader.place(of: "kind"))
        }
        var app = AppSpec(
            name: entry.key, kind: kind,
            bundleIdentifier: reader.text("bundleIdentifier", required: true) ?? "",
            powerAuth: PowerAuthSpec(sdk: .full, instanceId: ""))
        app.host = reader.text("host")
        app.appGroups = reader.texts("appGroups") ?? []
        checkAppGroups(in: entry.value)
        app.keychainAccessGroups = reader.texts("keychainAccessGroups") ?? []
        if let environment = reader.choice("pushEnvironment", of: PushEnvironment.self) {
            app.pushEnvironment = environment
            if kind != .app {
                collector.report(
                    .misfit(what: "`pushEnvironment`", reason: "only an app of a phone gets pushes"),
                    at: reader.place(of: "pushEnvironment"))
            }
        }
        app.autostart = reader.boolean("autostart") ?? true
        app.timeLimit = reader.duration("timeLimit")
        if let limit = app.timeLimit { checkTimeLimit(limit, of: kind, at: reader.place(of: "timeLimit")) }
        app.quirks = reader.texts("quirks") ?? []
        checkQuirks(in: entry.value)
        let powerAuth = reader.optional("powerAuth").map { readPowerAuth($0, of: app) }
        app.powerAuth = powerAuth ?? PowerAuthSpec(sdk: defaultSDK(of: kind), instanceId: app.bundleIdentifier)
        app.own = OwnProgramReader(collector: collector).read(reader, of: entry.value)
        reader.finish()
        return app
    }

    private func checkTimeLimit(_ limit: LabDuration, of kind: AppSpec.Kind, at place: SourcePlace) {
        if kind != .appExtension {
            collector.report(
                .misfit(what: "`timeLimit`", reason: "the system limits the time of extensions only"), at: place)
        } else if limit <= .zero {
            collector.report(.outOfRange(what: "`timeLimit`", value: "\(limit)", limit: "more than zero"), at: place)
        }
    }

    /// The platform knows no app group of another form (sharing.md, section 21.2). What an app hands to its SDK under
    /// `sharing` stays unchecked.
    private func checkAppGroups(in app: YAMLNode) {
        for (group, place) in texts("appGroups", in: app) where !group.hasPrefix("group.") || group == "group." {
            collector.report(
                .misfit(what: "`\(group)`", reason: "the name of an app group begins with `group.` and goes on"),
                at: place)
        }
    }

    private func checkQuirks(in app: YAMLNode) {
        let known = Quirk.allCases.map(\.rawValue)
        for (quirk, place) in texts("quirks", in: app) where !known.contains(quirk) {
            collector.report(.unknownName(what: "quirk", name: quirk, known: known), at: place)
        }
    }

    /// The texts of a list with their places, without the elements that `MappingReader.texts` refuses.
    private func texts(_ key: String, in app: YAMLNode) -> [(text: String, place: SourcePlace)] {
        (app[key]?.elements ?? []).filter { !$0.isNull }.compactMap { element in
            element.scalar.map { (text: $0.text, place: element.place) }
        }
    }

    private func defaultSDK(of kind: AppSpec.Kind) -> PowerAuthSpec.SDK {
        switch kind {
        case .app: .full
        case .appExtension: .extensions
        case .watchApp: .watch
        }
    }

    private func readPowerAuth(_ node: YAMLNode, of app: AppSpec) -> PowerAuthSpec {
        var spec = PowerAuthSpec(sdk: defaultSDK(of: app.kind), instanceId: app.bundleIdentifier)
        guard let reader = MappingReader(node, container: "`powerAuth`", reporting: collector) else { return spec }
        if let sdk = reader.choice("sdk", of: PowerAuthSpec.SDK.self) {
            spec.sdk = sdk
            if (sdk == .watch) != (app.kind == .watchApp) {
                collector.report(
                    .misfit(what: "`sdk: \(sdk.rawValue)`", reason: "a watch app, and only it, embeds the watch SDK"),
                    at: node["sdk"]?.place ?? node.place)
            } else if app.kind == .app, sdk == .extensions {
                collector.report(
                    .misfit(what: "`sdk: extensions`", reason: "only an extension embeds the Extensions SDK"),
                    at: node["sdk"]?.place ?? node.place)
            }
        }
        spec.algorithm = reader.choice("algorithm", of: PowerAuthSpec.Algorithm.self)
        if spec.algorithm != nil, spec.sdk != .full2 {
            collector.report(
                .misfit(what: "`algorithm`", reason: "only SDK 2.0 chooses one; write `sdk: \"2.0\"` beside it"),
                at: node["algorithm"]?.place ?? node.place)
        }
        if let instance = reader.text("instanceId") { spec.instanceId = instance }
        spec.baseEndpointUrl = reader.text("baseEndpointUrl")
        spec.configuration = reader.text("configuration")
        spec.keychainAccessGroup = reader.text("keychainAccessGroup")
        spec.userDefaultsSuiteName = reader.text("userDefaultsSuiteName")
        if let key = reader.choice("biometryKey", of: PowerAuthSpec.BiometryKey.self) { spec.biometryKey = key }
        if let validation = reader.choice("sslValidation", of: PowerAuthSpec.SSLValidation.self) {
            spec.sslValidation = validation
        }
        spec.requestTimeout = reader.duration("requestTimeout")
        spec.removesLocalTokens = readSwitch("removesLocalTokens", of: [.extensions], reader, node, sdk: spec.sdk)
        spec.usesApplicationHeaderVersion = readSwitch(
            "usesApplicationHeaderVersion", of: [.extensions], reader, node, sdk: spec.sdk)
        spec.sharesTimeWithWatch = readSwitch("sharesTimeWithWatch", of: [.full, .full2], reader, node, sdk: spec.sdk)
        spec.refreshesTokensOnWatch = readSwitch(
            "refreshesTokensOnWatch", of: [.full, .full2], reader, node, sdk: spec.sdk)
        spec.sharing = reader.optional("sharing").flatMap(readSharing)
        reader.finish()
        return spec
    }

    /// A switch that only some of the SDKs have.
    private func readSwitch(
        _ key: String, of owners: Set<PowerAuthSpec.SDK>, _ reader: MappingReader, _ node: YAMLNode,
        sdk: PowerAuthSpec.SDK
    ) -> Bool {
        guard let value = reader.boolean(key) else { return false }
        if !owners.contains(sdk) {
            let name = owners.contains(.full) ? "full" : "Extensions"
            collector.report(
                .misfit(what: "`\(key)`", reason: "only the \(name) SDK has this switch"),
                at: node[key]?.place ?? node.place)
        }
        return value
    }

    private func readSharing(_ node: YAMLNode) -> SharingSpec? {
        guard let reader = MappingReader(node, container: "`sharing`", reporting: collector) else { return nil }
        let group = reader.text("appGroup", required: true)
        let identifier = reader.text("appIdentifier", required: true)
        let keychain = reader.text("keychainAccessGroup", required: true)
        let memory = reader.text("sharedMemoryIdentifier")
        reader.finish()
        guard let group, let identifier, let keychain else { return nil }
        return SharingSpec(
            appGroup: group, appIdentifier: identifier, keychainAccessGroup: keychain, sharedMemoryIdentifier: memory)
    }

    private func readLink(_ entry: YAMLEntry, devices: [DeviceSpec]) -> LinkSpec? {
        guard let reader = MappingReader(entry.value, container: "a link", reporting: collector) else { return nil }
        func end(_ key: String, _ kind: DeviceSpec.Kind) -> String? {
            guard let name = reader.text(key, required: true), let node = entry.value[key] else { return nil }
            let known = devices.filter { $0.kind == kind }.map(\.name)
            if !known.contains(name) {
                collector.report(.unknownName(what: kind.rawValue, name: name, known: known), at: node.place)
            }
            return name
        }
        let phone = end("phone", .phone)
        let watch = end("watch", .watch)
        let isUp = reader.boolean("up") ?? true
        let transport = reader.choice("over", of: LinkSpec.Transport.self)
        let capacity = reader.integer("capacity", in: 1...1_000_000).map(Int.init) ?? LinkSpec.defaultCapacity
        reader.finish()
        guard let phone, let watch else { return nil }
        return LinkSpec(
            name: entry.key, phone: phone, watch: watch, up: isUp, transport: transport ?? .local, capacity: capacity)
    }

    /// An extension's host is an app of the same phone; a watch app's host is an app of some phone.
    private func checkHosts(devices: [DeviceSpec], node: YAMLNode) {
        for device in devices {
            for app in device.apps {
                guard let host = app.host,
                    let place = node["devices"]?[device.name]?["apps"]?[app.name]?["host"]?.place
                else { continue }
                let candidates = (app.kind == .appExtension ? [device] : devices)
                    .flatMap(\.apps).filter { $0.kind == .app }.map(\.name)
                if app.kind == .app {
                    collector.report(.misfit(what: "`host`", reason: "an app has no host"), at: place)
                } else if !candidates.contains(host) {
                    collector.report(.unknownName(what: "app", name: host, known: candidates), at: place)
                }
            }
        }
    }
}

/// The names a step can address: each is used once, well-formed and no word of the language.
private struct NameTable {
    private let collector: DiagnosticCollector
    private var owners: [String: (what: String, place: SourcePlace)] = [:]

    init(_ collector: DiagnosticCollector) { self.collector = collector }

    mutating func claim(_ entry: YAMLEntry, what: String) {
        let name = entry.key
        if ReservedWords.all.contains(name) {
            collector.report(.reservedName(what: what, name: name), at: entry.keyPlace)
        } else if name.count > 32 || name.first?.isLetter != true
            || !name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        {
            collector.report(.malformedName(what: what, value: name), at: entry.keyPlace)
        } else if let owner = owners[name] {
            collector.report(
                .duplicateName(name: name, what: owner.what), at: entry.keyPlace,
                related: RelatedPlace("given first at", owner.place))
        } else {
            owners[name] = (what, entry.keyPlace)
        }
    }
}

/// The words that the scenario language keeps for itself: no actor can have them as its name.
public enum ReservedWords {
    /// Words that stand where a step's actor stands.
    public static let stepWords = [
        "advance", "check", "during", "each", "eventually", "include", "never", "order", "parallel", "race", "repeat",
        "same", "stays", "waitFor",
    ]
    /// Words beside a command.
    public static let commandSiblings = [
        "as", "either", "eventually", "expect", "fails", "note", "when", "with", "within",
    ]
    /// Words beside whatever stands in a step.
    public static let siblings = commandSiblings + ["orders", "others", "winners"]
    /// Actors that every instance has.
    public static let builtInActors = ["server", "faults", "clock", "trace"]
    /// Words that are answered with how to say it instead.
    public static let refused = [
        "delay", "else", "goto", "if", "loop", "pause", "retry", "sleep", "unless", "until", "wait", "while",
    ]
    /// Words of blocks and of the file itself.
    public static let structure = [
        "branches", "for", "in", "lab", "name", "rows", "row", "setup", "steps", "tags", "tearDown", "times", "values",
    ]

    /// All of them.
    public static let all = Set(stepWords + siblings + builtInActors + refused + structure)
}
