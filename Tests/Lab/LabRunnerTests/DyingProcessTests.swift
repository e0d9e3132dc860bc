import Foundation
import LabKit
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import LabRunner

/// A killed process does not answer, but counts as alive until its last thread has ended.
@Suite("A request to a dying process ends with its death", .endsInTime)
struct DyingProcessTests {
    private static let topology = Topology(
        name: "one",
        devices: [
            DeviceSpec(
                name: "phone", kind: .phone,
                apps: [
                    AppSpec(
                        name: "main", kind: .app, bundleIdentifier: "com.example.main",
                        powerAuth: PowerAuthSpec(sdk: .full, instanceId: "com.example.bank"))
                ])
        ], links: [])

    /// Kills the process that holds the phone's endpoint as soon as a request arrives there; it never answers.
    ///
    /// - Parameter ask: Sends the request.
    /// - Returns: The error that it got.
    private func death(under ask: @Sendable (InstanceConnection) throws -> Void) throws -> ControlError? {
        let directory = try TemporaryDirectory()
        try Files.createDirectory(directory.file("run/traces"))
        let instance = try Instance.create(in: directory.path) { layout in
            InstanceManifest(
                id: layout.id, labFile: nil, topology: Self.topology, runDirectory: directory.file("run"), seed: 1,
                executablesDirectory: "/nowhere")
        }
        let child = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
        let kept = Mutex<[ControlResponder]>([])
        let agent = try ControlServer(instance.layout, .agent("phone")) { _, responder in
            kept.withLock { $0.append(responder) }
            try? child.signal(SIGKILL)
        }
        defer {
            agent.stop()
            _ = try? child.wait()
            _ = try? instance.end()
        }
        try Files.write(Data("\(child.pid)\n".utf8), to: instance.layout.endpointLockPath(.agent("phone")))
        let connection = try InstanceConnection(instance.layout)
        return #expect(throws: ControlError.self) { try ask(connection) }
    }

    @Test("A device that dies while it is asked for its processes")
    func device() async throws {
        let error = try await onThread { try death { _ = try $0.processes(of: "phone") } }
        #expect(error?.name == "peerDied")
    }

    @Test("A device that dies during a command, and while one of its apps is looked up")
    func command() async throws {
        for (actor, command) in [("phone", LockDevice.name), ("main", "hasValidActivation")] {
            let error = try await onThread {
                try death { connection in
                    let target = try #require(connection.actors[actor]?.first { $0.kind != .deviceProcess })
                    let outcome = try ControlCaller(instance: connection).call(
                        target, command: command, arguments: [:], operation: nil)
                    throw try #require(outcome.error)
                }
            }
            #expect(error?.name == "peerDied", "\(actor)")
        }
    }
}
