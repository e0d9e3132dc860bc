// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("What `lab ps`, `lab logs` and `lab trace` print of an instance", .endsInTime)
struct InstanceTextTests {
    // MARK: Processes

    private static func processes(_ app: String, _ state: String, _ number: Int64, pid: Int64? = nil) -> [JSONValue] {
        var process: [String: JSONValue] = [
            "app": .string(app), "state": .string(state), "incarnation": .integer(number),
        ]
        process["pid"] = pid.map { .integer($0) }
        return [["result": [.object(process)]]]
    }

    private static let running = [
        "phone.processes": processes("main", "running", 2, pid: 7),
        "watch.processes": processes("companion", "notRunning", 1),
    ]

    @Test func `Each process that runs has its identifier, in text and in JSON`() async throws {
        try await FakeLab.run(answers: Self.running) { lab in
            let connection = lab.connection
            try JoinedLabs.server.write(connection.layout)
            let overview = InstanceOverview(of: [connection])
            #expect(
                overview.lines == [
                    "\(connection.manifest.id)  topology two  runner \(getpid())  without a lab.yaml",
                    "  server  http://127.0.0.1:4711 (pid \(getpid()))",
                    "  main on phone  running pid 7, incarnation 2",
                    "  companion on watch  notRunning ",
                ])
            let pid = JSONValue.integer(Int64(getpid()))
            let json = try JSONValue.parse(Data(overview.json().utf8))
            #expect(json["version"] == 1)
            let entry = try #require(json["instances"]?[0])
            #expect(entry["id"] == .string(connection.manifest.id))
            #expect(entry["directory"] == .string(connection.layout.root))
            #expect(entry["topology"] == "two")
            #expect(entry["runner"] == pid)
            #expect(entry["labFile"] == nil)
            #expect(entry["server"] == ["state": "running", "url": "http://127.0.0.1:4711", "pid": pid])
            #expect(
                entry["devices"] == [
                    [
                        "name": "phone", "state": "running",
                        "processes": [["app": "main", "state": "running", "pid": 7, "incarnation": 2]],
                    ],
                    [
                        "name": "watch", "state": "running",
                        "processes": [["app": "companion", "state": "notRunning", "incarnation": 1]],
                    ],
                ])
        }
    }

    @Test func `A process that has ended, does not answer, is not ready, or runs elsewhere is said to`() async throws {
        try await FakeLab.run(answers: Self.running.merging(["watch.processes": [["silent": true]]]) { $1 }) { lab in
            #expect(
                InstanceOverview(of: [lab.connection]).lines.dropFirst() == [
                    "  server  not ready", "  main on phone  running pid 7, incarnation 2",
                    "  watch  its agent does not answer",
                ])
            try JoinedLabs.server.write(lab.connection.layout)
            for endpoint in [InstanceEndpoint.server, .agent("phone")] { try lab.letEnd(endpoint) }
            #expect(
                InstanceOverview(of: [lab.connection]).lines.dropFirst() == [
                    "  server  has ended", "  phone  its agent has ended", "  watch  its agent does not answer",
                ])
        }
        try await FakeLab.run(share: HostAssignment(side: .guest, devices: ["watch"]), answers: Self.running) { lab in
            #expect(
                InstanceOverview(of: [lab.connection]).lines.dropFirst(2) == [
                    "  phone  on the other host", "  companion on watch  notRunning ",
                ])
        }
    }

    // MARK: Logs

    @Test(
        arguments: [
            ("main#2.stderr", "main", "main#2"), ("main#1.stdout", "main", "main#1"), ("a.phone.log", "phone", "phone"),
            ("server.log", "server", "server"), ("a.b", "a", "a"),
        ])
    func `The name of a log says whose it is`(file: String, name: String, label: String) {
        let found = InstanceLogs.process(of: file)
        #expect(found.name == name)
        #expect(found.label == label)
    }

    @Test func `Logs are printed line by line with their process, the last line also without its end`() async throws {
        try await FakeLab.run { lab in
            let directory = "\(lab.runDirectory)/logs"
            try Files.createDirectory(directory)
            for (name, text) in [
                ("main#1.stderr", "one\ntwo\n"), ("main#2.stderr", "three"), ("a.phone.log", "four\n\nfive"),
                ("server.log", ""),
            ] { try Files.write(Data(text.utf8), to: "\(directory)/\(name)") }
            func lines(_ processes: String...) throws -> [String] {
                var lines: [String] = []
                try InstanceLogs(of: lab.connection, processes: processes).tell { lines.append($0) }
                return lines
            }
            #expect(
                try lines() == [
                    "phone  four", "phone  ", "main#1  one", "main#1  two", "phone  five", "main#2  three",
                ])
            #expect(try lines("main") == ["main#1  one", "main#1  two", "main#2  three"])
            #expect(try lines("server", "phone") == ["phone  four", "phone  ", "phone  five"])
            let error = #expect(throws: BadUsage.self) { try lines("mian") }
            #expect(error?.description == "the instance has no process `mian`; did you mean `main`?")
        }
    }

    // MARK: Traces

    @Test
    func `Events are printed with the time since the first one, for the processes and events that were asked for`()
        async throws
    {
        try await FakeLab.run { lab in
            let directory = "\(lab.runDirectory)/traces"
            let begin: UInt64 = 5_000_000_000
            for (offset, process, name, step) in [
                (UInt64(0), "main", TraceEventName.lockTaken, "1"), (1_500_000_000, "phone", .deviceLocked, nil),
                (1_600_000, "main", .lockReleased, "2.1"), (70_000_000_000, "companion", .stateSaved, nil),
            ] as [(UInt64, String, TraceEventName, String?)] {
                let event = TraceEvent(
                    time: begin + offset, process: process, name: name, operation: step,
                    fields: name == .stateSaved ? ["bytes": 7, "activationId": "A"] : [:])
                try TraceWriter(directory: directory, process: process, incarnation: 1).copy(event)
            }
            func lines(_ processes: [String], _ events: [String]) throws -> [String] {
                try InstanceTrace(of: lab.connection, processes: processes, events: events).lines()
            }
            let all = [
                "    0.0000 s  main#1 lock.taken  (step 1)", "    0.0016 s  main#1 lock.released  (step 2.1)",
                "    1.5000 s  phone#1 device.locked",
                #"   70.0000 s  companion#1 state.saved activationId="A" bytes=7"#,
            ]
            #expect(try lines([], []) == all)
            #expect(try lines(["main"], []) == Array(all[...1]))
            #expect(try lines([], ["lock"]) == Array(all[...1]))
            #expect(try lines([], ["lock.released", "device"]) == Array(all[1...2]))
            #expect(try lines(["phone", "companion"], ["state.saved"]) == [all[3]])
            #expect(try lines(["server", "clock", "watch"], []) == [])
            for (processes, events, sentence) in [
                (["mian"], [], "there is no process of this instance called `mian`; did you mean `main`?"),
                ([], ["lock.take"], "there is no event called `lock.take`; did you mean `lock.taken`?"),
                (["zzzzzzzz"], [], "there is no process of this instance called `zzzzzzzz`"),
            ] as [([String], [String], String)] {
                let error = #expect(throws: BadUsage.self) { try lines(processes, events) }
                #expect(error?.description == sentence)
            }
        }
    }
}
