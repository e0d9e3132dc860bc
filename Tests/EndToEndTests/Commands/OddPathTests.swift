// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Failures outside the scenario during a run.
    @Suite("Unusual failures of a run")
    struct OddPathTests {
        /// An app dies during its step, the last one.
        private static let death = """
            name: The app dies while it works
            steps:
              - server: initActivation
                as: code
              - faults: arm
                with: { point: http.requestSent, peer: main, action: kill }
              - main: createActivation
                with: { activationCode: "${code.activationCode}" }
            """

        @Test func `A peer that dies during a step fails that step at once`() async throws {
            let outcome = try await LabCommand.run(scenario: Self.death)
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            #expect((outcome.output + outcome.errors).contains("scenario.yaml:7:"))
        }

        @Test func `A step can expect the death of a peer`() async throws {
            let outcome = try await LabCommand.run(
                scenario: """
                    \(Self.death)
                        fails: { code: peerDied }
                      - main: relaunch
                      - main: canStartActivation
                        expect: true
                    """)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }

        @Test func `A fault that never fires makes the run fail: a test without proof is not green`() async throws {
            let outcome = try await LabCommand.run(
                scenario: """
                    name: Nothing happens
                    steps:
                      - faults: arm
                        with: { point: keychain.write, peer: wallet, action: kill, pass: 100 }
                      - wallet: hasValidActivation
                        expect: false
                    """)
            #expect(outcome.status != 0, "\(outcome.output)\(outcome.errors)")
            #expect((outcome.output + outcome.errors).contains("keychain.write"))
        }

        @Test func `A port in use is reported with its number`() async throws {
            let workspace = try Workspace()
            let listener = try Listener()
            try workspace.write(
                """
                topologies:
                  default:
                    server: { port: \(listener.port) }
                    devices:
                      phone:
                        kind: phone
                        apps:
                          main: { kind: app, bundleIdentifier: com.example.main, powerAuth: { instanceId: bank } }
                """, to: "lab.yaml")
            try workspace.write("name: Any\nsteps:\n  - main: canStartActivation\n", to: "scenario.yaml")
            let outcome = try await onThread { try lab("run", "scenario.yaml", in: workspace) }
            #expect(outcome.status == 3, "\(outcome.output)\(outcome.errors)")
            #expect((outcome.output + outcome.errors).contains("\(listener.port)"))
            try workspace.expectNothingLeft()
        }

        @Test func `Ctrl-C during a run ends everything and exits with 130`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write(Self.endless, to: "scenario.yaml")
            let outcome = try await onThread {
                let command = try LabCommand(["run", "scenario.yaml"], in: workspace)
                try waitForPeers(of: workspace)
                try command.signal(SIGINT)
                return try command.finish()
            }
            #expect(outcome.status == 130, "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
        }

        @Test func `The remains of a killed run are removed by the next one`() async throws {
            let workspace = try Workspace.ofProject()
            // An instance directory of a run that ended without cleaning up; its locks are free.
            let stale = "\(workspace.runtimeDirectory)/0stale00"
            try FileManager.default.createDirectory(atPath: "\(stale)/s", withIntermediateDirectories: true)
            for file in ["lease", "members", "instance.json"] {
                #expect(FileManager.default.createFile(atPath: "\(stale)/\(file)", contents: Data()))
            }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: stale)
            try workspace.write("name: Any\nsteps:\n  - main: canStartActivation\n", to: "scenario.yaml")
            let outcome = try await onThread { try lab("run", "scenario.yaml", in: workspace) }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
        }

        /// A scenario that runs until it is stopped.
        static let endless = """
            name: Busy
            steps:
              - repeat: 100000
                steps:
                  - main: hasValidActivation
                    expect: false
                  - wallet: canStartActivation
                    expect: true
            """
    }
}

/// Waits until the instance of a workspace has app processes.
func waitForPeers(of workspace: Workspace) throws {
    try waitUntil("the peers run") { workspace.processes().contains { $0.commandLine.contains("main-app") } }
}

/// Waits for an external condition that gives no notification: it is checked repeatedly, with a poll on no descriptor
/// and a deadline in between, because tests may not sleep.
func waitUntil(
    _ what: String, within limit: LabDuration = .minutes(2).stretched, showing output: () -> String = { "" },
    _ condition: () throws -> Bool
) throws {
    let deadline = MonotonicClock.nanoseconds() + UInt64(limit.nanoseconds)
    while try !condition() {
        guard MonotonicClock.nanoseconds() < deadline else { throw LabCommand.Late(what: what, output: output()) }
        _ = try Polling.waitReadable([], timeoutNanoseconds: 5_000_000)
    }
}

/// A socket that occupies a loopback port.
final class Listener {
    let port: Int
    private let descriptor: FileDescriptor

    init() throws {
        let descriptor = FileDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), path: "listener")
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor.rawValue, pointer, length) == 0 && listen(descriptor.rawValue, 1) == 0
                    && getsockname(descriptor.rawValue, pointer, &length) == 0
            }
        }
        try #require(bound)
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
    }
}
