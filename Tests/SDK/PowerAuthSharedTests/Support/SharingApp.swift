// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice

/// One of several applications on a device that share an activation, as far as the session interface goes.
struct SharingApp {
    static let instanceId = "com.wultra.lab.shared"
    /// 26 bytes, the longest that goes with a computed memory identifier.
    static let appGroup = "group.com.wultra.testGroup"
    static let accessGroup = "LABTEAM001.com.example.shared"
    static let configurationString =
        "ARDDj6EB6iAUtNmNxKM/BsbaEEs5bP+yVmyjfhQDoox3LDwBAUEEQQ7CWNKAi0EgCfOvd/srfqz4oqhTMLwsT4r7sPLRfqICRw9cCMs/Uoo/"
        + "F2rIz+KKEcBxbnH9bMk8Ju3K1wmjbA=="

    let sandbox: Sandbox
    let session: PowerAuthCoreSession
    let interface: SharedSessionInterface

    /// Installs and starts an application.
    init(
        _ name: String, on device: TemporaryDevice, instanceId: String = instanceId, appGroup: String = appGroup,
        memoryIdentifier: String? = nil, quirks: [String] = [], traceDirectory: String? = nil
    ) throws {
        try self.init(
            in: Self.sandbox(
                name, on: device, appGroup: appGroup, quirks: quirks, traceDirectory: traceDirectory), name,
            instanceId: instanceId,
            appGroup: appGroup, memoryIdentifier: memoryIdentifier)
    }

    /// Starts an application that is installed.
    init(
        in sandbox: Sandbox, _ name: String, instanceId: String = instanceId, appGroup: String = appGroup,
        memoryIdentifier: String? = nil
    ) throws {
        self.sandbox = sandbox
        session = Self.newSession()
        let sharing = PowerAuthSharingConfiguration(
            appGroup: appGroup, appIdentifier: name, keychainAccessGroup: Self.accessGroup)
        sharing.sharedMemoryIdentifier = memoryIdentifier
        let installed = Installed(
            in: sandbox, instanceId: instanceId, accessGroup: Self.accessGroup, suiteName: appGroup, isShared: true)
        interface = try SharedSessionInterface(
            session: session, store: installed.store, sharing: sharing, instanceId: instanceId,
            installation: installed.check, sandbox: sandbox)
    }

    static func sandbox(
        _ name: String, on device: TemporaryDevice, appGroup: String = appGroup, quirks: [String] = [],
        traceDirectory: String? = nil
    ) throws -> Sandbox {
        let app = AppSpec(
            name: name, kind: .app, bundleIdentifier: "com.example." + name, appGroups: [appGroup],
            keychainAccessGroups: [accessGroup], quirks: quirks,
            powerAuth: PowerAuthSpec(sdk: .full, instanceId: instanceId))
        return try device.sandbox(for: app, traceDirectory: traceDirectory)
    }

    static func newSession() -> PowerAuthCoreSession {
        // The configuration string is a valid one.
        PowerAuthCoreSession(
            sessionSetup: PowerAuthCoreSessionSetup(configuration: configurationString)!, timeService: TestTime.shared)!
    }

    /// The shared memory as any process of the device sees it.
    func memory() throws -> MappedMemory {
        let names = SharedNames(instanceId: Self.instanceId, appGroup: Self.appGroup, memoryIdentifier: nil)
        return try sandbox.sharedMemory.open(name: names.memoryName).map()
    }

    /// A copy of the shared memory's bytes.
    func memoryBytes() throws -> Data {
        let memory = try memory()
        return withExtendedLifetime(memory) { Data(memory.bytes) }
    }

    /// Replaces the state in a write task of its own.
    func save(_ state: Data) throws { try interface.write { session in _ = session.deserializeState(state) } }

    /// The state as a read task sees it.
    func state() throws -> Data { try interface.read { $0.serializedState() } }

    /// Starts an activation, as the first step of `createActivation` does.
    func startActivation() throws {
        try interface.write { session in
            guard session.startActivation(PowerAuthCoreActivationStep1Param()) != nil else {
                throw NSError.powerAuth(.invalidActivationState)
            }
            do {
                try interface.startExternalPendingOperation(.activation)
            } catch {
                session.resetSession(false)
                throw error
            }
        }
    }
}

/// A time service for sessions that never need the time.
final class TestTime: PowerAuthCoreTimeService {
    static let shared = TestTime()

    var isTimeSynchronized: Bool { true }
    func currentTime() -> TimeInterval { 1_728_388_800 }
    func startTimeSynchronizationTask() -> Any { 0 }
    func completeTimeSynchronizationTask(_ task: Any, withServerTime serverTime: TimeInterval) -> Bool { true }
}

/// What an SDK object makes of its keychain configuration, with the default names of the services.
struct Installed {
    let services: KeychainServices
    let check: InstallationCheck
    let store: SessionStateStore

    init(
        in sandbox: Sandbox, instanceId: String, accessGroup: String? = nil, suiteName: String? = nil,
        isShared: Bool = false
    ) {
        let configuration = PowerAuthKeychainConfiguration()
        configuration.keychainAttribute_AccessGroup = accessGroup
        services = KeychainServices(configuration, isShared: isShared, system: sandbox.keychain)
        check = InstallationCheck(services: services, instanceId: instanceId, suiteName: suiteName, sandbox: sandbox)
        store = SessionStateStore(keychain: services.status, account: instanceId, records: check.records)
    }

    /// A session without sharing.
    func session(in sandbox: Sandbox) throws(InvalidConfiguration) -> DefaultSessionInterface {
        try DefaultSessionInterface(
            session: SharingApp.newSession(), store: store, installation: check, sandbox: sandbox)
    }
}
