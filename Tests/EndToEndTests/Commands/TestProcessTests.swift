// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The test process and each way in which it can end.
    @Suite("The test process")
    struct TestProcessTests {
        /// A test without end in its own process.
        private struct EndlessProcess {
            let run: LabCommand
            /// An instance that it has made.
            let instance: InstanceLayout

            init(limit: Int64, in workspace: Workspace) throws {
                run = try LabCommand(
                    ["--testing-library", "swift-testing", "--filter", "EndToEndTests.EndToEnd/EndlessTest"],
                    in: workspace, executable: try ProcessTable.executablePath(),
                    environment: [EndlessRun.variable: "\(limit)", TimeFactor.variable: "1"])
                var root: Substring?
                try waitUntil("the test waits", showing: { [run] in run.text }) { [run] in
                    root = run.text.firstMatch(of: #/waiting in (\S+) /#)?.1
                    return root != nil
                }
                instance = InstanceLayout(root: String(try #require(root)))
                #expect(Files.exists(instance.root))
            }

            /// Everything that the process created is removed soon after its end.
            func waitUntilNothingIsLeft() throws {
                let files = (((instance.root as NSString).deletingLastPathComponent) as NSString)
                    .deletingLastPathComponent
                try waitUntil("\(files) is gone") { !Files.exists(files) }
                #expect(try !SharedMemoryObject.list().contains { $0.hasPrefix(instance.sharedMemoryPrefix) })
            }
        }

        @Test func `Each hanging test fails after its limit, and all others run to the end`() async throws {
            let workspace = try Workspace()
            let outcome = try await LabCommand.run(
                ["--testing-library", "swift-testing", "--filter", "EndToEndTests.EndToEnd/HangingTests"],
                in: workspace, executable: try ProcessTable.executablePath(),
                environment: [EndlessRun.variable: "1", TimeFactor.variable: "1"])
            #expect(outcome.status == EXIT_FAILURE)
            let text = outcome.output + outcome.errors
            let count = EndToEnd.HangingTests.cases.count
            for (name, issues) in [
                ("It blocks a thread forever", count), ("It blocks its own thread", 1),
                ("It waits for a task that never ends", 1),
            ] {
                #expect(text.contains("Test \"\(name)\" recorded an issue"), "\(text)")
                #expect(text.components(separatedBy: "A test did not end within 1s: \(name) ").count == issues + 1)
            }
            #expect(text.contains("Test \"It ends after the others\" passed"), "\(text)")
            #expect(text.contains("4 tests") && text.contains("\(count + 2) issues"), "\(text)")
        }

        @Test func `A test that never ends is named after its limit, and the run fails`() async throws {
            let workspace = try Workspace()
            try await onThread {
                let endless = try EndlessProcess(limit: 1, in: workspace)
                let outcome = try endless.run.finish()
                #expect(outcome.status == EXIT_FAILURE)
                #expect(outcome.errors.contains("A test did not end within 1s: It waits for an event that never comes"))
                #expect(outcome.errors.contains("EndlessTest.swift:"))
                try endless.waitUntilNothingIsLeft()
            }
        }

        @Test(arguments: [SIGTERM, SIGINT, SIGKILL])
        func `A signal ends it at once, and it leaves nothing behind`(number: Int32) async throws {
            let workspace = try Workspace()
            try await onThread {
                let endless = try EndlessProcess(limit: 1000, in: workspace)
                try endless.run.signal(number)
                #expect(try endless.run.finish().status == -number)
                try endless.waitUntilNothingIsLeft()
            }
        }
    }
}
