// SPDX-License-Identifier: Apache-2.0

public import LabCore

/// A device of its own for tests in one process: no agent, no other processes. Its directory and its shared memory
/// are removed with the last sandbox.
///
/// Thread rule: any thread.
public final class TemporaryDevice: Sendable {
    /// Description of the device; it lists no apps.
    public let spec: DeviceSpec
    private let instance: Instance
    /// The device's lab clock.
    public let clock: LabClock
    /// Faults for the sandboxes of this device.
    public let faults: FaultTable

    /// Creates an empty device, with a clock that runs at the speed of real time.
    /// - Parameter biometry: The sensor; nil takes the one usual for the kind of device.
    public init(
        kind: DeviceSpec.Kind = .phone, name: String = "device", team: String = "LABTEAM001",
        biometry: DeviceSpec.Biometry? = nil
    ) throws {
        let spec = DeviceSpec(name: name, kind: kind, team: team, biometry: biometry, apps: [])
        instance = try Instance.create { layout in
            InstanceManifest(
                id: layout.id, labFile: nil, topology: Topology(name: "temporary", devices: [spec]),
                runDirectory: layout.root + "/run", seed: 0, executablesDirectory: "")
        }
        self.spec = spec
        clock = try LabClock.open(instance.layout.clockPath)
        faults = try FaultTable.open(instance.layout.faultsPath)
    }

    deinit { end() }

    /// Removes the device: its directory and its shared memory. Its apps must not use it any longer.
    public func end() {
        // The only member of its instance, so this removes it.
        _ = try? instance.end()
    }

    /// Where the device lives.
    public var layout: InstanceLayout { instance.layout }

    /// Installs an app and returns its sandbox.
    /// - Parameter traceDirectory: Where to write a trace; nil writes none.
    public func sandbox(for app: AppSpec, traceDirectory: String? = nil) throws -> Sandbox {
        let trace = try traceDirectory.map { try TraceWriter(directory: $0, process: app.name, incarnation: 1) }
        return try Sandbox(
            layout: layout, device: spec, app: app, trace: trace, clock: clock, faults: faults, owner: self)
    }

    /// Installs an app given by its names and entitlements, and returns its sandbox.
    public func sandbox(
        name: String = "main", kind: AppSpec.Kind = .app, bundleIdentifier: String = "com.example.main",
        appGroups: [String] = [], keychainAccessGroups: [String] = [], quirks: [String] = []
    ) throws -> Sandbox {
        try sandbox(
            for: AppSpec(
                name: name, kind: kind, bundleIdentifier: bundleIdentifier, appGroups: appGroups,
                keychainAccessGroups: keychainAccessGroups, quirks: quirks,
                powerAuth: PowerAuthSpec(sdk: kind == .watchApp ? .watch : .full, instanceId: "test")))
    }
}

extension Sandbox {
    /// One app on a device of its own, for tests in one process.
    public static func temporary(
        name: String = "main", kind: AppSpec.Kind = .app, bundleIdentifier: String = "com.example.main",
        appGroups: [String] = [], keychainAccessGroups: [String] = [], quirks: [String] = []
    ) throws -> Sandbox {
        try TemporaryDevice(kind: kind == .watchApp ? .watch : .phone).sandbox(
            name: name, kind: kind, bundleIdentifier: bundleIdentifier, appGroups: appGroups,
            keychainAccessGroups: keychainAccessGroups, quirks: quirks)
    }
}
