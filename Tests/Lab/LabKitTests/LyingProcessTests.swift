import Dispatch
import Foundation
import LabKit
import LabSystem
import TestSupport
import Testing
import ZeroMQ

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
        "The command fails at once and reports what it received instead of an answer",
        arguments: [
            (["{\"id\": 1,"], "something that is no JSON"),
            (["[1, 2]"], "a message without an `id`"),
            (["{\"id\": \"one\", \"result\": 1}"], "a message without an `id`"),
            (["{\"id\": 1, \"result\": 1}", "more"], "2 parts where a message has one"),
        ])
    func nonsense(parts: [String], what: String) throws {
        let error = try error(ofAnswer: parts.map { Data($0.utf8) })
        #expect(error?.name == "badReply")
        #expect(error?.message == "the app main sent \(what) while 'x' waited for its answer")
    }
}
