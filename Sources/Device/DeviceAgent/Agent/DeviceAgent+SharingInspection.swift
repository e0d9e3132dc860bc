import LabKit
import LabSystem
import PowerAuthProtocol
import SimulatedDevice

/// The shared state of apps, read by the system: without any lock, and without mapping memory that a process may
/// truncate.
extension DeviceAgent {
    /// Adds the command that shows it.
    static func addSharingInspection(to table: inout CommandDispatcher<DeviceAgent>) {
        table.answer(InspectSharing.self) { arguments, agent in try agent.inspectSharing(of: arguments.of) }
    }

    /// An app that shares its activation, and how.
    fileprivate struct SharingApp {
        let app: AppSpec
        let sharing: SharingSpec

        init?(_ app: AppSpec) {
            guard let sharing = app.powerAuth.sharing else { return nil }
            (self.app, self.sharing) = (app, sharing)
        }

        var instanceId: String { app.powerAuth.instanceId }
        var group: String { sharing.appGroup }

        var names: SharedNames {
            SharedNames(
                instanceId: instanceId, appGroup: group, memoryIdentifier: sharing.sharedMemoryIdentifier)
        }

        func shares(_ activation: InspectSharing.Activation) -> Bool {
            activation.instanceId == instanceId && activation.appGroup == group
        }
    }

    /// - Parameter target: an app, an app group, or nil for everything.
    private func inspectSharing(of target: String?) throws -> InspectSharing.Result {
        let sharing = device.apps.compactMap(SharingApp.init)
        let wanted = sharing.filter { app in
            target == nil || app.app.name == target || app.group == target
        }
        if let target, wanted.isEmpty {
            let known = sharing.map(\.app.name) + Set(sharing.map(\.group)).sorted()
            throw ControlError.badArgument(
                "`\(target)` is neither an app of \(device.name) that shares its activation nor an app group of one; "
                    + (known.isEmpty ? "none does" : "known are \(known.joined(separator: ", "))"))
        }
        let locks = try LockTable(hosts.values.sorted { $0.spec.name < $1.spec.name }, manifest.tracesDirectory)
        let inventory = try KeychainInventory(path: layout.keychainPath(device.name)).entries()
        var activations: [InspectSharing.Activation] = []
        for first in wanted where !activations.contains(where: first.shares) {
            let apps = sharing.filter { $0.instanceId == first.instanceId && $0.group == first.group }
            activations.append(try activation(first, apps, locks, inventory))
        }
        return activations
    }

    /// - Parameters:
    ///   - first: one of the apps.
    ///   - apps: all that share with it.
    private func activation(
        _ first: SharingApp, _ apps: [SharingApp], _ locks: LockTable, _ inventory: [KeychainInventory.Entry]
    ) throws -> InspectSharing.Activation {
        let names = first.names
        let group = first.group
        let container = try registry.existingContainer(ofGroup: group)
        let lock = { (kind: String, file: String) in locks.lock(kind, at: container.map { $0 + "/" + file }) }
        let recorded = container.flatMap { try? Files.read($0 + "/" + names.memoryRecord) }
            .map { String(decoding: $0, as: UTF8.self) }
        var memoryNames = apps.map(\.names.memoryName)
        if let recorded { memoryNames.insert(recorded, at: 0) }
        let boot = BootNames(layout: layout, device: device.name, boot: try registry.boot())
        var pages: [SharedPage] = []
        for name in memoryNames where !pages.contains(where: { $0.name == name }) {
            pages.append(try SharedPage(name, physicalName: boot.physicalName(of: name)))
        }
        // A configured but unused name is left out if memory of another name exists.
        let existing = pages.filter { $0.size != nil }
        if !existing.isEmpty { pages = existing }
        let accessGroups = Set(apps.map(\.sharing.keychainAccessGroup))
        let operationLock = lock("operation", names.operationLock)
        return InspectSharing.Activation {
            $0.instanceId = first.instanceId
            $0.appGroup = group
            $0.apps = apps.map(\.app.name)
            $0.memory = pages.map { $0.reported(instanceHash: names.instanceHash, isRecorded: $0.name == recorded) }
            $0.statusLock = lock("status", names.statusLock)
            $0.queueLock = lock("queue", names.queueLock)
            $0.operationLock = operationLock
            $0.operation = pages.first?.operation(now: deviceClock.now()).map { operation in
                var operation = operation
                operation.app = apps.first { $0.sharing.appIdentifier == operation.application }?.app.name
                operation.ownerIsAlive = !operationLock.holders.isEmpty
                return operation
            }
            $0.keychainItems = inventory.filter { accessGroups.contains($0.key.accessGroup) }.map(\.reported)
        }
    }
}

extension KeychainInventory.Entry {
    fileprivate var reported: InspectSharing.Item {
        InspectSharing.Item {
            $0.service = key.service
            $0.account = key.account
            $0.accessGroup = key.accessGroup
            $0.size = size
            $0.protection =
                switch protection {
                case .none: .none
                case .currentBiometricSet: .currentBiometricSet
                case .anyBiometricSet: .anyBiometricSet
                case .anyBiometricSetOrDevicePasscode: .anyBiometricSetOrDevicePasscode
                }
        }
    }
}
