// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabReports
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// Checks everything that the lab needs from a machine.
public struct Doctor {
    /// The result of one check.
    public struct Finding: Sendable {
        /// The checked item.
        public let subject: String
        /// The finding, in a few words.
        public let state: String
        /// The advice; nil if nothing is to be done.
        public let advice: String?

        /// Whether the lab works despite the advice.
        public var isOptional = false

        /// Whether nothing has to be done.
        public var isFine: Bool { advice == nil || isOptional }
    }

    /// Maximum disk space of an instance with a handful of apps, in bytes.
    private static let neededSharedMemory: UInt64 = 1 << 20
    private static let neededDisk: UInt64 = 100 << 20
    /// Each process opens a few dozen, a runner a few for each process.
    private static let neededDescriptors: UInt64 = 1_024

    private let environment: [String: String]

    /// - Parameter environment: variables that determine paths.
    public init(environment: [String: String]) { self.environment = environment }

    /// Runs all checks in order.
    public func examine() -> [Finding] {
        [
            programs, runtimeFolder, space(of: "/dev/shm", named: "shared memory", needed: Self.neededSharedMemory),
            records, locks, descriptors, loopback, ptrace, browser, versions, running, leftovers,
        ]
    }

    /// Where runs are recorded: `.lab` can be on another disk than the folder around it.
    private var records: Finding {
        let subject = "disk for records"
        let folder = Files.exists(".lab") ? ".lab" : "."
        let path = "\(folder)/lab-doctor-\(getpid())"
        defer { try? Files.remove(path) }
        do {
            try Files.touch(path)
        } catch {
            return Finding(
                subject: subject, state: "\(error)",
                advice: "Runs are recorded there: use a folder that may be written.")
        }
        return space(of: folder, named: subject, needed: Self.neededDisk)
    }

    private var programs: Finding {
        let subject = "programs"
        do {
            let found = try Executables.find(environment: environment)
            let missing = found.missing
            guard missing.isEmpty else {
                return Finding(
                    subject: subject, state: "\(missing.joined(separator: ", ")) cannot be run in \(found.directory)",
                    advice: "Build all products, or set LAB_BIN to the directory that holds them.")
            }
            return Finding(subject: subject, state: "all in \(found.directory)", advice: nil)
        } catch {
            return Finding(subject: subject, state: "not found", advice: "\(error)")
        }
    }

    private var runtimeFolder: Finding {
        do {
            let root = try Instance.runtimeRoot()
            // A socket's path consists of the root, an identifier and a name.
            let longest = root.utf8.count + 40
            guard longest <= InstanceLayout.maximumSocketPath else {
                return Finding(
                    subject: "folder of instances", state: "\(root) is too long for the paths of sockets",
                    advice: "Set XDG_RUNTIME_DIR, or TMPDIR, to a shorter path.")
            }
            let space = space(of: root, named: "folder of instances", needed: Self.neededSharedMemory)
            return space.isFine ? Finding(subject: space.subject, state: root, advice: nil) : space
        } catch {
            return Finding(
                subject: "folder of instances", state: "\(error)",
                advice: "Set XDG_RUNTIME_DIR to a directory of your own that only you may enter.")
        }
    }

    private func space(of path: String, named subject: String, needed: UInt64) -> Finding {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else {
            return Finding(
                subject: subject, state: SystemError(call: "statvfs", errno: errno).sentence,
                advice: "Mount a file system at \(path).")
        }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        let state = "\(free >> 20) MiB free in \(path)"
        return Finding(
            subject: subject, state: state,
            advice: free >= needed ? nil : "The lab needs \(needed >> 20) MiB there; make room, or mount a larger one.")
    }

    private var locks: Finding {
        let path = "\(NSTemporaryDirectory())/lab-doctor-\(getpid())"
        defer { try? Files.remove(path) }
        do {
            try Files.touch(path)
            let first = try FileLock(path: path)
            let second = try FileLock(path: path)
            guard try first.tryLock(), try !second.tryLock() else {
                return Finding(
                    subject: "file locks", state: "two locks of one file do not exclude each other",
                    advice: "Use a local file system for \(NSTemporaryDirectory()), by TMPDIR.")
            }
            return Finding(subject: "file locks", state: "they exclude each other", advice: nil)
        } catch {
            return Finding(
                subject: "file locks", state: "\(error)", advice: "Set TMPDIR to a directory that may be written.")
        }
    }

    private var descriptors: Finding {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Finding(
            subject: "open files", state: "\(limit.rlim_cur) for each process",
            advice: limit.rlim_cur >= Self.neededDescriptors
                ? nil : "Raise the limit: ulimit -n \(Self.neededDescriptors)")
    }

    private var loopback: Finding {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(socket, 1) == 0
            }
        }
        return Finding(
            subject: "loopback",
            state: isBound ? "a server can listen at 127.0.0.1" : "nothing can listen at 127.0.0.1",
            advice: isBound ? nil : "Bring the interface up: ip link set lo up")
    }

    /// Tools that inspect other processes need it, and many containers forbid it.
    private var ptrace: Finding { Finding(subject: "ptrace", state: "not needed", advice: nil) }

    /// Pictures need it, and nothing else.
    private var browser: Finding {
        let (subject, purpose) = ("browser", "for `lab screenshot`")
        do {
            let found = try HeadlessBrowser(at: nil, environment: environment)
            return Finding(subject: subject, state: "\(found.program), \(purpose)", advice: nil)
        } catch {
            return Finding(subject: subject, state: "none \(purpose)", advice: "\(error)", isOptional: true)
        }
    }

    private var versions: Finding {
        // Only the server is linked with all of them.
        let server = (try? Executables.find(environment: environment)).flatMap { programs in
            try? ToolCall.output(of: [programs.path("lab-server"), "--libraries"])
        }
        let libraries = server.flatMap { try? JSONDecoder().decode([String: String].self, from: $0) } ?? [:]
        let versions =
            ["lab \(LabVersion.current)", ControlTransport.library]
            + libraries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } + [RunCircumstances.machine]
        return Finding(
            subject: "versions", state: versions.joined(separator: ", "),
            advice: libraries.isEmpty ? "`lab-server --libraries` did not answer; it says why when you call it." : nil)
    }

    private var running: Finding {
        let live = (try? Instance.live().count) ?? 0
        return Finding(
            subject: "running instances", state: live == 0 ? "none" : "\(live); `lab ps` lists them", advice: nil)
    }

    private var leftovers: Finding {
        let subject = "dead instances"
        do {
            let found = try DeadInstances()
            let names = Self.paths(of: found)
            guard !names.isEmpty else { return Finding(subject: subject, state: "none", advice: nil) }
            return Finding(
                subject: subject, state: names.joined(separator: ", "),
                advice: "Remove what they left: lab doctor --clean",
                isOptional: true)
        } catch {
            return Finding(
                subject: subject, state: "\(error)", advice: "Look into the folder of instances, and make it readable.")
        }
    }

    private static func paths(of dead: DeadInstances) -> [String] {
        dead.directories + dead.sharedMemory.map { "/dev/shm\($0)" }
    }

    /// Removes the leftovers of dead instances.
    /// - Returns: the removed paths.
    /// - Throws: ``LabFailure`` when something cannot be removed.
    public static func clean() throws -> [String] {
        do {
            let found = try DeadInstances()
            try found.remove()
            return paths(of: found)
        } catch let error as SystemError {
            throw LabFailure("the leftovers of dead instances could not all be removed: \(error.sentence)")
        }
    }
}
