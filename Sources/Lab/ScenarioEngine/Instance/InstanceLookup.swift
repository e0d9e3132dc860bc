// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LabCore
import LabSystem
import ScenarioLanguage

/// Finds the instance that a command is meant for.
public enum InstanceLookup {
    /// The instance named by an option or by `LAB_INSTANCE`, or the only running one made from a lab file.
    /// - Parameters:
    ///   - name: An instance's identifier or directory.
    ///   - labFile: The lab file of the current directory; nil considers all instances.
    ///   - environment: Environment variables.
    /// - Throws: ``BadUsage`` that lists the running instances.
    public static func find(
        _ name: String?, labFile: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> InstanceConnection {
        guard let connection = try findIfRunning(name, labFile: labFile, environment: environment) else {
            throw BadUsage(sentence: "no instance is running here. Start one with `lab up`")
        }
        return connection
    }

    /// The same, but nil when no instance is named and none is running here.
    /// - Throws: ``BadUsage`` if the named instance is not running, or if several are running and none is named.
    public static func findIfRunning(
        _ name: String?, labFile: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> InstanceConnection? {
        if let wanted = name ?? environment["LAB_INSTANCE"], !wanted.isEmpty {
            let root = wanted.contains("/") ? Files.absolute(wanted) : "\(try Instance.runtimeRoot())/\(wanted)"
            let layout = InstanceLayout(root: root)
            guard Lease.isHeld(layout) else {
                let known = (try? Instance.live().map(\.id)) ?? []
                let advice = nearest(wanted, among: known).map { "; did you mean \($0)?" } ?? ""
                throw BadUsage(sentence: "there is no running instance \(wanted)\(advice); `lab ps` lists them")
            }
            return try InstanceConnection(layout)
        }
        let live = try Instance.live(madeFrom: labFile.map(Files.absolute))
        switch live.count {
        case 1: return try InstanceConnection(live[0])
        case 0: return nil
        default:
            throw BadUsage(
                sentence:
                    "several instances run here: \(live.map(\.id).joined(separator: ", ")). Name one with --instance")
        }
    }

    /// Connections to all running instances of this user, oldest first.
    public static func all() throws -> [InstanceConnection] {
        try Instance.live().compactMap { try? InstanceConnection($0) }
    }

    /// Asks the runner of an instance to end it, and waits until it is gone.
    /// - Returns: Whether it was gone within the time.
    public static func end(_ connection: InstanceConnection, timeout: LabDuration = .seconds(10).stretched) throws
        -> Bool
    {
        let watch = try ProcessWatch(pid: connection.manifest.runnerPid)
        try watch.signal(SIGINT)
        let deadline = Int64(MonotonicClock.nanoseconds()) + timeout.nanoseconds
        let parent = Files.directory(of: connection.layout.root)
        let directory = try DirectoryWatch(parent)
        while Files.exists(connection.layout.root) {
            let rest = deadline - Int64(MonotonicClock.nanoseconds())
            guard rest > 0 else { return false }
            _ = try Polling.waitReadable([directory.rawDescriptor], timeoutNanoseconds: rest)
            _ = try directory.changes()
        }
        return true
    }
}
