import LabKit
import LabSystem
import SimulatedDevice

/// Damage to what apps share, done while they use it.
extension DeviceAgent {
    /// Adds the commands about shared memory and group containers.
    static func addSharedDataHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
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
