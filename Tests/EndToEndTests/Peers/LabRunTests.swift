// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import LabTesting
import LabVocabulary
import TestSupport
import Testing

extension EndToEnd.Peers {
    @Suite("Reports of Lab.run")
    struct LabRunTests {
        private struct Complaint: Error {}

        private static let noDevices = Lab.Cast.topology(Topology(name: "empty", devices: []))

        @Test func `A throwing body is reported with its error and the place of the records`() async throws {
            let failure = try #require(
                await #expect(throws: FailedInstanceTest.self) {
                    try await Lab.run(Self.noDevices) { _ in throw Complaint() }
                })
            defer { try? FileManager.default.removeItem(atPath: failure.directory) }
            #expect(failure.error is Complaint && failure.leftovers.isEmpty)
            #expect(FileManager.default.fileExists(atPath: failure.directory + "/traces"))
        }

        @Test func `A successful body leaves nothing behind and returns its value`() async throws {
            let directory = try await Lab.run(Self.noDevices) { $0.layout.root }
            #expect(!FileManager.default.fileExists(atPath: directory))
        }

        @Test func `An app that crashes unnoticed fails the test; an app ended by the test does not`() async throws {
            let app = AppSpec(
                name: "main", kind: .app, bundleIdentifier: "com.example.main",
                powerAuth: PowerAuthSpec(sdk: .full, instanceId: "com.example.bank"))
            let cast = Lab.Cast.topology(
                Topology(name: "one", devices: [DeviceSpec(name: "phone", kind: .phone, apps: [app])]))
            try await Lab.run(cast) { lab in
                try lab.main.call(Kill())
                try lab.main.call(Launch())
            }
            let complaints = try await complaints(of: cast) { lab in
                let started = try lab.traceEvents().last { $0.name == .processStarted && $0.process == "main" }
                let process = try ProcessWatch(pid: Int32(try #require(started?.fields["pid"]?.integerValue)))
                try process.signal(SIGKILL)
                _ = try process.waitForExit()
            }
            #expect(
                complaints.count == 1 && complaints[0].hasPrefix("the process of `main` died by itself; its log is "),
                "\(complaints)")
        }

        /// The errors of an instance after a successful body.
        private func complaints(
            of cast: Lab.Cast = noDevices, _ body: @escaping @Sendable (Lab) throws -> Void
        ) async throws -> [String] {
            let leftovers = try #require(
                await #expect(throws: InstanceLeftovers.self) { try await Lab.run(cast, body) })
            try? FileManager.default.removeItem(atPath: leftovers.directory)
            return leftovers.complaints
        }

        @Test func `An early end of a process is not a clean end`() async throws {
            let complaints = try await complaints { lab in
                let server = try ProcessWatch(pid: lab.serverReady().pid)
                try server.signal(SIGKILL)
                _ = try server.waitForExit()
            }
            #expect(
                complaints.count == 1 && complaints[0].contains("had ended by SIGKILL before it was asked to end"),
                "\(complaints)")
        }

        @Test
        func `A process that does not end, with its memory and directory, is not a clean end either`() async throws {
            let complaints = try await complaints { lab in
                _ = try SharedMemoryObject.create(name: "\(lab.layout.sharedMemoryPrefix)left", size: 4096)
                // It cannot leave the instance, and only the last one to leave removes everything.
                try ProcessWatch(pid: lab.serverReady().pid).signal(SIGSTOP)
            }
            let expected = ["did not end within", "was left behind and has been removed", "the instance directory"]
            #expect(complaints.count == expected.count, "\(complaints)")
            for (complaint, text) in zip(complaints, expected) { #expect(complaint.contains(text), "\(complaint)") }
        }
    }
}
