// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing
import ZeroMQ

@testable import LabControl
@testable import LabCore

/// What cannot begin throws. Its maker would wait for ever if the thread ended without a report.
@Suite("Connections that cannot begin", .endsInTime)
struct FailedStartTests {
    private let loopback = JoinAddress(host: "127.0.0.1", port: 0)

    @Test func `A client whose address the library refuses throws the library's error`() {
        // The library reads a path up to a zero: here nothing is left of it.
        let layout = InstanceLayout(root: "\0")
        let error = #expect(throws: ZeroMQError.self) { try ControlClient(layout, .peer("main")) }
        #expect(error?.call == "zmq_connect")
    }

    @Test func `A server that cannot listen throws, and its endpoint is free for the next one`() throws {
        let test = try TestInstance()
        let path = try test.layout.socketPath(.peer("main"))
        // Unlike the socket of a dead process, a directory is not replaced.
        try Files.createNewDirectory(path)
        let error = #expect(throws: ZeroMQError.self) { try ControlServer(test.layout, .peer("main")) { _, _ in } }
        #expect(error?.call == "zmq_bind")
        try Files.removeTree(path)
        let server = try ControlServer(test.layout, .peer("main")) { _, responder in responder.succeed() }
        let client = try ControlClient(test.layout, .peer("main"))
        #expect(try client.call(ControlRequest(command: "x")).error == nil)
        server.stop()
    }

    @Test func `A socket between two labs that cannot listen or connect throws`() throws {
        let (owner, key) = try JoinSocket.listen(at: loopback) { _ in }
        let taken = #expect(throws: ZeroMQError.self) { _ = try JoinSocket.listen(at: owner.address) { _ in } }
        #expect(taken?.call == "zmq_bind")
        // A port that the system shall choose is one to listen at only.
        let nowhere = #expect(throws: ZeroMQError.self) { try JoinSocket.connect(to: loopback, with: key) { _ in } }
        #expect(nowhere?.call == "zmq_connect")
        owner.close("")
    }

    @Test
    func `The process that answers at an endpoint stands in its lock file, however long the number before was`() throws
    {
        let test = try TestInstance()
        try Files.write(Data("99999999999999\n".utf8), to: test.layout.endpointLockPath(.peer("main")))
        let held = try EndpointGuard(test.layout, .peer("main"))
        let pid = ProcessInfo.processInfo.processIdentifier
        #expect(EndpointGuard.owner(test.layout, .peer("main")) == pid)
        #expect(throws: InstanceError.endpointTaken(name: "main", pid: pid)) {
            try EndpointGuard(test.layout, .peer("main"))
        }
        try held.release()
        _ = try EndpointGuard(test.layout, .peer("main"))
        #expect(EndpointGuard.owner(test.layout, .peer("other")) == nil)
    }

    @Test func `A client waits half a minute for an answer unless its caller says otherwise`() {
        #expect(ControlClient.patience == LabDuration.seconds(30).stretched)
    }
}

@Suite("The command line of a process", .endsInTime)
struct ProcessLaunchTests {
    @Test func `It is read back as it was written`() {
        let app = AppLaunch(instance: "/run/a b", app: "main", incarnation: 3)
        #expect(app.arguments == ["--instance", "/run/a b", "--as", "main", "--incarnation", "3"])
        #expect(AppLaunch(arguments: app.arguments) == app)
        let agent = AgentLaunch(instance: "/run/a", device: "phone")
        #expect(agent.arguments == ["--instance", "/run/a", "--device", "phone"])
        #expect(AgentLaunch(arguments: agent.arguments) == agent)
    }

    @Test(
        arguments: [
            [], ["--help"], ["--instance", "i", "--as", "main"],
            ["--instance", "i", "--as", "main", "--incarnation", "x"],
            ["--instance", "i", "--as", "main", "--incarnation", "03"],
            ["--as", "main", "--instance", "i", "--incarnation", "3"],
            ["--instance", "i", "--as", "main", "--incarnation", "3", "ping"],
            ["--device", "phone", "--instance", "i"],
            ["--instance", "i", "--device", "phone", "--help"],
        ])
    func `Any other command line is left to the parser`(_ words: [String]) {
        #expect(AppLaunch(arguments: words) == nil)
        #expect(AgentLaunch(arguments: words) == nil)
    }
}
