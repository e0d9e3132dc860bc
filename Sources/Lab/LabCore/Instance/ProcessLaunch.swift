// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem

/// How a device starts the process of an app: the words of its command line, which the device writes and the program reads.
///
/// An argument library looks at every option of a program by reflection, which takes a fifth of the time until a process
/// answers. It reads what people write; these words, always the same, are compared.
public struct AppLaunch: Equatable, Sendable {
    /// Directory of the instance.
    public var instance: String
    /// Actor name of the app.
    public var app: String
    /// Number of the process among those of the same app, from 1.
    public var incarnation: Int

    /// A launch of an app.
    /// - Parameter incarnation: Number of the process among those of the same app, from 1.
    public init(instance: String, app: String, incarnation: Int) {
        self.instance = instance
        self.app = app
        self.incarnation = incarnation
    }

    /// The words, without the program's name.
    public var arguments: [String] { ["--instance", instance, "--as", app, "--incarnation", "\(incarnation)"] }

    /// Reads the words; nil for all others, which a person may have written.
    public init?(arguments: [String]) {
        guard arguments.count == 6, let incarnation = Int(arguments[5]) else { return nil }
        self.init(instance: arguments[1], app: arguments[3], incarnation: incarnation)
        guard self.arguments == arguments else { return nil }
    }
}

/// How the agent of a device is started: the words of its command line.
public struct AgentLaunch: Equatable, Sendable {
    /// Directory of the instance.
    public var instance: String
    /// Name of the device.
    public var device: String

    /// A start of an agent.
    public init(instance: String, device: String) {
        self.instance = instance
        self.device = device
    }

    /// The words, without the program's name.
    public var arguments: [String] { ["--instance", instance, "--device", device] }

    /// Reads the words; nil for all others, which a person may have written.
    public init?(arguments: [String]) {
        guard arguments.count == 4 else { return nil }
        self.init(instance: arguments[1], device: arguments[3])
        guard self.arguments == arguments else { return nil }
    }
}

/// Numbers the incarnations of a peer: each start of its process gets the next one, from 1.
public enum Incarnations {
    /// Takes the next number of a peer. Processes that start at the same time get different ones, and a process killed
    /// meanwhile wastes at most one number.
    public static func next(_ layout: InstanceLayout, _ peer: String) throws -> Int {
        try InstanceLayout.check(peer)
        let path = "\(layout.incarnationsDirectory)/\(peer)"
        let lock = try FileLock(path: path)
        return try lock.withLock {
            // Eight bytes, written by one call.
            let stored = try lock.descriptor.read(count: 8, at: 0)
            let last = stored.count == 8 ? stored.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } : 0
            guard last < UInt64(Int32.max) else {
                throw InstanceError.unreadable(path: path, expected: "a counter of incarnations")
            }
            try withUnsafeBytes(of: last + 1) { try lock.descriptor.writeAll(Data($0), at: 0) }
            return Int(last + 1)
        }
    }
}

/// How much longer than on an idle developer machine this machine may take, before something counts as hanging.
///
/// The lab's limits of real time (a process starts, answers, ends) are for things that never happen; lab time knows
/// nothing of them. On a machine that is slow on purpose, such as a shared build server or a sanitizer's run, the
/// environment variable `LAB_TIME_FACTOR` stretches all of them at once.
public enum TimeFactor {
    /// The name of the environment variable.
    public static let variable = "LAB_TIME_FACTOR"

    /// The factor of this process: what the variable says, 1 without it, never less than 1.
    public static let current = factor(in: ProcessInfo.processInfo.environment)

    /// The factor of an environment; a text that is not a finite number of 1 or more counts as 1.
    static func factor(in environment: [String: String]) -> Double {
        guard let factor = environment[variable].flatMap(Double.init), factor.isFinite else { return 1 }
        return max(1, factor)
    }
}

extension LabDuration {
    /// This limit of real time, stretched by ``TimeFactor/current``.
    public var stretched: LabDuration { stretched(by: TimeFactor.current) }

    /// At most some thirty years, so that a deadline can be counted from now.
    func stretched(by factor: Double) -> LabDuration {
        LabDuration(nanoseconds: Int64(min(Double(nanoseconds) * factor, 1e18)))
    }
}
