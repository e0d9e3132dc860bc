// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import LabControl
import LabCore
import LabSystem
import Synchronization
import TestSupport
import Testing
import ZeroMQ

@Suite("The control channel", .endsInTime)
struct ControlChannelTests {
    let test: TestInstance

    init() throws { test = try TestInstance() }

    /// A server that answers with the arguments it got.
    private func echo(_ endpoint: InstanceEndpoint = .peer("main")) throws -> ControlServer {
        try ControlServer(test.layout, endpoint, incarnation: 3) { request, responder in
            responder.succeed(request.arguments)
        }
    }

    @Test func `A command gets its answer`() throws {
        let server = try ControlServer(test.layout, .peer("main"), incarnation: 3) { request, responder in
            responder.succeed([
                "command": .string(request.command), "arguments": request.arguments,
                "actor": .string(request.actor ?? "-"), "operation": .string(request.operation ?? "-"),
            ])
        }
        let client = try ControlClient(test.layout, .peer("main"))
        let request = ControlRequest(command: "ping", arguments: ["x": 1], actor: "main", operation: "step-1")
        let reply = try client.call(request)
        #expect(reply.id == request.id && reply.incarnation == 3)
        #expect(reply.handlingNanoseconds != nil)
        #expect(try reply.get() == ["command": "ping", "arguments": ["x": 1], "actor": "main", "operation": "step-1"])
        server.stop()
    }

    @Test func `A process that measures its work reports that time, without the time the request waited`() throws {
        let server = try ControlServer(test.layout, .peer("main")) { _, responder in
            responder.reply(.success(.null), worked: 5)
        }
        let client = try ControlClient(test.layout, .peer("main"))
        #expect(try client.call(ControlRequest(command: "x")).handlingNanoseconds == 5)
        server.stop()
    }

    @Test func `A client's thread ends with the last reference to the client`() throws {
        let server = try echo()
        func threads() throws -> Int {
            try Files.list("/proc/self/task").count { thread in
                (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "control-client\n"
            }
        }
        var clients = try (0..<60).map { _ in try ControlClient(test.layout, .peer("main")) }
        for client in clients { _ = try client.call(ControlRequest(command: "x")) }
        #expect(try threads() >= clients.count)
        clients = []
        // Other tests have clients too, but not so many. If a thread stays, the suite's time limit fails the test.
        while try threads() >= 30 { MonotonicClock.pause(nanoseconds: 5_000_000) }
        server.stop()
    }

    @Test func `An error travels with all its parts`() throws {
        let sent = ControlError(
            domain: "PowerAuthErrorDomain", code: 21, name: "externalPendingOperation", message: "busy",
            userInfo: ["type": 1])
        let server = try ControlServer(test.layout, .peer("main")) { _, responder in responder.fail(sent) }
        let client = try ControlClient(test.layout, .peer("main"))
        let reply = try client.call(ControlRequest(command: "x"))
        #expect(reply.error == sent)
        #expect(throws: sent) { try reply.get() }
        server.stop()
    }

    @Test func `A call waits for a server that starts later`() throws {
        let client = try ControlClient(test.layout, .peer("late"))
        let done = DispatchSemaphore(value: 0)
        let result = ReplyBox()
        client.send(ControlRequest(command: "early")) {
            result.set($0)
            done.signal()
        }
        let server = try echo(.peer("late"))
        done.wait()
        #expect(try result.value?.get().get() == .object([:]))
        server.stop()
    }

    @Test func `A call finds the next incarnation after a restart`() throws {
        let client = try ControlClient(test.layout, .peer("main"))
        for _ in 0..<3 {
            let server = try echo()
            #expect(try client.call(ControlRequest(command: "x", arguments: ["n": 1])).get() == ["n": 1])
            server.stop()
        }
    }

    @Test func `No call is lost or taken twice while servers come and go`() throws {
        let taken = Mutex<[JSONValue]>([])
        let isOver = Flag()
        let answered = Mutex<[JSONValue]>([])
        let failures = Mutex<[ControlError]>([])
        let clients = try (0..<3).map { _ in try ControlClient(test.layout, .peer("main")) }
        let callers = clients.enumerated().map { number, client in
            runOnThread(name: "caller") {
                var call = 0
                while !isOver.isSet {
                    call += 1
                    let arguments: JSONValue = ["call": .string("\(number)-\(call)")]
                    do throws(ControlError) {
                        let reply = try client.call(ControlRequest(command: "x", arguments: arguments)).get()
                        answered.withLock { $0.append(reply) }
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
            }
        }
        for _ in 0..<40 {
            let served = DispatchSemaphore(value: 0)
            let server = try ControlServer(test.layout, .peer("main")) { request, responder in
                taken.withLock { $0.append(request.arguments) }
                responder.succeed(request.arguments)
                served.signal()
            }
            for _ in 0..<5 { served.wait() }
            server.stop()
        }
        isOver.set()
        let last = try echo()
        for caller in callers { caller.join() }
        last.stop()
        #expect(failures.withLock { $0 } == [])
        let numbers = taken.withLock { $0 }
        #expect(Set(numbers).count == numbers.count)
        #expect(Set(answered.withLock { $0 }).isSuperset(of: numbers))
    }

    @Test func `A second server at one endpoint is refused`() throws {
        let server = try echo()
        let pid = ProcessInfo.processInfo.processIdentifier
        let error = #expect(throws: InstanceError.endpointTaken(name: "main", pid: pid)) { try echo() }
        #expect(error?.description == "another process answers as 'main' (pid \(pid)); end it first")
        // The first one is unaffected.
        let client = try ControlClient(test.layout, .peer("main"))
        #expect(try client.call(ControlRequest(command: "x")).error == nil)
        server.stop()
    }

    @Test func `A call without an answer times out and says why`() throws {
        let client = try ControlClient(test.layout, .peer("nobody"))
        let absent = #expect(throws: ControlError.self) {
            try client.call(ControlRequest(command: "x"), timeout: .milliseconds(5))
        }
        #expect(absent?.name == "timedOut")
        #expect(absent?.message == "no reply from 'p.nobody' within 5ms; is the process running?")

        let kept = Recorder<ControlResponder>()
        let server = try ControlServer(test.layout, .peer("silent")) { _, responder in kept.add(responder) }
        let silent = try ControlClient(test.layout, .peer("silent"))
        let error = #expect(throws: ControlError.self) {
            try silent.call(ControlRequest(command: "x"), timeout: .milliseconds(300))
        }
        #expect(error?.message == "the app silent did not answer 'x' within 300ms")
        server.stop()
    }

    @Test func `The death of the watched process ends a call at once`() throws {
        let kept = Recorder<ControlResponder>()
        let server = try ControlServer(test.layout, .peer("main")) { _, responder in kept.add(responder) }
        let client = try ControlClient(test.layout, .peer("main"))
        let child = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
        let done = DispatchSemaphore(value: 0)
        let result = ReplyBox()
        client.send(
            ControlRequest(command: "x"), timeout: .seconds(60), watching: try ProcessWatch(pid: child.pid)
        ) {
            result.set($0)
            done.signal()
        }
        try kept.wait { !$0.isEmpty }
        try child.signal(SIGKILL)
        done.wait()
        #expect(result.error?.name == "peerDied")
        #expect(result.error?.message.contains("died before it answered 'x'") == true)
        _ = try child.wait()
        server.stop()
    }

    @Test func `Calls of several threads overlap`() throws {
        // The first command is answered only after the second has arrived.
        let first = Recorder<ControlResponder>()
        let server = try ControlServer(test.layout, .peer("main")) { request, responder in
            if request.command == "first" {
                first.add(responder)
            } else {
                first.answerAll()
                responder.succeed()
            }
        }
        let client = try ControlClient(test.layout, .peer("main"))
        let succeeded = Counter()
        let thread = runOnThread(name: "caller") {
            if (try? client.call(ControlRequest(command: "first"))) != nil { succeeded.increase() }
        }
        try first.wait { !$0.isEmpty }
        _ = try client.call(ControlRequest(command: "second"))
        thread.join()
        #expect(succeeded.value == 1)
        server.stop()
    }

    @Test func `An interruption ends only the calls in progress`() throws {
        let hanging = try HangingCall(test.layout, timeout: .seconds(60))
        hanging.client.interrupt()
        #expect(hanging.endsInterrupted())
        #expect(try hanging.client.call(ControlRequest(command: "x")).error == nil)
        hanging.server.stop()
    }

    @Test func `A closed client refuses calls`() throws {
        let client = try ControlClient(test.layout, .peer("main"))
        client.close()
        let error = #expect(throws: ControlError.self) { try client.call(ControlRequest(command: "x")) }
        #expect(error?.name == "interrupted")
    }

    @Test func `A dropped responder answers with an error`() throws {
        let server = try ControlServer(test.layout, .peer("main")) { _, _ in }
        let client = try ControlClient(test.layout, .peer("main"))
        #expect(try client.call(ControlRequest(command: "x")).error?.name == "failed")
        server.stop()
    }

    @Test func `Replies sent before a stop arrive`() throws {
        for _ in 0..<200 {
            let kept = Recorder<ControlResponder>()
            let server = try ControlServer(test.layout, .peer("main")) { _, responder in kept.add(responder) }
            let client = try ControlClient(test.layout, .peer("main"))
            let answered = Flag()
            let thread = runOnThread(name: "caller") {
                if (try? client.call(ControlRequest(command: "shutdown"), timeout: .seconds(5))) != nil {
                    answered.set()
                }
            }
            try kept.wait { !$0.isEmpty }
            kept.answerAll()
            server.stop()
            thread.join()
            #expect(answered.isSet)
        }
    }

    @Test func `Hostile messages get an error and do not stop the server`() throws {
        let server = try echo()
        let messages: [[Data]] = [
            [Data()], [Data("{".utf8)], [Data("[1]".utf8)], [Data("{}".utf8)], [Data(count: 100)],
            [Data(#"{"id":1}"#.utf8)], [Data(#"{"id":"1","command":"x"}"#.utf8)],
            [Data(#"{"id":1,"command":"x","arguments":[]}"#.utf8)],
            [Data(#"{"id":1,"command":"x","actor":7}"#.utf8)], [Data("{}".utf8), Data("{}".utf8)],
            [Data(repeating: UInt8(ascii: "["), count: 100_000)],
        ]
        let socket = try ZeroMQSocket(.shared, .dealer)
        try socket.connect(try test.layout.address(of: .peer("main")))
        for message in messages {
            #expect(try socket.send(message, wait: true))
            #expect(try ZeroMQPoll.poll(sockets: [socket], timeoutMilliseconds: 5_000).isAny)
            let reply = try #require(try socket.receive()?.first)
            #expect(try JSONValue.parse(reply)["error"]?["name"] == "badRequest")
        }
        let client = try ControlClient(test.layout, .peer("main"))
        #expect(try client.call(ControlRequest(command: "x")).error == nil)
        server.stop()
    }

    @Test func `A round trip is measured and printed`() throws {
        let server = try echo()
        let client = try ControlClient(test.layout, .peer("main"))
        var times: [UInt64] = []
        for _ in 0..<300 {
            let start = MonotonicClock.nanoseconds()
            _ = try client.call(ControlRequest(command: "ping"))
            times.append(MonotonicClock.nanoseconds() - start)
        }
        print("control round trip: p50 \(times.sorted()[150] / 1_000) us, p99 \(times.sorted()[297] / 1_000) us")
        server.stop()
    }
}

private final class ReplyBox: Sendable {
    private let slot = Mutex<Result<ControlReply, ControlError>?>(nil)
    var value: Result<ControlReply, ControlError>? { slot.withLock { $0 } }
    var error: ControlError? { if case .failure(let error) = value { error } else { nil } }
    func set(_ result: Result<ControlReply, ControlError>) { slot.withLock { $0 = result } }
}
