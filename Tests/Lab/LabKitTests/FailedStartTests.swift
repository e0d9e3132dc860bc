import Foundation
import LabSystem
import TestSupport
import Testing
import ZeroMQ

@testable import LabKit

/// What cannot begin throws. Its maker would wait for ever if the thread ended without a report.
@Suite("Connections that cannot begin", .endsInTime)
struct FailedStartTests {
    private let loopback = JoinAddress(host: "127.0.0.1", port: 0)

    @Test("A client whose address the library refuses throws the library's error")
    func client() {
        // The library reads a path up to a zero: here nothing is left of it.
        let layout = InstanceLayout(root: "\0")
        let error = #expect(throws: ZeroMQError.self) { try ControlClient(layout, .peer("main")) }
        #expect(error?.call == "zmq_connect")
    }

    @Test("A server that cannot listen throws, and its endpoint is free for the next one")
    func server() throws {
        let test = try TestInstance()
        let path = try test.layout.socketPath(.peer("main"))
        // Unlike the socket of a dead process, a directory is not replaced.
        try Files.createNewDirectory(path)
        let error = #expect(throws: ZeroMQError.self) {
            try ControlServer(test.layout, .peer("main")) { _, _ in }
        }
        #expect(error?.call == "zmq_bind")
        try Files.removeTree(path)
        let server = try ControlServer(test.layout, .peer("main")) { _, responder in responder.succeed() }
        let client = try ControlClient(test.layout, .peer("main"))
        #expect(try client.call(ControlRequest(command: "x")).error == nil)
        server.stop()
    }

    @Test("A socket between two labs that cannot listen or connect throws")
    func join() throws {
        let (owner, key) = try JoinSocket.listen(at: loopback) { _ in }
        let taken = #expect(throws: ZeroMQError.self) { _ = try JoinSocket.listen(at: owner.address) { _ in } }
        #expect(taken?.call == "zmq_bind")
        // A port that the system shall choose is one to listen at only.
        let nowhere = #expect(throws: ZeroMQError.self) {
            try JoinSocket.connect(to: loopback, with: key) { _ in }
        }
        #expect(nowhere?.call == "zmq_connect")
        owner.close("")
    }

    @Test("The process that answers at an endpoint stands in its lock file, however long the number before was")
    func owner() throws {
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

    @Test("A client waits half a minute for an answer unless its caller says otherwise")
    func patience() {
        #expect(ControlClient.patience == LabDuration.seconds(30).stretched)
    }
}
