// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import LabCore
public import LabPoints
import LabSystem
import Synchronization

/// Everything the simulated operating system gives to one app: its identity, its storage, the clock, the watch.
///
/// A process has one, set once by ``enter(_:)`` before any SDK object exists; SDK objects capture ``current`` when they
/// are created. Tests in one process give each object a sandbox of its own.
///
/// Thread rule: any thread.
public final class Sandbox: Sendable {
    /// Identity and entitlements of the app.
    public let identity: AppIdentity
    /// What the system reports about the device.
    public let device: DeviceInformation
    /// The device's wall clock.
    public let clock: DeviceClock
    /// Waits for lengths of the device's time.
    public let timer: DeviceTimer
    /// Passcode, biometry and lock of the device.
    public let security: DeviceSecurity
    /// Asks the owner of the device for a finger, a face or the passcode.
    package let authentication: AuthenticationService
    /// The device's keychain, as far as this app may use it.
    public let keychain: SystemKeychain
    /// The shared memory names of the current boot.
    public let sharedMemory: NamedSharedMemorySpace
    /// How the device reaches the network.
    public let connectivity: DeviceConnectivity
    /// News about the app's own life.
    public let lifecycle = ApplicationLifecycle()
    /// The app's directory, created when the sandbox was; `HOME` of its process.
    public let home: String
    /// Version of the app, `CFBundleShortVersionString`.
    public let appVersion = "1.0"
    /// Number of the app's build, `CFBundleVersion`.
    static let buildNumber = "1"
    /// Name of the app's executable.
    public let executableName: String

    private let storage: AppStorage
    private let quirks: QuirkSet
    private let registry: DeviceRegistry
    private let labAuthorityPath: String
    private let preferencesLock: String
    private let traceWriter: TraceWriter?
    private let faults: FaultTable?
    private let backend = Mutex<(any WatchSessionBackend)?>(nil)
    /// Kept alive as long as the sandbox: the private device of a test.
    private let owner: (any AnyObject & Sendable)?
    private let notificationService = Mutex<NotificationService?>(nil)
    private let backgroundTaskService = Mutex<BackgroundTaskService?>(nil)

    /// Builds what an app sees on a device of a live instance.
    /// - Parameters:
    ///   - incarnation: Number of the process among those of the same app, from 1.
    ///   - trace: Where events go; nil drops them.
    ///   - faults: The instance's armed faults; nil means none.
    public convenience init(
        layout: InstanceLayout, device: DeviceSpec, app: AppSpec, incarnation: Int, trace: TraceWriter?,
        clock: LabClock, faults: FaultTable?
    ) throws {
        try self.init(layout: layout, device: device, app: app, trace: trace, clock: clock, faults: faults, owner: nil)
    }

    init(
        layout: InstanceLayout, device: DeviceSpec, app: AppSpec, trace: TraceWriter?, clock: LabClock,
        faults: FaultTable?, owner: (any AnyObject & Sendable)?
    ) throws {
        let identity = AppIdentity(app: app, team: device.team)
        let registry = DeviceRegistry(layout: layout, device: device.name)
        self.identity = identity
        self.registry = registry
        self.owner = owner
        traceWriter = trace
        self.faults = faults
        executableName = app.executable
        quirks = try QuirkSet(parsing: app.quirks)
        home = try registry.container(ofApp: app.bundleIdentifier)
        let touch: @Sendable (SharedThing, Bool) -> Void = { [name = app.name] thing, isWriting in
            faults?.touch(thing, writing: isWriting, process: name)
        }
        let storage = AppStorage(
            disk: try DeviceDisk(layout: layout, device: device.name), trace: trace,
            changesRoom: { touch(.device, true) })
        self.storage = storage
        preferencesLock = layout.deviceDirectory(device.name) + "/preferences.lock"
        labAuthorityPath = layout.authorityPath
        let security = try DeviceSecurity(layout: layout, device: device)
        self.security = security
        authentication = AuthenticationService(
            security: security, app: app.name, clock: clock, trace: trace, touch: { touch(.device, $0) })
        self.device = DeviceInformation(
            model: device.model, platform: device.kind == .phone ? "ios" : "watchos", osVersion: device.osVersion,
            vendor: {
                guard security.state.isUnlockedSinceBoot else { return "" }
                return (try? registry.vendorIdentifier(team: device.team)) ?? ""
            })
        connectivity = try DeviceConnectivity(layout: layout, device: device)
        timer = DeviceTimer(clock: clock)
        self.clock = try DeviceClock(
            layout: layout, device: device.name, clock: clock, initialSkew: device.clockSkewMilliseconds)
        sharedMemory = NamedSharedMemorySpace(
            appGroups: app.appGroups, boot: BootNames(layout: layout, device: device.name, boot: try registry.boot()))
        keychain = SystemKeychain(
            path: layout.keychainPath(device.name), accessGroups: identity.keychainAccessGroups,
            creator: app.bundleIdentifier,
            hooks: .tracing(trace, storage: storage, touch: { touch(.keychain, $0) }) {
                [name = app.name] point, item in
                try faults?.pass(point, process: name, about: item())
            },
            authentication: authentication, owner: owner)
    }

    private static let entered = Mutex<Sandbox?>(nil)

    /// The sandbox of this process. Using it before ``enter(_:)`` is a programming error.
    public static var current: Sandbox {
        guard let sandbox = entered.withLock({ $0 }) else {
            fatalError("No sandbox: call Sandbox.enter(_:) before the first use of an SDK.")
        }
        return sandbox
    }

    /// The sandbox of this process, or nil before ``enter(_:)``.
    public static var currentIfEntered: Sandbox? { entered.withLock { $0 } }

    /// Makes `sandbox` the one of this process, and its app the one that `Bundle.main` describes. Once only, before
    /// other threads ask.
    public static func enter(_ sandbox: Sandbox) {
        entered.withLock { current in
            precondition(current == nil, "A process enters its sandbox once.")
            current = sandbox
        }
        MainBundle.adopt(sandbox)
    }

    /// PEM file of the certificate authority that is installed on the device besides the system's: that of the
    /// instance's server. Nil if none is installed.
    public var installedAuthorityPath: String? { Files.exists(labAuthorityPath) ? labAuthorityPath : nil }

    /// False from a start of the device until it is unlocked: keychain, containers and preferences are closed. It never
    /// becomes false again while a process lives.
    public var isUnlockedSinceBoot: Bool { security.state.isUnlockedSinceBoot }

    /// The directory shared by the apps of a group, or nil when the app is not entitled to it, and before the first
    /// unlock of the device (sharing.md, sections 21.2 and 21.6).
    public func containerPath(forAppGroup group: String) -> String? {
        guard identity.appGroups.contains(group), isUnlockedSinceBoot else { return nil }
        // What the app does with the path is not seen; most do it at once, and it may be a write.
        touch(.files, writing: true)
        return try? registry.container(ofGroup: group)
    }

    /// Replaces a file in a container of the app in one step.
    package func write(_ data: Data, to path: String) throws {
        touch(.files, writing: true)
        try storage.write(data, to: path, for: "container")
    }

    /// The app's preferences: standard for nil, otherwise a suite (sharing.md, section 21.5).
    ///
    /// An entitled app group names the suite shared in the group's container, any other name one that is private to
    /// the app. The app's own bundle identifier names none: the result is nil.
    public func defaults(suite: String? = nil) -> DefaultsSuite? {
        if suite == identity.bundleIdentifier { return nil }
        let group = suite.flatMap { identity.appGroups.contains($0) ? $0 : nil }
        let file = (suite ?? identity.bundleIdentifier).replacing("/", with: ":")
        return DefaultsSuite(
            path: { [home, registry] in
                let container = if let group { try registry.container(ofGroup: group) } else { home }
                return "\(container)/Library/Preferences/\(file).json"
            }, lockPath: preferencesLock, storage: storage,
            isReadable: { [security] in security.state.isUnlockedSinceBoot },
            touch: { [faults, name = identity.name] isWriting in
                // No other app reads or writes a suite without a group.
                faults?.touch(group == nil ? .own : .preferences, writing: isWriting, process: name)
            },
            failed: { [traceWriter] error in
                traceWriter?.emitFailure("preferences", error)
            })
    }

    /// Whether the app has a defect of the original SDK, as its installation asks for.
    public func keeps(_ quirk: Quirk) -> Bool { quirks.contains(quirk) }

    /// Passes a place at which the system may end this process, hold it, or let its next step fail.
    /// - Parameter subject: The path of the request, for a place that is passed by requests.
    /// - Throws: The failure that the system brings about.
    public func pass(_ point: FaultPoint, about subject: @autoclosure () -> String = "") throws {
        try faults?.pass(point, process: identity.name, about: subject())
    }

    /// Passes a place in the app's own code, at which an explored order may hold this process.
    package func pass(_ checkpoint: Checkpoint) { faults?.takeTurn(at: checkpoint.place, of: identity.name) }

    /// Notes an access to something that the app shares with other processes, for an exploration of orders. No place
    /// that is passed lies between the note and the access. Costs next to nothing otherwise.
    /// - Parameter writing: Whether the access can change something.
    public func touch(_ thing: SharedThing, writing: Bool) {
        faults?.touch(thing, writing: writing, process: identity.name)
    }

    /// Writes an event to the trace of this process, with the lab operation on whose behalf it happens.
    /// - Parameter details: Those that are declared for the event; one without a value is left out.
    public func trace(_ event: TraceEventName, _ details: KeyValuePairs<TraceField, TraceValue?> = [:]) {
        guard let traceWriter else { return }
        var fields: [String: JSONValue] = [:]
        for (field, value) in details { fields[field.name] = value.map { JSONValue($0) } }
        traceWriter.emit(event, operation: Self.operation, fields)
    }

    /// The connection to the system's watch services; nil for a process without one.
    public var watchSession: (any WatchSessionBackend)? { backend.withLock { $0 } }

    /// Gives the app its watch services; before the first use of `WCSession`.
    public func connect(watchSession: any WatchSessionBackend) { backend.withLock { $0 = watchSession } }

    /// The app's notifications; nil for a process that no agent knows.
    public var notifications: NotificationService? { notificationService.withLock { $0 } }

    /// Gives the app its notifications; before the first use of `UNUserNotificationCenter` and `UIApplication`.
    public func connect(notifications: NotificationService) { notificationService.withLock { $0 = notifications } }

    /// The app's background tasks; nil for a process that no agent knows.
    public var backgroundTasks: BackgroundTaskService? { backgroundTaskService.withLock { $0 } }

    /// Gives the app its background tasks; before the first use of `WKApplication` and `WKExtension`.
    public func connect(backgroundTasks: BackgroundTaskService) {
        backgroundTaskService.withLock { $0 = backgroundTasks }
    }
}

extension TraceWriter {
    /// Notes a failure of the simulated system that an app only sees as a status.
    func emitFailure(_ service: String, _ error: any Error) {
        emit(.log, ["level": .string("error"), "message": .string("The \(service) failed: \(error)")])
    }
}

extension Sandbox {
    /// The lab operation on whose behalf the code runs: a step of a scenario, or a command typed by hand.
    ///
    /// The simulated platform sends it along, so that traces show cause and effect across processes. Code that
    /// continues on another thread sets it again there.
    @TaskLocal public static var operation: String?
}

extension JSONValue {
    fileprivate init(_ value: TraceValue) {
        self =
            switch value {
            case .text(let text): .string(text)
            case .integer(let number): .integer(number)
            case .boolean(let truth): .bool(truth)
            }
    }
}
