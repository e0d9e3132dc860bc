import Foundation
import Glibc
import LabKit
import LabSystem
import TestSupport
import Testing

extension EndToEnd {
    /// The process that runs the tests, however it ends.
    @Suite("The process of the tests")
    struct TestProcessTests {
        /// A test without end in a process of its own, with the directory of that process.
        private static func start(limit: Int64, in workspace: Workspace) throws -> (run: LabCommand, directory: String)
        {
            let run = try LabCommand(
                ["--testing-library", "swift-testing", "--filter", "EndToEndTests.EndToEnd/EndlessTest"],
                in: workspace, executable: try ProcessTable.executablePath(),
                environment: [EndlessRun.variable: "\(limit)", TimeFactor.variable: "1"])
            let sentence = "waiting in "
            try run.wait(for: sentence)
            let directory = try #require(
                run.text.split(separator: "\n").first { $0.hasPrefix(sentence) }?.dropFirst(sentence.count))
            try waitUntil("the line is complete") { Files.exists(String(directory)) }
            return (run, (directory as NSString).deletingLastPathComponent)
        }

        @Test("A test that never ends is named after its limit, and the run fails")
        func hang() async throws {
            let workspace = try Workspace()
            try await onThread {
                let (run, directory) = try Self.start(limit: 1, in: workspace)
                let outcome = try run.finish()
                #expect(outcome.status == EXIT_FAILURE)
                #expect(outcome.errors.contains("A test did not end within 1s: It waits for what nobody does"))
                #expect(outcome.errors.contains("EndlessTest.swift:"))
                try waitUntil("\(directory) is gone") { !Files.exists(directory) }
            }
        }

        @Test("A signal ends it at once, and its files are removed", arguments: [SIGTERM, SIGINT, SIGKILL])
        func signal(number: Int32) async throws {
            let workspace = try Workspace()
            try await onThread {
                let (run, directory) = try Self.start(limit: 1000, in: workspace)
                try run.signal(number)
                #expect(try run.finish().status == -number)
                try waitUntil("\(directory) is gone") { !Files.exists(directory) }
            }
        }
    }
}
