import LabKit
import SimulatedDevice

/// Faults of the device's storage.
extension DeviceAgent {
    /// Adds the commands about the storage.
    static func addDiskHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
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
}
