// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("A command given on the command line is checked, and ends when its process ends", .endsInTime)
struct CommandLineTests {
    private func perform(
        _ actor: String, _ command: String, _ words: String..., in connection: InstanceConnection
    ) throws -> JSONValue {
        try CommandLineCall(
            actor: actor, command: command, words: words, in: connection, environment: [:], readInput: { _ in "" }
        ).perform(in: connection, timeout: .milliseconds(200))
    }

    @Test func `Impossible values are bad input, as in a scenario`() async throws {
        try await FakeLab.run(FakeLab.onePhone) { lab in
            let instance = lab.connection
            for wrong in ["by=-5m", "by=soon"] {
                #expect(throws: BadUsage.self, "\(wrong)") { try perform("clock", "advance", wrong, in: instance) }
            }
            for (name, value) in [("point", "nope"), ("peer", "nobody"), ("pass", "0"), ("error", "ENOPE")] {
                var arguments = ["point": "state.save", "peer": "main", "action": "fail"]
                arguments[name] = value
                let call = try CommandLineCall(
                    actor: "faults", command: "arm", words: arguments.map { "\($0)=\($1)" }, in: instance,
                    environment: [:], readInput: { _ in "" })
                #expect(throws: BadUsage.self, "\(name)=\(value)") { try call.perform(in: instance) }
            }
            let twice = #expect(throws: BadUsage.self) {
                try perform("clock", "advance", "by=1m", "by=2m", in: instance)
            }
            #expect(twice?.description == "`by` is given twice")
            #expect(try perform("clock", "advance", "by=1m", in: instance) == .null)
        }
    }

    @Test func `A command to a dead agent or server fails at once and says what to do`() async throws {
        try await FakeLab.run(FakeLab.onePhone) { lab in
            for endpoint in [InstanceEndpoint.agent("phone"), .server] { try lab.letEnd(endpoint) }
            let agent = #expect(throws: CommandLineCall.Failure.self) {
                try perform("main", "kill", in: lab.connection)
            }
            #expect(
                agent?.error.message
                    == "the agent of phone has ended; its apps ended with it; `phone: switchOn` starts the device again"
            )
            let app = #expect(throws: CommandLineCall.Failure.self) {
                try perform("main", "hasValidActivation", in: lab.connection)
            }
            #expect(app?.error.message == agent?.error.message)
            let server = #expect(throws: CommandLineCall.Failure.self) {
                try perform("server", "initActivation", in: lab.connection)
            }
            #expect(server?.error.message == "the server has ended; `server: restart` starts it again")
            #expect(lab.connection.isServerDead)
            #expect(lab.answers.requests.isEmpty)
        }
    }

    // MARK: Values

    /// The argument that a word becomes.
    private static let values: [(call: String, word: String, value: JSONValue)] = [
        ("main generateHeader", "name=accounts", "accounts"),
        ("main generateHeader", "name=", ""),
        ("main generateHeader", "name=7", "7"),
        ("main generateHeader", "name=a=b", "a=b"),
        // Nothing on the command line is a reference.
        ("main generateHeader", "name=${row.name} and $${x}", "${row.name} and $${x}"),
        ("main generateHeader", "name=env:NAME", "${from} the environment"),
        ("main generateHeader", "name=@-", "typed"),
        ("main validatePassword", "password=env:NAME", "${from} the environment"),
        ("server initActivation", "maxFailureCount=3", 3),
        ("main sendMessage", "message={ text: now, list: [1, true] }", ["text": "now", "list": [1, true]]),
    ]

    @Test func `A value of the command line is sent as written, in the type of its parameter`() async throws {
        try await onThread {
            for (call, word, value) in Self.values {
                let lab = try FakeLab(FakeLab.onePhone, answers: FakeAnswers())
                defer { lab.end() }
                let names = call.split(separator: " ").map(String.init)
                _ = try CommandLineCall(
                    actor: names[0], command: names[1], words: [word], in: lab.connection,
                    environment: ["NAME": "${from} the environment"], readInput: { _ in "typed\n" }
                ).perform(in: lab.connection)
                let parameter = String(word.prefix { $0 != "=" })
                #expect(lab.answers.requests.map { $0.arguments[parameter] } == [value], "\(word)")
            }
        }
    }

    @Test(arguments: [("a\r\n", "a"), ("a\n\n", "a\n"), ("a", "a"), ("\n", ""), ("", "")])
    func `Only the end of the last typed line is cut off`(input: String, value: String) async throws {
        try await FakeLab.run(FakeLab.onePhone) { lab in
            _ = try CommandLineCall(
                actor: "main", command: "generateHeader", words: ["name=@-"], in: lab.connection, environment: [:],
                readInput: { name in name == "name" ? input : "another parameter" }
            ).perform(in: lab.connection)
            #expect(lab.answers.requests.map { $0.arguments["name"] } == [.string(value)])
        }
    }

    private static let mistakes: [(words: String, sentence: String)] = [
        ("mian kill", "there is no actor called `mian`; did you mean `main`?"),
        ("main kil", "`main` has no command `kil`; did you mean `kill`?"),
        ("main generateHeader name", "`name` is not of the form key=value"),
        ("main generateHeader nane=a", "`generateHeader` has no parameter `nane`; did you mean `name`?"),
        ("main generateHeader", "`generateHeader` needs the parameter `name`: "),
        ("main generateHeader name=a name=b", "`name` is given twice"),
        ("main generateHeader name=env:NONE", "the environment variable `NONE` is not set"),
        (
            "main validatePassword password=1234",
            "`password` is a secret, which would be visible in the list of processes; write password=@- and type it, or password=env:NAME"
        ),
        ("server initActivation maxFailureCount=many", "`maxFailureCount` must be "),
        ("main sendMessage message=[1]", "`message` must be "),
    ]

    @Test func `A mistake on the command line is named with what to do, and nothing is sent`() async throws {
        try await FakeLab.run(FakeLab.onePhone) { lab in
            for (text, sentence) in Self.mistakes {
                let words = text.split(separator: " ").map(String.init)
                let error = #expect(throws: BadUsage.self, "\(text)") {
                    try CommandLineCall(
                        actor: words[0], command: words[1], words: Array(words.dropFirst(2)), in: lab.connection,
                        environment: [:], readInput: { _ in "" })
                }
                #expect(error?.description.hasPrefix(sentence) == true, "\(text): \(error?.description ?? "")")
            }
            #expect(lab.answers.requests.isEmpty)
        }
    }

    // MARK: Apps that cannot answer

    @Test(
        arguments: [
            ("suspended", "`main` is suspended; `lab exec main resume` continues it"),
            ("notRunning", "`main` does not run; `lab exec main launch` starts it"), ("running", nil),
        ] as [(String, String?)])
    func `Before and after a command, the state of an app that cannot answer is named`(state: String, sentence: String?)
        async throws
    {
        let process: JSONValue = [
            "app": "main", "state": .string(state), "incarnation": 1, "pid": .integer(Int64(getpid())),
        ]
        let answers: [String: [JSONValue]] = ["phone.processes": [["result": [process]]]]
        try await FakeLab.run(FakeLab.onePhone, answers: answers, isSilent: true) { (lab: FakeLab) throws in
            func call(_ command: String) throws -> CommandLineCall {
                try CommandLineCall(
                    actor: "main", command: command, words: [], in: lab.connection, environment: [:],
                    readInput: { _ in "" })
            }
            #expect(try call("hasValidActivation").obstacle(in: lab.connection) == sentence)
            // Its device carries this one out.
            #expect(try call("resume").obstacle(in: lab.connection) == nil)
            let failure = #expect(throws: CommandLineCall.Failure.self) {
                try call("hasValidActivation").perform(in: lab.connection, timeout: .milliseconds(50))
            }
            #expect(failure?.error.isUnanswered == true)
            let message = failure?.error.message ?? ""
            #expect(message.contains("; `main`") == (sentence != nil), "\(message)")
            #expect(message.hasSuffix(sentence ?? ""), "\(message)")
        }
    }

    @Test func `A failed command names the causes that the record shows, and only for this command`() async throws {
        let error: JSONValue = ["error": ["domain": "PowerAuthErrorDomain", "name": "networkError", "message": "no"]]
        try await FakeLab.run(FakeLab.onePhone, answers: ["main.hasValidActivation": [error]]) { lab in
            let operation = "exec-\(getpid())"
            let server = try TraceWriter(directory: "\(lab.runDirectory)/traces", process: "server", incarnation: 1)
            let refused: [String: JSONValue] = ["path": "/x", "code": "E", "cause": "c"]
            server.emit(.serverRefused, operation: operation, refused)
            try lab.emit(.deviceLocked, of: "phone")
            let failure = #expect(throws: CommandLineCall.Failure.self) {
                try perform("main", "hasValidActivation", in: lab.connection)
            }
            #expect(failure?.error.name == "networkError")
            #expect(failure?.causes == ["`phone` is locked; `phone: unlock` opens it"])
            #expect(lab.answers.requests.map(\.operation) == [operation])
        }
    }

    @Test func `A shell completes actors, their commands and the parameters of a command`() async throws {
        try await FakeLab.run(FakeLab.onePhone) { lab in
            let completion = CallCompletion(in: lab.connection)
            #expect(completion.names == ["main", "phone", "server", "faults", "clock", "trace"])
            #expect(completion.commands(of: "clock") == ["advance", "freeze", "run", "read"])
            #expect(completion.commands(of: "nothing") == [])
            #expect(completion.parameters(of: "arm", by: "faults").prefix(3) == ["point=", "peer=", "action="])
            #expect(completion.parameters(of: "arm", by: "clock") == [])
        }
    }
}
