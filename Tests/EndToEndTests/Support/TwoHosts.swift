// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import LabSystem
import Testing

/// Two hosts with a cable between them: two network namespaces of this machine, each with its own workspace.
///
/// Any thread.
final class TwoHosts: Sendable {
    /// One host.
    final class Host: Sendable {
        let workspace: Workspace
        let address: String
        /// Keeps the namespace alive.
        fileprivate let holder: LabCommand
        fileprivate var namespace: String { "/proc/\(holder.pid)/ns/net" }

        fileprivate init(address: String) throws {
            self.address = address
            workspace = try Workspace()
            holder = try LabCommand(
                ["-n", "/usr/bin/tail", "-f", "/dev/null"], in: workspace, executable: "/usr/bin/unshare")
        }

        /// Starts `lab` on the host.
        func start(_ arguments: String...) throws -> LabCommand { try start(arguments) }

        func start(_ arguments: [String]) throws -> LabCommand {
            let directory = URL(filePath: try ProcessTable.executablePath()).deletingLastPathComponent()
            return try LabCommand(
                ["--net=\(namespace)", directory.appending(path: "lab").path] + arguments, in: workspace,
                executable: "/usr/bin/nsenter")
        }

        /// Sends a command to the host's lab and returns the answer. Runs on the host too: it may start processes.
        @discardableResult
        func exec(_ words: String...) throws -> String {
            let outcome = try start(["exec"] + words).finish()
            try #require(outcome.status == 0, "\(words): \(outcome.output)\(outcome.errors)")
            return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        fileprivate func run(_ words: String...) throws {
            let outcome = try LabCommand(
                ["--net=\(namespace)"] + words, in: workspace, executable: "/usr/bin/nsenter"
            ).finish()
            try #require(outcome.status == 0, "\(words): \(outcome.errors)")
        }
    }

    let owner: Host
    let guest: Host

    /// Why this machine cannot run two hosts; nil if it can.
    static let obstacle: Comment? = {
        let tools = ["/usr/bin/unshare", "/usr/bin/nsenter", "/usr/sbin/ip"]
        if let missing = tools.first(where: { access($0, X_OK) != 0 }) { return "\(missing) is not installed" }
        guard geteuid() == 0 else { return "only root may make network namespaces" }
        guard let workspace = try? Workspace(),
            let outcome = try? LabCommand(
                ["-n", "/usr/sbin/ip", "link", "add", "lab-probe", "type", "veth", "peer", "name", "lab-probe2"],
                in: workspace, executable: "/usr/bin/unshare"
            ).finish(), outcome.status == 0
        else { return "this machine may not make network namespaces with interfaces" }
        return nil
    }()

    init() throws {
        owner = try Host(address: "192.0.2.7")
        guest = try Host(address: "192.0.2.8")
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
        for host in [owner, guest] {
            try waitUntil("the network namespace of \(host.address)") {
                let found = try? FileManager.default.destinationOfSymbolicLink(atPath: host.namespace)
                return found != nil && found != own
            }
        }
        try owner.run(
            "/usr/sbin/ip", "link", "add", "lab0", "type", "veth", "peer", "name", "lab0", "netns",
            "\(guest.holder.pid)")
        for host in [owner, guest] {
            try host.run("/usr/sbin/ip", "addr", "add", "\(host.address)/24", "dev", "lab0")
            try host.run("/usr/sbin/ip", "link", "set", "lab0", "up")
            try host.run("/usr/sbin/ip", "link", "set", "lo", "up")
        }
    }

    /// Unplugs the cable, or plugs it in again.
    func setCable(isPlugged: Bool) throws {
        try guest.run("/usr/sbin/ip", "link", "set", "lab0", isPlugged ? "up" : "down")
    }

    /// Copies the key from host to host.
    func carryKey() throws {
        let (from, to) = ("\(owner.workspace.directory)/.lab/join.key", "\(guest.workspace.directory)/join.key")
        try? FileManager.default.removeItem(atPath: to)
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    /// Starts a lab on both hosts, joined.
    func start() throws -> (owner: LabCommand, guest: LabCommand) {
        try owner.workspace.useProjectTopology()
        let owning = try owner.start("up", "--only", "phone", "--listen", "\(owner.address):7700")
        try owning.wait(for: "join there")
        try carryKey()
        return (owning, try join())
    }

    /// Starts the guest's lab.
    func join() throws -> LabCommand {
        let joining = try guest.start(
            "up", "--only", "watch", "--join", "tcp://\(owner.address):7700", "--key", "join.key")
        try joining.wait(for: "Ctrl-C")
        return joining
    }
}
