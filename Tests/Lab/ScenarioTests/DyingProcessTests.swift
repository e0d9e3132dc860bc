// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import LabVocabulary
import ScenarioLanguage
import Synchronization
import TestSupport
import Testing

@testable import ScenarioEngine

/// A killed process does not answer, but counts as alive until its last thread has ended.
@Suite("A request to a dying process ends with its death", .endsInTime)
struct DyingProcessTests {
    /// Kills the process that holds the phone's endpoint as soon as a request arrives there; it never answers.
    ///
    /// - Parameter ask: Sends the request.
    /// - Returns: The error that it got.
    private func death(under ask: @Sendable (InstanceConnection) throws -> Void) throws -> ControlError? {
        let test = try TestInstance(FakeLab.onePhone)
        try Files.createDirectory(test.file("run/traces"))
        let child = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
        let kept = Mutex<[ControlResponder]>([])
        let agent = try ControlServer(test.layout, .agent("phone")) { _, responder in
            kept.withLock { $0.append(responder) }
            try? child.signal(SIGKILL)
        }
        defer {
            agent.stop()
            _ = try? child.wait()
            _ = try? test.instance.end()
        }
        try Files.write(Data("\(child.pid)\n".utf8), to: test.layout.endpointLockPath(.agent("phone")))
        let connection = try InstanceConnection(test.layout)
        return #expect(throws: ControlError.self) { try ask(connection) }
    }

    @Test func `A device that dies while it is asked for its processes`() async throws {
        let error = try await onThread { try death { _ = try $0.processes(of: "phone") } }
        #expect(error?.name == "peerDied")
    }

    @Test func `A device that dies during a command, and while one of its apps is looked up`() async throws {
        for (actor, command) in [("phone", LockDevice.name), ("main", "hasValidActivation")] {
            let error = try await onThread {
                try death { connection in
                    let target = try #require(connection.actors[actor]?.first { $0.kind != .deviceProcess })
                    let outcome = try ActorSession(instance: connection).call(
                        target, command: command, arguments: [:], operation: nil)
                    throw try #require(outcome.error)
                }
            }
            #expect(error?.name == "peerDied", "\(actor)")
        }
    }
}
