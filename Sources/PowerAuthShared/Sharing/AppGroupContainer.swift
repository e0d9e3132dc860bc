import Foundation
import SimulatedDevice

/// The directory that the applications of a group share, and what PowerAuth keeps there (sharing.md, section 4).
struct AppGroupContainer: Sendable {
    let path: String
    private let sandbox: Sandbox

    /// - Throws: ``InvalidConfiguration/appGroupNotEntitled(_:)``, ``InvalidConfiguration/deviceNotUnlocked`` before the
    ///   first unlock of the device, or ``InvalidConfiguration/appGroupUnavailable(_:)``.
    init(appGroup: String, sandbox: Sandbox) throws(InvalidConfiguration) {
        guard sandbox.identity.appGroups.contains(appGroup) else { throw .appGroupNotEntitled(appGroup) }
        // The system answers nil for both, and for a container that it cannot open.
        guard sandbox.isUnlockedSinceBoot else { throw .deviceNotUnlocked }
        guard let path = sandbox.containerPath(forAppGroup: appGroup) else { throw .appGroupUnavailable(appGroup) }
        self.path = path
        self.sandbox = sandbox
    }

    func path(of file: String) -> String { path + "/" + file }

    /// The name of the memory that the applications with this instance identifier agreed on, or nil.
    func recordedMemoryName(instanceId: String) -> String? {
        try? String(contentsOfFile: path(of: Self.memoryNameFile(instanceId)), encoding: .utf8)
    }

    /// Records the name, for the applications that come later. Call under the status lock.
    func recordMemoryName(_ name: String, instanceId: String) {
        do {
            try sandbox.write(Data(name.utf8), to: path(of: Self.memoryNameFile(instanceId)))
        } catch {
            // Without the record a wrong identifier of another application stays unnoticed; sharing itself works.
            PowerAuthLog.write("The shared memory name could not be recorded: \(error)")
        }
    }

    private static func memoryNameFile(_ instanceId: String) -> String {
        "PowerAuthSharedMemory-" + SharedNames.hash("memoryName:" + instanceId)
    }
}
