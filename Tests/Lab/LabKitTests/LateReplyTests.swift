import LabKit
import LabSystem
import TestSupport
import Testing

/// Replies after the end of their call, and calls that can no longer get a reply.
@Suite("Late replies on the control channel", .endsInTime)
struct LateReplyTests {
    private let test: TestInstance

    init() throws { test = try TestInstance() }

    @Test("A reply that arrives after its call timed out ends no other call")
    func afterATimeout() throws {
        let kept = Responders()
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
        } while kept.isEmpty
        kept.answerAll()
        for _ in 0..<3 { #expect(try client.call(ControlRequest(command: "x")).get() == ["own": true]) }
        server.stop()
    }

    @Test("The first of several answers to a request counts, whichever process sends it")
    func severalAnswers() throws {
        let server = try ControlServer(test.layout, .peer("main")) { _, responder in
            responder.succeed(["number": 1])
            responder.succeed(["number": 2])
            responder.fail(.badArgument("late"))
        }
        let client = try ControlClient(test.layout, .peer("main"))
        for _ in 0..<3 { #expect(try client.call(ControlRequest(command: "x")).get() == ["number": 1]) }
        server.stop()
    }

    @Test("Closing a client ends its calls in progress, and later replies to them are dropped")
    func closedUnderWay() throws {
        let hanging = try HangingCall(test.layout)
        hanging.client.close()
        #expect(hanging.endsInterrupted())
        hanging.kept.answerAll()
        let next = try ControlClient(test.layout, .peer("main"))
        #expect(try next.call(ControlRequest(command: "x")).error == nil)
        hanging.server.stop()
    }
}
