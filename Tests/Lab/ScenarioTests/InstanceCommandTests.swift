// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabSystem
import LabVocabulary
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Commands that an instance carries out or refuses by itself", .endsInTime)
struct InstanceCommandTests {
    // MARK: Processes

    private static let noServer = ControlError(
        .notRunning, message: "the server does not run; `server: restart` starts it")
    private static let noPhone = ControlError(.notRunning, message: "phone does not run; `phone: switchOn` starts it")

    @Test(arguments: [("server", "kill", noServer), ("phone", "kill", noPhone), ("phone", "switchOff", noPhone)])
    func `The server or a device that does not run cannot be ended, and the error says what to do`(
        actor: String, command: String, error: ControlError
    ) async throws {
        try await FakeLab.run { (lab: FakeLab) throws in
            for endpoint in [InstanceEndpoint.server, .agent("phone")] { try lab.letEnd(endpoint) }
            #expect(try lab.connection.give(command, to: actor).error == error)
        }
    }

    @Test func `A device that runs cannot be switched on`() async throws {
        try await FakeLab.run { (lab: FakeLab) throws in
            #expect(
                try lab.connection.give("switchOn", to: "phone").error
                    == ControlError(.wrongState, message: "phone is running; `phone: reboot` restarts it"))
        }
    }

    @Test func `A command to an app that does not run, or is suspended, is refused and not sent`() async throws {
        let notRunning: JSONValue = ["app": "main", "state": "notRunning", "incarnation": 1]
        try await FakeLab.run(answers: ["phone.processes": [["result": [notRunning]]]]) { (lab: FakeLab) throws in
            #expect(
                try lab.connection.give("hasValidActivation", to: "main").error
                    == ControlError(
                        .notRunning, message: "`main` does not run; write `main: launch` before"))
            #expect(lab.answers.requests.map(\.command) == [Processes.name])
        }
        try await FakeLab.run { (lab: FakeLab) throws in
            let child = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
            defer {
                try? child.signal(SIGKILL)
                _ = try? child.wait()
            }
            lab.connection.note(LaunchedProcess { $0.pid = child.pid }, of: "main")
            let target = try #require(lab.connection.actors["main"]?.first)
            let session = ActorSession(instance: lab.connection)
            try child.signal(SIGSTOP)
            while !ProcessTable.isStopped(child.pid) { sched_yield() }
            #expect(
                try lab.connection.give("hasValidActivation", to: "main").error
                    == ControlError(
                        .suspended,
                        message: "`main` is suspended and answers nothing; write `main: resume` before"
                    ))
            session.connect(to: target)
            #expect(lab.answers.requests.isEmpty && lab.answers.pings.isEmpty)
            try child.signal(SIGCONT)
            while ProcessTable.isStopped(child.pid) { sched_yield() }
            #expect(try lab.connection.give("hasValidActivation", to: "main").error == nil)
        }
    }

    @Test
    func `A connection is made before the first command, also to an app that the runner has not launched`() async throws
    {
        try await FakeLab.run { (lab: FakeLab) throws in
            func connect(_ names: String...) throws {
                let session = ActorSession(instance: lab.connection)
                for name in names { session.connect(to: try #require(lab.connection.actors[name]?.first)) }
            }
            try connect("main", "clock", "faults", "server", "watch", "pairing")
            // The phone answers for its link.
            #expect(lab.answers.pings == ["main", "server", "watch", "phone"])
            for endpoint in [InstanceEndpoint.server, .agent("watch")] { try lab.letEnd(endpoint) }
            try connect("server", "watch")
            #expect(lab.answers.pings.count == 4)
            #expect(lab.answers.requests.isEmpty)
        }
    }

    @Test func `A command of the other full SDK is refused with the SDK that has it`() async throws {
        try await FakeLab.run { (lab: FakeLab) throws in
            let session = ActorSession(instance: lab.connection)
            let refusal = #expect(throws: BadUsage.self) { try session.find("startProtocolUpgrade", of: "main") }
            #expect(
                refusal?.description
                    == "`startProtocolUpgrade` is a command of an app with SDK 2.0, but `main` is an app")
            let unknown = #expect(throws: BadUsage.self) { try session.find("initActivation", of: "main") }
            #expect(unknown?.description.hasPrefix("`main` has no command `initActivation`") == true)
        }
    }

    // MARK: Two hosts

    private static let shares: [(share: HostAssignment?, here: Set<String>)] = [
        (nil, ["main", "phone", "companion", "watch", "pairing", "server", "faults", "clock", "trace"]),
        (
            HostAssignment(side: .owner, devices: ["phone"]),
            ["main", "phone", "companion", "watch", "pairing", "server", "faults", "clock", "trace"]
        ),
        (HostAssignment(side: .guest, devices: ["watch"]), ["companion", "watch", "trace"]),
        (HostAssignment(side: .guest, devices: ["phone"]), ["main", "phone", "pairing", "trace"]),
    ]

    @Test(arguments: shares.indices)
    func `Only a guest refuses actors: those that the owner's lab has`(_ index: Int) async throws {
        let (share, here) = Self.shares[index]
        try await FakeLab.run(share: share) { lab in
            let connection = lab.connection
            for target in connection.actors.names.flatMap({ connection.actors[$0] ?? [] }) {
                let name = target.actor
                let refusal = ControlError(
                    .notHere,
                    message: "`\(name)` belongs to the lab that this one has joined; give the command there")
                #expect(
                    connection.host.refusal(of: target) == (here.contains(name) ? nil : refusal),
                    "\(name) \(target.kind)")
            }
        }
    }

    @Test(arguments: shares.indices)
    func `An owner sends commands about the process of another host's device there`(_ index: Int) async throws {
        let share = Self.shares[index].share
        try await FakeLab.run(share: share) { lab in
            let connection = lab.connection
            for target in connection.actors.names.flatMap({ connection.actors[$0] ?? [] }) {
                let isAway = share?.side == .owner && target.actor == "watch" && target.kind == .deviceProcess
                let route: Target.Route = isAway ? .endpoint(.agent("watch"), about: "watch") : target.route
                #expect(connection.host.route(of: target) == route, "\(target.actor) \(target.kind)")
            }
        }
    }

    @Test(arguments: shares.indices)
    func `A host has its devices, their links, and the server unless it is a guest`(_ index: Int) async throws {
        let share = Self.shares[index].share
        try await FakeLab.run(share: share) { lab in
            let host = lab.connection.host
            let all = ["phone", "watch"]
            let here = share?.devices ?? all
            #expect(host.devices.map(\.name) == here)
            #expect(host.awayDevices.map(\.name) == all.filter { !here.contains($0) })
            #expect(host.links.map(\.name) == (share == nil ? ["pairing"] : []))
            #expect(host.hasServer == (share?.side != .guest))
            #expect(all.filter(host.reaches) == (host.hasServer ? all : here))
        }
    }

    // MARK: Clock, faults, traces

    @Test func `The clock of an instance is read as it was set`() async throws {
        try await FakeLab.run { (lab: FakeLab) throws in
            let instance = lab.connection
            func read() throws -> ReadClock.Result {
                try #require(try instance.give("read", to: "clock").result).decode(ReadClock.Result.self)
            }
            #expect(try instance.give("freeze", to: "clock").error == nil)
            let frozen = instance.clock.now()
            #expect(try instance.give("advance", to: "clock", ["by": "90m"]).error == nil)
            #expect(instance.clock.now() - frozen == .minutes(90))
            let first = try read()
            #expect(first.time == instance.clock.now().seconds)
            #expect(first.utc == instance.clock.now().text)
            #expect(first.isFrozen)
            #expect(first.ahead > .minutes(80) && first.ahead <= .minutes(90))
            #expect(try instance.give("run", to: "clock", ["rate": 60]).error == nil)
            let second = try read()
            #expect(!second.isFrozen)
            #expect(second.rate == 60)
            #expect(second.time >= first.time)
        }
    }

    @Test func `Faults are armed, listed and disarmed as written`() async throws {
        try await FakeLab.run { (lab: FakeLab) throws in
            let instance = lab.connection
            func list() throws -> [ListArmedFaults.Fault] {
                try #require(try instance.give("armed", to: "faults").result).decode([ListArmedFaults.Fault].self)
            }
            let arguments: [JSONValue] = [
                ["point": "keychain.write", "peer": "main", "action": "delay", "delay": "5s", "item": "x", "pass": 3],
                [
                    "point": "http.requestSent", "peer": "companion", "action": "fail", "error": "ECONNRESET",
                    "endpoint": "/y",
                ],
                ["point": "state.save", "peer": "main", "action": "kill"],
            ]
            let ids = try arguments.compactMap {
                try instance.give("arm", to: "faults", $0).result?["id"]?.integerValue
            }
            #expect(
                instance.faults.rules().map(\.rule) == [
                    FaultRule(
                        point: .keychainWrite, process: "main", action: .delay(.seconds(5)), subject: "x", pass: 3),
                    FaultRule(
                        point: .httpRequestSent, process: "companion", action: .fail("ECONNRESET"), subject: "/y"),
                    FaultRule(point: .stateSave, process: "main", action: .kill),
                ])
            try instance.faults.noteFiring(id: try #require(instance.faults.rules().last?.id))
            let listed = try list()
            #expect(listed.map { Int64($0.id) } == ids)
            #expect(listed.map(\.point) == ["keychain.write", "http.requestSent", "state.save"])
            #expect(listed.map(\.peer) == ["main", "companion", "main"])
            #expect(listed.map(\.action) == [.delay, .fail, .kill])
            #expect(listed.map(\.item) == ["x", nil, nil])
            #expect(listed.map(\.endpoint) == [nil, "/y", nil])
            #expect(listed.map(\.fired) == [0, 0, 1])
            #expect(listed.map(\.passes) == [0, 0, 1])

            #expect(try instance.give("disarm", to: "faults", ["id": .integer(Int64(listed[2].id))]).error == nil)
            #expect(try list().map(\.id) == listed.dropLast().map(\.id))
            #expect(try instance.give("disarm", to: "faults", ["peer": "main"]).error == nil)
            #expect(try list().map(\.peer) == ["companion"])
            #expect(try instance.give("disarm", to: "faults").error == nil)
            #expect(try list().isEmpty)
        }
    }

    /// Which of four events a question is about.
    private static let questions: [(question: JSONValue, found: [Int64])] = [
        (.object([:]), [1, 2, 3, 4]), (["event": "state.saved"], [1, 2, 4]), (["peer": "main"], [1, 3, 4]),
        (["step": "3"], [1, 3]), (["event": "state.saved", "peer": "main", "step": "3"], [1]), (["step": "4"], []),
    ]

    @Test func `Recorded events are found by name, process and step, in the order of time`() async throws {
        try await FakeLab.run { (lab: FakeLab) throws in
            let directory = "\(lab.runDirectory)/traces"
            let main = try TraceWriter(directory: directory, process: "main", incarnation: 2)
            let wallet = try TraceWriter(directory: directory, process: "wallet", incarnation: 1)
            main.emit(.stateSaved, operation: "3.1", ["bytes": 1])
            wallet.emit(.stateSaved, operation: "30", ["bytes": 2])
            main.emit(.counterBumped, operation: "3", ["bytes": 3])
            main.emit(.stateSaved, ["bytes": 4])
            for (question, found) in Self.questions {
                let result = try lab.connection.give("events", to: "trace", question).result
                let events = try #require(result).decode([ListEvents.Event].self)
                #expect(events.compactMap { $0.fields["bytes"]?.integerValue } == found, "\(question)")
            }
            let answer = try lab.connection.give("events", to: "trace", ["step": "3.1"]).result
            let first = try #require(answer?[0]).decode(ListEvents.Event.self)
            #expect(first.event == "state.saved" && first.peer == "main" && first.incarnation == 2)
            #expect(first.step == "3.1")
            let recorded = try TraceReader.readAll(directory).first
            #expect(first.time == recorded?.time)
            #expect(
                try lab.connection.give("events", to: "trace", ["event": "state.save"]).error
                    == ControlError.badArgument("there is no event `state.save`; `lab events` lists them"))
        }
    }

    @Test func `Rules that are broken by then are listed with events, also where an app has a quirk`() async throws {
        var topology = JoinedLabs.topology
        topology.devices[0].apps[0].quirks = ["sharing.D7"]
        try await FakeLab.run(topology) { (lab: FakeLab) throws in
            func broken() throws -> [ListBrokenRules.BrokenRule] {
                let result = try lab.connection.give("brokenRules", to: "trace").result
                return try #require(result).decode()
            }
            let directory = "\(lab.runDirectory)/traces"
            let main = try TraceWriter(directory: directory, process: "main", incarnation: 1)
            let wallet = try TraceWriter(directory: directory, process: "wallet", incarnation: 1)
            let error = try lab.connection.give("brokenRules", to: "trace").error
            #expect(error?.message.hasPrefix("The rules are about one activation") == true)
            main.emit(.memoryCreated, ["name": "m"])
            main.emit(.lockTaken, ["lock": "status"])
            #expect(try !broken().contains { $0.rule == "exclusion" })
            for writer in [wallet, main] { writer.emit(.lockTaken, ["lock": "status"]) }
            let rule = try #require(try broken().first { $0.rule == "exclusion" })
            #expect(!rule.breach.isEmpty)
            #expect(rule.events.first?.contains("wallet#1") == true)
        }
    }
}
