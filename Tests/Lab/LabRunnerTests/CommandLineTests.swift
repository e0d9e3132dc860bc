import Foundation
import LabKit
import LabSystem
import TestSupport
import Testing

@testable import LabRunner

@Suite("A command given on the command line is checked, and ends when its process ends", .endsInTime)
struct CommandLineTests {
    private static let topology = Topology(
        name: "t",
        devices: [
            DeviceSpec(
                name: "phone", kind: .phone,
                apps: [
                    AppSpec(
                        name: "main", kind: .app, bundleIdentifier: "a",
                        powerAuth: PowerAuthSpec(sdk: .full, instanceId: "a"))
                ])
        ])

    private func perform(
        _ actor: String, _ command: String, _ words: String..., in connection: InstanceConnection
    ) throws -> JSONValue {
        try CommandLineCall(
            actor: actor, command: command, words: words, in: connection, environment: [:], readInput: { _ in "" }
        ).perform(in: connection, timeout: .milliseconds(200))
    }

    @Test("Impossible values are bad input, as in a scenario")
    func impossibleValues() async throws {
        try await onThread {
            let lab = try FakeLab(Self.topology, answers: FakeAnswers())
            defer { lab.end() }
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

    @Test("A command to a dead agent or server fails at once and says what to do")
    func deadParts() async throws {
        try await onThread {
            let lab = try FakeLab(Self.topology, answers: FakeAnswers())
            defer { lab.end() }
            let ended = try ChildProcess.spawn(executable: "/bin/true")
            _ = try ended.wait()
            for endpoint in [InstanceEndpoint.agent("phone"), .server] {
                try Files.write(
                    Data("\(ended.pid)\n".utf8), to: lab.connection.layout.endpointLockPath(endpoint))
            }
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
}
