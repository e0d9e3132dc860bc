// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabPoints
import LabSystem
import LabTesting
import LabVocabulary
import Synchronization

/// Very many repetitions of the work of an instance's long-lived processes, with the memory of each process. It finds a
/// process that keeps data of every command, or whose calls nest one level deeper each time.
///
/// Thread rule: one thread. The calls block.
package struct Endurance {
    /// The repeated work.
    package enum Work: String, CaseIterable, Sendable {
        /// Commands to an app, each with two trace events, which are followed meanwhile.
        case commands
        /// Moves of the lab's clock.
        case advances
        /// Faults that are armed, fire and are disarmed.
        case armings
        /// Messages to the watch and their replies.
        case messages
        /// Connections to the server, with one request each.
        case connections
    }

    /// The memory of one process.
    package struct Growth: Sendable, CustomStringConvertible {
        package let process: String
        package let work: Work
        /// Resident set after a tenth of the work, and after all of it, in KiB.
        let before: Int
        let after: Int

        /// Its growth in KiB.
        package var size: Int { after - before }

        package var description: String { "\(work.rawValue): \(process) from \(before) KiB to \(after) KiB" }
    }

    /// The allowed growth of a process in KiB: variations of the allocator, and nothing per piece of work.
    package static let limit = 16_384

    private let count: Int
    private let progress: (String) -> Void

    /// - Parameters:
    ///   - count: repetitions of each kind of work.
    ///   - progress: gets a line for each kind of work.
    package init(count: Int, progress: @escaping (String) -> Void = { _ in }) {
        self.count = count
        self.progress = progress
    }

    /// Does all work in one instance.
    ///
    /// - Returns: the growth of each process for each kind of work.
    package func run() throws -> [Growth] {
        try Lab.runBlocking(.labFile(source: #filePath)) { lab in
            try lab.eventually(within: .seconds(20).stretched, "the apps reach each other") {
                try lab.main.call(WatchSessionState()).isReachable
                    && (try lab.companion.call(WatchSessionState()).isReachable)
            }
            let seen = Atomic(0)
            let follower = try TraceFollower(directory: InstanceManifest.read(lab.layout).tracesDirectory) { _ in
                seen.add(1, ordering: .relaxed)
            }
            defer { follower.stop() }
            let processes = try Self.processes(of: lab)
            return try Work.allCases.flatMap { work in
                let begin = MonotonicClock.nanoseconds()
                try repeatedly(work, count / 10, on: lab)
                let before = processes.mapValues(Self.residentSet)
                try repeatedly(work, count - count / 10, on: lab)
                let growths = processes.compactMap { name, pid -> Growth? in
                    guard let before = before[name] ?? nil, let after = Self.residentSet(of: pid) else { return nil }
                    return Growth(process: name, work: work, before: before, after: after)
                }
                guard growths.count == processes.count else { throw EndedProcess(work: work.rawValue) }
                let seconds = Double(MonotonicClock.nanoseconds() - begin) / 1e9
                let sizes = growths.sorted { $0.process < $1.process }.map { "\($0.process) \($0.size)" }
                progress(
                    "\(count) \(work.rawValue) in \(Int(seconds)) s, \(seen.load(ordering: .relaxed)) events so far; "
                        + "growth in KiB: \(sizes.joined(separator: ", "))")
                return growths
            }
        }
    }

    private func repeatedly(_ work: Work, _ count: Int, on lab: Lab) throws {
        let port = try lab.serverReady().port
        for number in 0..<count {
            switch work {
            case .commands: _ = try lab.main.call(HasValidActivation())
            case .advances: try lab.clock.call(AdvanceClock { $0.by = .milliseconds(1) })
            case .armings:
                let fault = try lab.faults.call(
                    ArmFault {
                        $0.point = "keychain.read"
                        $0.peer = "main"
                        $0.action = .delay
                        $0.delay = .zero
                    })
                try lab.faults.call(DisarmFaults { $0.id = fault.id })
            case .messages:
                _ = try lab.main.call(SendMessage { $0.message = ["number": .integer(Int64(number))] })
            case .connections: try Self.ask(port: port)
            }
        }
    }

    /// One connection with one request, which the server closes.
    private static func ask(port: Int) throws {
        let connection = try TCPSocket.connectToLoopback(port: port)
        let request = "GET /nothing HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\r\n"
        try connection.writeAll(Data(request.utf8))
        guard try connection.readToEnd().starts(with: Data("HTTP/1.1 ".utf8)) else {
            throw EndedProcess(work: "a request to the server")
        }
    }

    /// The processes of the instance and this one, by name.
    private static func processes(of lab: Lab) throws -> [String: Int32] {
        var processes = ["runner": getpid(), "server": try lab.serverReady().pid]
        for event in try lab.traceEvents() where event.name == .processStarted {
            if let pid = event.fields["pid"]?.integerValue { processes[event.process] = Int32(pid) }
        }
        return processes
    }

    /// The resident memory of a process in KiB; nil if it has ended.
    private static func residentSet(of pid: Int32) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
        return status.firstMatch(of: /VmRSS:\s+(\d+) kB/).flatMap { Int($0.1) }
    }
}

/// A process of the instance did not survive the work.
struct EndedProcess: Error, CustomStringConvertible {
    let work: String

    var description: String { "a process of the instance has ended during \(work); its log says why" }
}
