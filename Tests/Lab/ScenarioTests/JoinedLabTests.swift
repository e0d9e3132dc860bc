// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine

@Suite("A lab of two hosts acts as one", .endsInTime)
struct JoinedLabTests {
    private static let patience = LabDuration.seconds(20).stretched

    @Test
    func `A guest gets the owner's lab and all that the owner does not play; each guest counts its starts anew`()
        async throws
    {
        try await JoinedLabs.play { labs in
            let welcome = try labs.join().link.welcome
            #expect(welcome.instance == labs.owner.connection.manifest.id)
            #expect(welcome.topology == JoinedLabs.topology)
            #expect(welcome.seed == labs.owner.connection.manifest.seed)
            #expect(welcome.devices == ["watch"])
            #expect(welcome.server == JoinedLabs.server)
            #expect(welcome.authority == nil)
            #expect(welcome.bootsBefore == 1_000_000)
            try labs.notices.wait(for: "The lab of watch has joined")

            let authority = labs.owner.connection.layout.authorityPath
            try Files.createDirectory(Files.directory(of: authority))
            try Files.write(Data("certificate".utf8), to: authority)
            let second = try labs.join()
            #expect(second.link.welcome.bootsBefore == 2_000_000)
            let copy = try Files.read(second.lab.connection.layout.authorityPath)
            #expect(String(decoding: copy, as: UTF8.self) == "certificate")
            // Its apps reach the server through the tunnel, which listens here.
            let server = try #require(second.lab.connection.serverReady)
            #expect(server.port != JoinedLabs.server.port)
            #expect(server == JoinedLabs.server.reached(throughPort: server.port))
        }
    }

    @Test
    func `A command for an actor of the guest is carried out there, and its outcome comes back whole`() async throws {
        try await JoinedLabs.play { labs in
            let error: JSONValue = [
                "domain": "D", "code": 7, "name": "n", "message": "m", "userInfo": ["key": "value"],
            ]
            let guest = try labs.join(FakeAnswers(["companion.hasLocalToken": [["result": true], ["error": error]]]))
            let owner = labs.owner.connection
            let good = try owner.give("hasLocalToken", to: "companion", ["name": "accounts"], operation: "3.1")
            #expect(good.result == true)
            #expect(good.interval?.operation == "3.1")
            let bad = try owner.give("hasLocalToken", to: "companion", ["name": "cards"])
            #expect(
                bad.error
                    == ControlError(domain: "D", code: 7, name: "n", message: "m", userInfo: ["key": "value"]))
            let requests = guest.lab.answers.requests
            #expect(requests.map(\.operation) == ["3.1", nil])
            #expect(requests.map { $0.arguments["name"] } == ["accounts", "cards"])

            // A ping asks whether the guest is there; it does not go further.
            _ = try owner.ask(.agent("watch"), ControlRequest(command: "ping"), timeout: Self.patience).get()
            let unknown = try owner.ask(.peer("companion"), ControlRequest(command: "nonsense"), timeout: Self.patience)
            #expect(unknown.error?.name == "unknownCommand")
            #expect(guest.lab.answers.requests.count == 2)
        }
    }

    @Test
    func `Before a guest has joined, its actors do not answer and say why, and no change waits for it`() async throws {
        try await JoinedLabs.play { labs in
            let owner = labs.owner.connection
            let calls: [(InstanceEndpoint, String)] = [
                (.peer("companion"), "hasLocalToken"), (.peer("companion"), "ping"), (.agent("watch"), "lock"),
                (.agent("watch"), "ping"),
            ]
            for (endpoint, command) in calls {
                let reply = try owner.ask(endpoint, ControlRequest(command: command), timeout: Self.patience)
                #expect(
                    reply.error
                        == ControlError(
                            .notJoined,
                            message:
                                "`\(endpoint.actor)` is played on another host, whose lab has not joined; `lab up --join` joins it"
                        ))
            }
            _ = try owner.ask(.join, ControlRequest(command: "settle"), timeout: Self.patience).get()
        }
    }

    @Test
    func `The guest's clock and faults have followed when a command to the owner's has its answer`() async throws {
        try await JoinedLabs.play { labs in
            let owner = labs.owner.connection
            try owner.clock.freeze()
            _ = try owner.faults.arm(FaultRule(point: .stateSave, process: "companion", action: .fail("EIO"), pass: 2))
            let guest = try labs.join().lab.connection
            #expect(guest.clock.now() == owner.clock.now())
            #expect(guest.faults.rules().map(\.rule) == owner.faults.rules().map(\.rule))

            let before = owner.clock.now().nanoseconds
            #expect(try owner.give("advance", to: "clock", ["by": "2h"]).error == nil)
            #expect(owner.clock.now().nanoseconds == before + 7_200_000_000_000)
            #expect(guest.clock.now() == owner.clock.now())

            // Only those of the guest's processes; one that has fired for the last time is not armed again.
            #expect(try owner.give("disarm", to: "faults").error == nil)
            #expect(guest.faults.rules().isEmpty)
            let used = try owner.faults.arm(FaultRule(point: .stateSave, process: "companion", action: .kill))
            try owner.faults.noteFiring(id: used)
            for peer in ["main", "companion"] {
                let arguments: JSONValue = ["point": "state.saved", "peer": .string(peer), "action": "kill"]
                #expect(try owner.give("arm", to: "faults", arguments).error == nil)
            }
            #expect(guest.faults.rules().map(\.rule.point) == [.stateSaved])
            #expect(guest.faults.rules().map(\.rule.process) == ["companion"])
        }
    }

    @Test
    func `A guest's watch is invited to the address by which its lab reaches the owner's, each time anew`() async throws
    {
        try await JoinedLabs.play { labs in
            let owner = labs.owner.connection
            func invite(_ port: Int) throws {
                let text = #"{"endpoint":"tcp://phone.example:\#(port)","key":"k"}"#
                try Files.write(Data(text.utf8), to: owner.layout.invitationPath("pairing"))
            }
            try invite(4_000)
            let guest = try labs.join().lab.connection
            func invitation() throws -> JSONValue {
                try JSONValue.parse(Files.read(guest.layout.invitationPath("pairing")))
            }
            let first = try invitation()
            #expect(first == ["endpoint": "tcp://127.0.0.1:4000", "key": "k"])
            try invite(4_001)
            _ = try owner.ask(.join, ControlRequest(command: "settle"), timeout: Self.patience).get()
            let second = try invitation()
            #expect(second == ["endpoint": "tcp://127.0.0.1:4001", "key": "k"])
        }
    }

    @Test
    func `Events of the guest's processes are recorded at the owner, and its faults are counted there`() async throws {
        try await JoinedLabs.play { labs in
            let owner = labs.owner.connection
            let board = try TraceBoard(directory: owner.manifest.tracesDirectory)
            defer { board.stop() }
            // The guest's table has another number for the owner's fault.
            _ = try owner.faults.arm(FaultRule(point: .stateSave, process: "main", action: .kill))
            let id = try owner.faults.arm(FaultRule(point: .stateSave, process: "companion", action: .kill))
            let guest = try labs.join()
            let own = try #require(guest.lab.connection.faults.rules().first?.id)
            #expect(own != id)

            try guest.lab.emit(.stateSaved, of: "phone", ["bytes": 1])
            try guest.lab.emit(.stateSaved, of: "companion", ["bytes": 7])
            try guest.lab.emit(
                .faultFired, of: "companion", ["id": .integer(Int64(own)), "point": "state.save", "action": "kill"])
            for name in [TraceEventName.stateSaved, .faultFired] {
                let hasCome = board.consume(timeout: Self.patience, isCancelled: { false }) {
                    $0.process == "companion" && $0.name == name
                }
                #expect(hasCome, "\(name)")
            }
            // Messages of the guest are handled in order, so the event before this answer has been counted.
            _ = try owner.ask(.join, ControlRequest(command: "settle"), timeout: Self.patience).get()
            #expect(owner.faults.rules().filter { $0.fired > 0 }.map(\.id) == [id])
            let events = try TraceReader.readAll(owner.manifest.tracesDirectory).filter { $0.process != "clock" }
            #expect(events.map(\.process) == ["companion", "companion"])
            #expect(events.map { $0.fields["bytes"] ?? $0.fields["id"] } == [7, JSONValue.integer(Int64(id))])
        }
    }
}
