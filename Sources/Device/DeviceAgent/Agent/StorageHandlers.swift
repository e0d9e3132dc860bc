// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabControl
import LabCore
import LabPoints
import LabSystem
import LabVocabulary
import SimulatedDevice

/// An error of the device's storage, as traces and apps see it.
struct StorageFailure: Equatable {
    /// Name of the system error, such as `ENOSPC`.
    let name: String

    init(_ error: any Error) {
        name =
            switch error {
            case let refusal as DeviceDisk.Refusal: refusal.rawValue
            case let fault as InjectedFault: fault.errno == nil ? "EIO" : fault.error
            case let error as SystemError: error.name
            case let error as DatabaseError where error.resultCode == .SQLITE_FULL: "ENOSPC"
            case let error as DatabaseError where error.resultCode == .SQLITE_READONLY: "EROFS"
            default: "EIO"
            }
    }

    /// The `WCError.Code` with which an operation ends that needs the storage (watch.md, section 9.7).
    var code: Int { ["ENOSPC", "EDQUOT"].contains(name) ? LinkCode.insufficientSpace : LinkCode.fileAccessDenied }
}

extension TraceWriter {
    /// Traces that the storage of the device has refused a write of the device itself.
    /// - Parameter bytes: nil when it is not known how many there were.
    func emit(_ failure: StorageFailure, of what: String, bytes: Int? = nil) {
        var fields: [String: JSONValue] = ["what": .string(what), "error": .string(failure.name)]
        fields["bytes"] = bytes.map { .integer(Int64($0)) }
        emit(.diskRefused, fields)
    }
}

extension DeviceAgent {
    /// Does work that no operation waits for. If the storage refuses a write, the old state stays, which is traced;
    /// neither the device nor its apps end.
    func enduring(_ what: String, _ body: () throws -> Void) {
        do { try body() } catch { trace.emit(StorageFailure(error), of: what) }
    }

    static func addStorageHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        addSharedDataHandlers(to: &table)
        table.answer(HeldFileLocks.self) { _, agent in try agent.fileLocks() }
        table.answer(FillDisk.self) { arguments, agent in
            let number = agent.disk.fill(leaving: arguments.free)
            return ArmedDiskFault { $0.id = number }
        }
        table.answer(MakeDiskReadOnly.self) { _, agent in
            let number = agent.disk.makeReadOnly()
            return ArmedDiskFault { $0.id = number }
        }
        table.answer(FreeDisk.self) { _, agent in agent.disk.free() }
        table.answer(ListDiskFaults.self) { _, agent in
            [agent.disk.fault].compactMap(\.self).map { fault in
                ListDiskFaults.Fault {
                    $0.id = fault.number
                    $0.fired = fault.refusals
                }
            }
        }
    }

    private static func addSharedDataHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        table.answer(UnlinkSharedMemory.self) { _, agent in
            for name in try agent.sharedMemoryNames() { try SharedMemoryObject.unlink(name: name) }
        }
        table.answer(TruncateSharedMemory.self) { arguments, agent in
            for name in try agent.sharedMemoryNames() {
                try SharedMemoryObject.open(name: name).truncate(to: arguments.size)
            }
        }
        table.answer(OverwriteSharedMemory.self) { arguments, agent in
            for name in try agent.sharedMemoryNames() {
                let memory = try SharedMemoryObject.open(name: name).map()
                withExtendedLifetime(memory) {
                    for place in memory.bytes.indices.dropFirst(arguments.offset).prefix(arguments.count) {
                        memory.bytes[place] = UInt8(arguments.byte)
                    }
                }
            }
        }
        table.answer(RemoveGroupContainer.self) { arguments, agent in
            guard agent.device.apps.contains(where: { $0.appGroups.contains(arguments.appGroup) }) else {
                throw ControlError.badArgument(
                    "no app of \(agent.device.name) is in the app group '\(arguments.appGroup)'")
            }
            try Files.removeTree(agent.registry.container(ofGroup: arguments.appGroup))
        }
    }

    private func fileLocks() throws -> HeldFileLocks.Result {
        try device.apps.flatMap { app in
            guard let pid = hosts[app.name]?.process.pid else { return [HeldFileLocks.Lock]() }
            return try ProcessTable.heldLocks(by: pid).compactMap { lock in
                guard let path = lock.path, path.hasPrefix(layout.root + "/") else { return nil }
                return HeldFileLocks.Lock {
                    $0.app = app.name
                    $0.file = String(path.dropFirst(layout.root.count + 1))
                    $0.isExclusive = lock.isExclusive
                }
            }
        }
    }

    /// The names of the shared memory that apps have made since the device was started.
    private func sharedMemoryNames() throws -> [String] {
        let names = try BootNames(layout: layout, device: device.name, boot: registry.boot()).existing()
        guard !names.isEmpty else {
            throw ControlError.device(
                .wrongState, "There is no shared memory on \(device.name): no app shares its activation.")
        }
        return names
    }
}
