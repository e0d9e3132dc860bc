// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabHTTP
import PowerAuth2
public import PowerAuthCore
import PowerAuthShared
import SimulatedDevice

/// An app that shares an activation with others of its device, each in a process of its own, for the benchmarks.
///
/// It is the SDK object of an app, on the files and the memory of a simulated device, without a trace: what a task of the
/// shared session costs, and nothing of the lab around it.
public final class SharingApp {
    private let sdk: PowerAuthSDK
    private let device: TemporaryDevice?
    /// The directory of the device's instance, for the apps in other processes.
    public let instance: String

    private static let appGroup = "group.com.example.lab"
    private static let accessGroup = "LABTEAM001.com.example.shared"

    /// Makes a device and its first app. The device goes with this object.
    ///
    /// - Parameter configuration: the configuration string of the SDK.
    public convenience init(configuration: String) throws {
        let device = try TemporaryDevice()
        try self.init(
            "main", configuration, device, device.layout, try device.sandbox(for: Self.app("main"), traceDirectory: nil)
        )
    }

    /// Makes another app of a device that a process has made.
    ///
    /// - Parameters:
    ///   - name: the app's name, not that of another app.
    ///   - instance: ``instance`` of the first app.
    ///   - configuration: the configuration string of the first app.
    public convenience init(named name: String, instance: String, configuration: String) throws {
        let layout = InstanceLayout(root: instance)
        let manifest = try InstanceManifest.read(layout)
        guard let device = manifest.topology.devices.first else { throw MissingDevice(instance: instance) }
        let sandbox = try Sandbox(
            layout: layout, device: device, app: Self.app(name), incarnation: 1, trace: nil,
            clock: LabClock.open(layout.clockPath), faults: FaultTable.open(layout.faultsPath))
        try self.init(name, configuration, nil, layout, sandbox)
    }

    private init(
        _ name: String, _ configurationString: String, _ device: TemporaryDevice?, _ layout: InstanceLayout,
        _ sandbox: Sandbox
    ) throws {
        let configuration = PowerAuthConfiguration(
            instanceId: "benchmark", baseEndpointUrl: "http://127.0.0.1", configuration: configurationString)
        configuration.sharingConfiguration = PowerAuthSharingConfiguration(
            appGroup: Self.appGroup, appIdentifier: name, keychainAccessGroup: Self.accessGroup)
        sdk = try PowerAuthSDK(configuration: configuration, sandbox: sandbox, transport: CurlTransport.shared)
        self.device = device
        instance = layout.root
    }

    private static func app(_ name: String) -> AppSpec {
        AppSpec(
            name: name, kind: .app, bundleIdentifier: "com.example." + name, appGroups: [appGroup],
            keychainAccessGroups: [accessGroup], powerAuth: PowerAuthSpec(sdk: .full, instanceId: "benchmark"))
    }

    /// Runs a read task (sharing.md, section 7), and gives what `body` gives; false when the state is out of reach.
    public func read(_ body: (PowerAuthCoreSession) -> Bool) -> Bool { sdk.sessionProvider.readBoolTask(session: body) }

    /// Runs a write task, which stores the state when `body` has changed it.
    public func write(_ body: (PowerAuthCoreSession) -> Bool) -> Bool {
        sdk.sessionProvider.writeBoolTask(session: body)
    }
}

/// The directory is not that of a device's instance.
private struct MissingDevice: Error, CustomStringConvertible {
    let instance: String

    var description: String { "\(instance)/instance.json names no device; give the directory of SharingApp.instance." }
}
