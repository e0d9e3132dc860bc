import Foundation
import Glibc
import LabKit
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The process that runs the tests, however it ends.
    @Suite("The process of the tests")
    struct TestProcessTests {
        /// A test without end in a process of its own.
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

            /// Everything that the process had made is removed soon after its end.
            func waitUntilNothingIsLeft() throws {
                let files = (((instance.root as NSString).deletingLastPathComponent) as NSString)
                    .deletingLastPathComponent
                try waitUntil("\(files) is gone") { !Files.exists(files) }
                #expect(try !SharedMemoryObject.list().contains { $0.hasPrefix(instance.sharedMemoryPrefix) })
            }
        }

        @Test("Of tests that hang each fails after its limit, and all others go on to the end of the run")
        func othersGoOn() async throws {
            let workspace = try Workspace()
            let outcome = try await onThread {
                try LabCommand(
                    ["--testing-library", "swift-testing", "--filter", "EndToEndTests.EndToEnd/HangingTests"],
                    in: workspace, executable: try ProcessTable.executablePath(),
                    environment: [EndlessRun.variable: "1", TimeFactor.variable: "1"]
                ).finish()
            }
            #expect(outcome.status == EXIT_FAILURE)
            let text = outcome.output + outcome.errors
            let count = EndToEnd.HangingTests.cases.count
            for (name, issues) in [
                ("It blocks a thread for ever", count), ("It blocks a thread of its own", 1),
                ("It waits for a task that never ends", 1),
            ] {
                #expect(text.contains("Test \"\(name)\" recorded an issue"), "\(text)")
                #expect(text.components(separatedBy: "A test did not end within 1s: \(name) ").count == issues + 1)
            }
            #expect(text.contains("Test \"It ends behind the others\" passed"), "\(text)")
            #expect(text.contains("4 tests") && text.contains("\(count + 2) issues"), "\(text)")
        }

        @Test("A test that never ends is named after its limit, and the run fails")
        func hang() async throws {
            let workspace = try Workspace()
            try await onThread {
                let endless = try EndlessProcess(limit: 1, in: workspace)
                let outcome = try endless.run.finish()
                #expect(outcome.status == EXIT_FAILURE)
                #expect(outcome.errors.contains("A test did not end within 1s: It waits for what nobody does"))
                #expect(outcome.errors.contains("EndlessTest.swift:"))
                try endless.waitUntilNothingIsLeft()
            }
        }

        @Test("A signal ends it at once, and nothing is left of it", arguments: [SIGTERM, SIGINT, SIGKILL])
        func signal(number: Int32) async throws {
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
