// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import LabVocabulary
import PowerAuthProtocol
import SimulatedDevice

/// The shared state of apps, read by the system: without any lock, and without mapping memory that a process may
/// truncate.
extension DeviceAgent {
    static func addSharingHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
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
            SharedNames(instanceId: instanceId, appGroup: group, memoryIdentifier: sharing.sharedMemoryIdentifier)
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

/// A copy of the memory that apps share.
///
/// Copied by `read` instead of mapped: truncating mapped memory ends the process that reads it.
struct SharedPage {
    /// The name that the apps know.
    let name: String
    /// Size of the memory in bytes; nil if it does not exist.
    let size: Int?
    /// The fields; nil when there are too few bytes.
    private let bytes: Data?

    init(_ name: String, physicalName: String) throws {
        self.name = name
        do {
            let copy = try SharedMemoryObject.copy(name: physicalName, count: SharedData.size)
            size = copy.size
            bytes = copy.bytes.count == SharedData.size ? copy.bytes : nil
        } catch let error as SystemError where error.errno == ENOENT {
            (size, bytes) = (nil, nil)
        }
    }

    private func withFields<T>(_ body: (SharedData) -> T) -> T? {
        guard let bytes else { return nil }
        // In a buffer of its own: the fields are read as aligned words.
        return withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 8) { buffer in
            buffer.copyBytes(from: bytes)
            return buffer.baseAddress.map { body(SharedData(base: $0)) }
        }
    }

    /// What is reported about the memory, which should have the hash; `isRecorded` if the apps have recorded its name.
    func reported(instanceHash: Data, isRecorded: Bool) -> InspectSharing.Memory {
        var memory = InspectSharing.Memory {
            $0.name = name
            $0.isRecorded = isRecorded
            $0.size = size
            $0.state = size == nil ? .missing : .tooShort
        }
        _ = withFields { fields in
            memory.state = Self.state(of: fields, instanceHash: instanceHash)
            memory.magic = Self.text(of: fields.magic)
            memory.version = Self.text(of: Data([fields.version]))
            memory.instanceHash = fields.instanceHash.map { String(format: "%02x", $0) }.joined()
            memory.stateModifyCounter = fields.stateModifyCounter
            memory.tokenModifyCounter = fields.tokenModifyCounter
            memory.operationTicket = fields.operationTicket
        }
        return memory
    }

    private static func state(of fields: SharedData, instanceHash: Data) -> InspectSharing.MemoryState {
        if fields.isUninitialized { return .unfinished }
        if !fields.hasMagic { return .wrongMagic }
        if fields.instanceHash != instanceHash { return .otherInstance }
        return fields.hasKnownVersion ? .usable : .wrongVersion
    }

    /// Printable characters as they are, others in hexadecimal digits.
    private static func text(of bytes: Data) -> String {
        bytes.map { (0x21...0x7E).contains($0) ? String(UnicodeScalar($0)) : String(format: "\\x%02x", $0) }.joined()
    }

    /// The operation that the memory announces; nil for none. Whether its owner lives is left open.
    func operation(now: Date) -> InspectSharing.Operation? {
        withFields { fields -> InspectSharing.Operation? in
            guard fields.operationType != 0 else { return nil }
            return InspectSharing.Operation {
                $0.type =
                    switch fields.operationType {
                    case 1: "activation"
                    case 2: "protocolUpgrade"
                    case let other: "\(other)"
                    }
                $0.application = fields.operationApplication
                // Any process that can write the memory can write any number there.
                $0.age = Int(exactly: ((now.timeIntervalSince1970 - fields.operationStart) * 1000).rounded())
                $0.ownerIsAlive = false
            }
        } ?? nil
    }
}
