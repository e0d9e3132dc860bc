// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import LabControl
import LabCore
import LabSystem
import TestSupport
import Testing
import ZeroMQ

/// Replies after the end of their call, and calls that can no longer get a reply.
@Suite("Late replies on the control channel", .endsInTime)
struct LateReplyTests {
    private let test: TestInstance

    init() throws { test = try TestInstance() }

    @Test func `A reply that arrives after its call timed out ends no other call`() throws {
        let kept = Recorder<ControlResponder>()
        let server = try ControlServer(test.layout, .peer("main")) { request, responder in
            if request.command == "hang" { kept.add(responder) } else { responder.succeed(["own": true]) }
        }
        let client = try ControlClient(test.layout, .peer("main"))
        // Repeated until a call timed out in progress: its time may be over before the command is sent.
        repeat {
            let error = #expect(throws: ControlError.self) {
                try client.call(ControlRequest(command: "hang"), timeout: .milliseconds(20))
            }
            #expect(error?.name == "timedOut")
        } while kept.all.isEmpty
        kept.answerAll()
        for _ in 0..<3 { #expect(try client.call(ControlRequest(command: "x")).get() == ["own": true]) }
        server.stop()
    }

    @Test func `The first of several answers to a request counts, whichever process sends it`() throws {
        let server = try ControlServer(test.layout, .peer("main")) { _, responder in
            responder.succeed(["number": 1])
            responder.succeed(["number": 2])
            responder.fail(.badArgument("late"))
        }
        let client = try ControlClient(test.layout, .peer("main"))
        for _ in 0..<3 { #expect(try client.call(ControlRequest(command: "x")).get() == ["number": 1]) }
        server.stop()
    }

    @Test func `Closing a client ends its calls in progress, and later replies to them are dropped`() throws {
        let hanging = try HangingCall(test.layout)
        hanging.client.close()
        #expect(hanging.endsInterrupted())
        hanging.kept.answerAll()
        let next = try ControlClient(test.layout, .peer("main"))
        #expect(try next.call(ControlRequest(command: "x")).error == nil)
        hanging.server.stop()
    }
}

/// A call of the command `hang` that has reached its server and gets no answer; the server answers all other commands.
struct HangingCall {
    let server: ControlServer
    let client: ControlClient
    /// Keeps the call.
    let kept: Recorder<ControlResponder>
    private let interrupted = Flag()
    private let caller: ThreadHandle

    init(_ layout: InstanceLayout, timeout: LabDuration = ControlClient.patience) throws {
        let kept = Recorder<ControlResponder>()
        server = try ControlServer(layout, .peer("main")) { request, responder in
            if request.command == "hang" { kept.add(responder) } else { responder.succeed() }
        }
        client = try ControlClient(layout, .peer("main"))
        caller = runOnThread(name: "caller") { [client, interrupted] in
            do {
                _ = try client.call(ControlRequest(command: "hang"), timeout: timeout)
            } catch {
                if (error as? ControlError)?.name == "interrupted" { interrupted.set() }
            }
        }
        self.kept = kept
        try kept.wait { !$0.isEmpty }
    }

    /// Waits for the end of the call.
    ///
    /// - Returns: Whether it ended as interrupted.
    func endsInterrupted() -> Bool {
        caller.join()
        return interrupted.isSet
    }
}

extension Recorder<ControlResponder> {
    /// Answers all requests that it keeps.
    func answerAll() {
        for responder in all { responder.succeed() }
    }
}

/// A process that greets correctly and then answers with what the test gives it.
@Suite("A process that sends invalid answers", .endsInTime)
struct LyingProcessTests {
    let test: TestInstance

    init() throws { test = try TestInstance() }

    /// Calls a command of a process that answers with the given parts.
    private func error(ofAnswer parts: [Data]) throws -> ControlError? {
        let socket = "ipc://\(try test.layout.socketPath(.peer("main")))"
        let isBound = DispatchSemaphore(value: 0)
        let isAnswered = DispatchSemaphore(value: 0)
        let process = runOnThread(name: "liar") {
            do {
                let router = try ZeroMQSocket(.shared, .router)
                try router.bind(socket)
                isBound.signal()
                for answer in [[Data(#"{"welcome":\#(getpid())}"#.utf8)], parts] {
                    _ = try ZeroMQPoll.poll(sockets: [router])
                    guard let client = try router.receive()?.first else { continue }
                    _ = try router.send([client] + answer)
                }
                // A closed connection would be another kind of missing answer.
                isAnswered.wait()
            } catch {
                Issue.record(error)
                isBound.signal()
            }
        }
        defer {
            isAnswered.signal()
            process.join()
        }
        isBound.wait()
        let client = try ControlClient(test.layout, .peer("main"))
        return #expect(throws: ControlError.self) { try client.call(ControlRequest(command: "x")) }
    }

    @Test(
        arguments: [
            (["{\"id\": 1,"], "something that is no JSON"),
            (["[1, 2]"], "a message without an `id`"),
            (["{\"id\": \"one\", \"result\": 1}"], "a message without an `id`"),
            (["{\"id\": 1, \"result\": 1}", "more"], "2 parts where a message has one"),
        ])
    func `The command fails at once and reports what it received instead of an answer`(parts: [String], what: String)
        throws
    {
        let error = try error(ofAnswer: parts.map { Data($0.utf8) })
        #expect(error?.name == "badReply")
        #expect(error?.message == "the app main sent \(what) while 'x' waited for its answer")
    }
}
