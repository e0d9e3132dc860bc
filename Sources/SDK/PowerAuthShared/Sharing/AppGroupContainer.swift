// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import PowerAuthProtocol
import SimulatedDevice

/// The directory that the applications of a group share, and what PowerAuth keeps there (sharing.md, section 4).
///
/// It can disappear while applications run; asking for a path in it creates it again.
struct AppGroupContainer: Sendable {
    private let appGroup: String
    private let pathAtStart: String
    private let sandbox: Sandbox

    /// - Throws: ``InvalidConfiguration/appGroupNotEntitled(_:)``, ``InvalidConfiguration/deviceNotUnlocked`` before the
    ///   first unlock of the device, or ``InvalidConfiguration/appGroupUnavailable(_:)``.
    init(appGroup: String, sandbox: Sandbox) throws(InvalidConfiguration) {
        guard sandbox.identity.appGroups.contains(appGroup) else { throw .appGroupNotEntitled(appGroup) }
        // The system answers nil for both, and for a container that it cannot open.
        guard sandbox.isUnlockedSinceBoot else { throw .deviceNotUnlocked }
        guard let path = sandbox.containerPath(forAppGroup: appGroup) else { throw .appGroupUnavailable(appGroup) }
        self.appGroup = appGroup
        self.sandbox = sandbox
        pathAtStart = path
    }

    func path(of file: String) -> String { (sandbox.containerPath(forAppGroup: appGroup) ?? pathAtStart) + "/" + file }

    /// Opens a lock whose file is in the container, here and whenever the file is missing.
    func opened<Lock>(
        _ file: String, _ open: (@escaping @Sendable () -> String) throws -> Lock
    ) throws(InvalidConfiguration) -> Lock {
        do {
            return try open { path(of: file) }
        } catch {
            throw .lockFileUnavailable(path: path(of: file), reason: String(describing: error))
        }
    }

    /// The name of the memory that the applications agreed on, or nil.
    func recordedMemoryName(_ names: SharedNames) -> String? {
        try? String(contentsOfFile: path(of: names.memoryRecord), encoding: .utf8)
    }

    /// Records the name, for the applications that come later. Call under the status lock.
    func recordMemoryName(_ names: SharedNames) {
        do {
            try sandbox.write(Data(names.memoryName.utf8), to: path(of: names.memoryRecord))
            try? sandbox.pass(.memoryNameRecorded)
        } catch {
            // Without the record a wrong identifier of another application stays unnoticed; sharing itself works.
            PowerAuthLog.write("The shared memory name could not be recorded: \(error)")
        }
    }
}
