// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import NIOCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The server as member of an instance", .endsInTime)
struct InstanceServerTests {
    private static let topology = Topology(name: "test", server: ServerSpec(maxFailedAttempts: 3), devices: [])

    @Test func `A member announces itself, uses the lab's clock and leaves nothing behind`() async throws {
        let test = try TestInstance(Self.topology)
        let layout = test.layout
        let server = try await onThread { try InstanceServer(joining: layout) }
        async let running: Void = server.run { Issue.record("cannot tell the instance: \($0)") }

        let ready = try #require(try await onThread { try ServerReady.wait(layout, timeout: .minutes(2).stretched) })
        #expect(ready.baseURL == "http://127.0.0.1:\(ready.port)")
        #expect(ready.enrollmentURL == ready.baseURL + "/enrollment-server")
        #expect(try MobileSdkConfiguration(ready.configuration).masterServerPublicKey.count == 65)
        #expect(try SdkConfigurationV4(#require(ready.configurationV4)).keys.count == 4)

        let reply = try await onThread {
            let client = try ControlClient(layout, .server)
            defer { client.close() }
            func call(_ command: String, _ arguments: JSONValue) throws -> JSONValue {
                try client.call(ControlRequest(command: command, arguments: arguments)).get()
            }
            let initiated = try call("initActivation", ["userId": "alice"])
            let id = try #require(initiated["activationId"])
            try LabClock.open(layout.clockPath).advance(by: .minutes(6))
            return try call("activationStatus", ["activationId": id])
        }
        #expect(reply["activationStatus"]?.stringValue == "REMOVED")
        #expect(reply["maxFailedAttempts"]?.integerValue == 3)

        server.stop()
        try await running
        try await onThread { try server.leave() }
        let trace = try String(contentsOfFile: test.file("run/traces/server#1.jsonl"), encoding: .utf8)
        for event in ["process.started", "process.ready", "server.activation", "process.ended"] {
            #expect(trace.contains("\"\(event)\""), "no \(event) in the trace")
        }
        #expect(try await onThread { try test.instance.end() })
        #expect(!FileManager.default.fileExists(atPath: layout.root))
    }

    @Test func `The clock that the lab API moves is the instance's`() async throws {
        let test = try TestInstance(Self.topology)
        let layout = test.layout
        let server = try await onThread { try InstanceServer(joining: layout) }
        async let running: Void = server.run { Issue.record("cannot tell the instance: \($0)") }
        let ready = try #require(try await onThread { try ServerReady.wait(layout, timeout: .minutes(2).stretched) })
        let moved = try await onThread {
            let before = try LabClock.open(layout.clockPath).offset
            let answer = try OutgoingRequest(
                method: "POST", url: ready.baseURL + "/lab/clock",
                headers: [
                    ("Content-Type", "application/json"),
                    (LabAccess.header, LabAccess(directory: layout.serverDirectory).token),
                ],
                body: Data(#"{"advance":300000}"#.utf8)
            ).sendAndWait()
            #expect(answer.status == 200)
            return try LabClock.open(layout.clockPath).offset.nanoseconds - before.nanoseconds
        }
        #expect(moved == LabDuration.minutes(5).nanoseconds)
        server.stop()
        try await running
        try await onThread {
            try server.leave()
            _ = try test.instance.end()
        }
    }

    @Test func `The next incarnation listens where the last one did, when the port is free`() async throws {
        let test = try TestInstance(Self.topology)
        let layout = test.layout
        var ports: [Int] = []
        for _ in 1...2 {
            let server = try await onThread { try InstanceServer(joining: layout) }
            #expect(try await onThread { try ServerReady.read(layout) } == nil)
            async let running: Void = server.run { Issue.record("cannot tell the instance: \($0)") }
            let ready = try #require(
                try await onThread { try ServerReady.wait(layout, timeout: .minutes(2).stretched) })
            ports.append(ready.port)
            server.stop()
            try await running
            try await onThread { try server.leave() }
        }
        #expect(ports[0] == ports[1])

        try await onThread { _ = try test.instance.end() }
    }

    @Test func `A port in use is named`() async throws {
        try await ServerFixture().listeningConcurrently { port in
            let second = try ServerFixture { $0.port = port }
            await #expect {
                try await second.server.run { _ in }
            } throws: { error in
                "\(error)".contains("cannot listen on 127.0.0.1:\(port)")
            }
        }
    }

    @Test func `An instance that has ended cannot be joined`() async throws {
        let layout = InstanceLayout(root: "/nowhere")
        await #expect(throws: InstanceError.self) { _ = try await onThread { try InstanceServer(joining: layout) } }
    }

    @Test func `The end is traced once, also by a process that ends without waiting for it`() async throws {
        let test = try TestInstance(Self.topology)
        let layout = test.layout
        let server = try await onThread { try InstanceServer(joining: layout) }
        let path = test.file("run/traces/server#1.jsonl")
        func ends() throws -> Int { try TraceReader.read(path).events.count { $0.name == .processEnded } }
        #expect(try ends() == 0)
        server.noteStop()
        #expect(try ends() == 1)
        server.stop()
        try await server.run { Issue.record("cannot tell the instance: \($0)") }
        server.noteStop()
        #expect(try ends() == 1)
        try await onThread {
            try server.leave()
            _ = try test.instance.end()
        }
    }
}
