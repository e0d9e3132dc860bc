import LabKit
import LabSystem
import TestSupport
import Testing

/// What comes when nothing waits for it any more, and what waits when nothing can come.
@Suite("Late replies on the control channel", .endsInTime)
struct LateReplyTests {
    private let test: TestInstance

    init() throws { test = try TestInstance() }

    @Test("A reply that comes after the time of its call ends no other call")
    func afterATimeout() throws {
        let kept = Responders()
        let server = try ControlServer(test.layout, .peer("main")) { request, responder in
            if request.command == "hang" { kept.add(responder) } else { responder.succeed(["own": true]) }
        }
        let client = try ControlClient(test.layout, .peer("main"))
        // Until one was under way when its time was over: it may be over before a command leaves.
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

    @Test("Of several answers to a request the first one counts, whoever gives them")
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

    @Test("A client that closes ends its calls under way, and a reply to one of them that comes later is dropped")
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
