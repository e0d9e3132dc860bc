// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabChecks
import LabControl
import LabCore
import LabPoints
import LabSystem
import LabVocabulary
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("The end of an app's process is explained by itself, with or without a record of its device", .endsInTime)
struct UntoldDeathTests {
    /// What is known when the process of `wallet` on `phone` has ended, and which deaths are unwanted then.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var hasEnded = true
        /// What the phone has recorded about the end.
        var record: [String: JSONValue]?
        /// The process that an armed fault has killed.
        var faulted: String?
        var action = FaultActionWord.kill
        /// The device whose agent has ended.
        var deadDevice: String?
        var wanted: [WantedEnd] = []
        let unwanted: [String]
    }

    static let rows = [
        Row(testDescription: "it lives", hasEnded: false, unwanted: []),
        Row(testDescription: "nothing is recorded", unwanted: ["wallet#0"]),
        Row(
            testDescription: "a crash is recorded, and reported once", record: ["signal": "SIGSEGV"],
            unwanted: ["wallet#3"]),
        Row(testDescription: "a recorded end that the system has caused", record: ["cause": "memory"], unwanted: []),
        Row(
            testDescription: "a recorded end that a command asked for", record: ["signal": "SIGKILL"],
            wanted: [WantedEnd(app: "wallet", manner: .killed)], unwanted: []),
        Row(
            testDescription: "a recorded end, and a command to another app", record: ["signal": "SIGKILL"],
            wanted: [WantedEnd(app: "main", manner: .killed)], unwanted: ["wallet#3"]),
        Row(
            testDescription: "an end that a command asked for is not recorded",
            wanted: [WantedEnd(app: "wallet", manner: .killed)], unwanted: []),
        Row(
            testDescription: "a command asked for the end of another app",
            wanted: [WantedEnd(app: "main", manner: .killed)], unwanted: ["wallet#0"]),
        Row(testDescription: "its device was killed by a fault", faulted: "phone", unwanted: []),
        Row(testDescription: "another device was killed by a fault", faulted: "watch", unwanted: ["wallet#0"]),
        Row(
            testDescription: "its device was delayed by a fault", faulted: "phone", action: .delay,
            unwanted: ["wallet#0"]),
        Row(testDescription: "its device has ended", deadDevice: "phone", unwanted: []),
        Row(testDescription: "another device has ended", deadDevice: "watch", unwanted: ["wallet#0"]),
    ]

    @Test(arguments: rows) func `Only an end that nothing explains is unwanted`(_ row: Row) async throws {
        try await FakeLab.run(FakeShell.topology()) { lab in
            let child = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
            lab.connection.note(LaunchedProcess { $0.pid = child.pid }, of: "wallet")
            func end() throws {
                try child.signal(SIGKILL)
                _ = try child.wait()
            }
            if row.hasEnded { try end() }
            if let record = row.record {
                let fields: [String: JSONValue] = [
                    "peer": "wallet", "incarnation": 3, "reason": "r", "pid": .integer(Int64(child.pid)),
                ]
                try lab.emit(.processEnded, of: "phone", fields.merging(record) { $1 })
            }
            if let process = row.faulted {
                try lab.emit(.faultFired, of: process, ["action": .string(row.action.rawValue)])
            }
            if let device = row.deadDevice {
                let path = try lab.connection.layout.endpointLockPath(.agent(device))
                try Files.write(Data("\(child.pid)\n".utf8), to: path)
            }
            lab.connection.expect(row.wanted)
            let unwanted = try AppDeaths(in: lab.connection).unwanted
            #expect(unwanted.map(\.description) == row.unwanted)
            if !row.hasEnded { try end() }
        }
    }

    // MARK: Ends that commands ask for

    private static let mannerTable: [(manner: WantedEnd.Manner, explains: [String])] = [
        (.killed, ["no detail", "SIGKILL"]),
        (.terminated, ["no detail", "SIGKILL", "SIGTERM", "status 0", "status 1"]),
        (.notLaunched, []),
        (.died(pid: 7), ["pid 7"]),
    ]

    private static let ends: [(name: String, fields: [String: JSONValue])] = [
        ("no detail", [:]), ("SIGKILL", ["signal": "SIGKILL"]), ("SIGTERM", ["signal": "SIGTERM"]),
        ("SIGSEGV", ["signal": "SIGSEGV"]), ("status 0", ["status": 0]), ("status 1", ["status": 1]),
        ("pid 7", ["pid": 7, "signal": "SIGSEGV"]), ("pid 8", ["pid": 8, "signal": "SIGSEGV"]),
    ]

    @Test func `A command explains only the ends that it can cause, of its app only`() {
        for (manner, explains) in Self.mannerTable {
            let wanted = WantedEnd(app: "main", manner: manner)
            func found(of app: String, wasReady: Bool) -> [String] {
                Self.ends.filter { _, fields in
                    let event = TraceEvent(
                        time: 1, process: "phone", name: .processEnded,
                        fields: fields.merging(["peer": .string(app)]) { $1 })
                    return wanted.explains(event, wasReady: wasReady)
                }.map(\.name)
            }
            #expect(found(of: "main", wasReady: true) == explains, "\(manner)")
            #expect(found(of: "wallet", wasReady: true) == [], "\(manner)")
            let isLaunch = if case .notLaunched = manner { true } else { false }
            #expect(found(of: "main", wasReady: false) == (isLaunch ? Self.ends.map(\.name) : explains), "\(manner)")
        }
    }

    private static let onPhone = ["main killed", "wallet killed", "widget killed"]

    /// The ends that a command asks for, by kind and name; all other commands ask for none.
    private static let commands: [ActorKind: [String: [String]]] = [
        .process: [
            "kill": ["main killed"], "outOfMemory": ["main killed"], "forceQuit": ["main killed"],
            "terminate": ["main terminated"], "relaunch": ["main killed"],
            "uninstall": ["main killed", "widget killed"], "reinstall": ["main killed", "widget killed"],
        ],
        .device: [
            "reboot": onPhone, "erase": onPhone, "restoreBackup": onPhone, "changeVendorIdentifier": onPhone,
        ],
        .deviceProcess: ["kill": onPhone, "switchOff": onPhone],
    ]

    @Test
    func `Each command asks for the ends of the processes that it ends; a failed launch explains an early end`() throws
    {
        let topology = try FakeShell.topology()
        let actors = ActorTable(topology)
        for target in ["main", "phone", "server", "pairing", "clock", "faults"].flatMap({ actors[$0] ?? [] }) {
            for command in target.commands.map(\.name) {
                func ends(_ error: ControlError?) -> [String] {
                    WantedEnd.of(command, to: target, error: error, in: topology).map { "\($0.app) \($0.manner)" }
                }
                let expected = Self.commands[target.kind]?[command] ?? []
                #expect(ends(nil) == expected, "\(target.kind) \(command)")
                let launches = target.kind == .process && ["launch", "relaunch"].contains(command)
                #expect(
                    ends(ControlError(domain: "lab", message: "no"))
                        == expected + (launches ? ["main notLaunched"] : []),
                    "\(target.kind) \(command)")
            }
        }
        // The table has no row for a command that does not exist.
        for (kind, rows) in Self.commands {
            let names = kind.commands(of: nil).map(\.name)
            #expect(rows.keys.filter { !names.contains($0) } == [], "\(kind)")
        }
    }
}
